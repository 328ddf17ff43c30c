"""What went wrong in a run, counted from its log."""

from __future__ import annotations

from audience.log import Log
from audience.world.events import MEMORY


def memory_problems(log: Log) -> dict[str, int]:
    """Return how often each problem of a memory stands in a log, the most frequent first."""
    found = log.query(
        "SELECT json_extract(event, '$[2]') AS why, count(*) FROM records"
        " WHERE phase = ? AND kind = 'Failed' GROUP BY why ORDER BY count(*) DESC, why",
        (MEMORY,),
    )
    return {str(why).removeprefix("memory: "): count for why, count in found}


def failed_slates(log: Log) -> int:
    """Return how many pages the recommender could not give."""
    found = log.query(
        "SELECT count(*) FROM records WHERE kind = 'Failed'"
        " AND json_extract(event, '$[2]') LIKE 'recommender: %'"
    )
    return int(found[0][0])
