"""Questions to a run's log that SQL answers without decoding chapters."""

from __future__ import annotations

from audience.log.store import Log
from audience.world import CLOSING, CONVERSATIONS, MEMORY, OPENING, VISITS

_FAILED = (
    "(length(CAST(body AS TEXT)) - length(replace(CAST(body AS TEXT), '[\"Failed\",', ''))) / 10"
)
"""The failed decisions in the body of a chapter, by what their text begins with."""


def _occurring(text: str) -> str:
    """Return the SQL of how often a text is in the body of a chapter."""
    body = "CAST(body AS TEXT)"
    return f"(length({body}) - length(replace({body}, '{text}', ''))) / {len(text)}"


_WISHED = _occurring('["Wished",')
_UNMET = _occurring('"Say","to ')
"""Wishes to talk, and the refusals of those that came to nothing: the others became talks."""


def last_arrival(log: Log) -> int:
    """Return the number of the chapter that arrived last; 0 if there is none."""
    return _number(log, "SELECT max(seq) FROM chapters")


def last_closing(log: Log) -> int:
    """Return the arrival number of the chapter that closed a round last; 0 if there is none."""
    return _number(log, "SELECT max(seq) FROM chapters WHERE phase = ?", CLOSING)


def last_opened(log: Log) -> int:
    """Return the last round of which anything is committed; 0 if there is none."""
    return _number(log, "SELECT max(round) FROM chapters")


def stored_scenario(log: Log) -> str:
    """Return the scenario as it is stored now: another process may have changed it."""
    return str(log.query("SELECT value FROM meta WHERE key = 'scenario'")[0][0])


def arrivals_in(log: Log, round_: int) -> tuple[int, int]:
    """Return the numbers of the first and the last chapter of a round; zeros if it has none."""
    statement = "SELECT min(seq), max(seq) FROM chapters WHERE round = ?"
    first, last = log.query(statement, (round_,))[0]
    return int(first or 0), int(last or 0)


def visits_in(log: Log, round_: int) -> int:
    """Return how many visits of a round are committed."""
    return _number(
        log, "SELECT count(*) FROM chapters WHERE round = ? AND phase = ?", round_, VISITS
    )


def last_visits(log: Log, upto: int) -> dict[int, int]:
    """Return the round of everybody's last visit up to the end of a round."""
    rows = log.query(
        "SELECT agent, max(round) FROM chapters WHERE phase = ? AND round <= ? GROUP BY agent",
        (VISITS, upto),
    )
    return {int(agent): int(round_) for agent, round_ in rows}


def failures_by_person(log: Log, upto: int) -> dict[int, int]:
    """Return how many decisions of each person failed up to the end of a round."""
    rows = log.query(
        f"SELECT agent, sum({_FAILED}) AS failed FROM chapters"
        " WHERE phase <> ? AND round <= ? AND agent >= 0 GROUP BY agent HAVING failed > 0",
        (MEMORY, upto),
    )
    return {int(agent): int(count) for agent, count in rows}


def talks_upto(log: Log, round_: int) -> int:
    """Return how many conversations took place up to the end of a round."""
    return _number(
        log,
        f"SELECT sum({_WISHED} - {_UNMET}) FROM chapters WHERE phase IN (?, ?) AND round <= ?",
        VISITS,
        CONVERSATIONS,
        round_,
    )


def failures_upto(log: Log, round_: int) -> int:
    """Return how many decisions and pages failed up to the end of a round, not in memories."""
    return _number(
        log, f"SELECT sum({_FAILED}) FROM chapters WHERE phase <> ? AND round <= ?", MEMORY, round_
    )


def mean_satisfaction(log: Log) -> float | None:
    """Return the mean satisfaction with which people left; None if nobody told one."""
    rows = log.query(
        "SELECT avg(json_extract(entry.value, '$[0][2]'))"
        " FROM chapters, json_each(CAST(chapters.body AS TEXT)) AS entry"
        " WHERE instr(CAST(chapters.body AS TEXT), '[\"Left\",') > 0"
        " AND json_extract(entry.value, '$[0][0]') = 'Left'"
    )
    mean = rows[0][0]
    return None if mean is None else float(mean)


def posts_upto(log: Log, round_: int) -> int:
    """Return how many posts were written up to the end of a round."""
    return _number(
        log,
        "SELECT sum((length(CAST(body AS TEXT))"
        " - length(replace(CAST(body AS TEXT), '[\"Posted\",', ''))) / 10)"
        " FROM chapters WHERE phase = ? AND round <= ?",
        VISITS,
        round_,
    )


def rounds_opened_after(log: Log, seq: int) -> list[int]:
    """Return the rounds whose opening arrived after a chapter number."""
    statement = "SELECT DISTINCT round FROM chapters WHERE seq > ? AND phase = ?"
    return [int(round_) for (round_,) in log.query(statement, (seq, OPENING))]


def arrivals_of(log: Log, agent: int, most: int) -> list[int]:
    """Return the numbers of the newest chapters in which an agent acted, oldest first."""
    statement = (
        "SELECT seq FROM chapters WHERE agent = ? OR (phase = ? AND"
        " instr(CAST(body AS TEXT), ?) > 0) ORDER BY seq DESC LIMIT ?"
    )
    rows = log.query(statement, (agent, CONVERSATIONS, f'["Said",{agent},', most))
    return [int(seq) for (seq,) in reversed(rows)]


def memory_problems(log: Log) -> dict[str, int]:
    """Return how often each problem of a memory occurs in a log, the most frequent first."""
    rows = log.query(
        "SELECT json_extract(event, '$[2]') AS why, count(*) FROM records"
        " WHERE phase = ? AND kind = 'Failed' GROUP BY why ORDER BY count(*) DESC, why",
        (MEMORY,),
    )
    return {str(why).removeprefix("memory: "): count for why, count in rows}


def failed_slates(log: Log) -> int:
    """Return how many pages the recommender failed to fill."""
    return _number(
        log,
        "SELECT count(*) FROM records WHERE kind = 'Failed'"
        " AND json_extract(event, '$[2]') LIKE 'recommender: %'",
    )


def _number(log: Log, statement: str, *values: int) -> int:
    return int(log.query(statement, values)[0][0] or 0)
