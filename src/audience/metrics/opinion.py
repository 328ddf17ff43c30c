"""Metrics of opinions and speech: satisfaction, ratings, voices, mentions, and tone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from audience.metrics.formulas import AgentTally, Sums, ratio, ratios
from audience.world import (
    Felt,
    Floats,
    Left,
    Posted,
    Rated,
    Record,
    Said,
    Unfounded,
    View,
    Wished,
    mentioned,
)

MODERATE = frozenset(
    "afraid angry annoyed anxious concerned cross disappointed excited glad grateful happy hope "
    "hopeful moved moves proud sad sorry touched uneasy unfair unhappy upset worried worries worry "
    "wrong pleased relieved nervous bitter".split()
)
INTENSE = frozenset(
    "appalled appalling awful delighted devastated disaster disgrace disgraceful disgusted "
    "disgusting enraged furious hate heartbroken horrified horrible infuriating love outrage "
    "outraged outrageous overjoyed panic rage scandal scandalous shame shameful shocked shocking "
    "terrible terrified thrilled unacceptable unbearable unforgivable wonderful".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST = 4_000


@lru_cache(maxsize=8192)
def tone(text: str) -> float:
    """Return 0, 0.5 or 1 for calm, moderate or intense wording.

    A strong word makes a text intense, as does a milder one with an exclamation mark; a mild word
    or an exclamation mark alone makes it moderate.
    """
    part = text[:_LONGEST]
    words = {word.lower() for word in _WORD.findall(part)}
    if words & INTENSE:
        return 1.0
    mild, loud = bool(words & MODERATE), "!" in part
    return 0.5 * (mild + loud)


STARS = range(1, 6)


class Satisfaction:
    """satisfaction: mean of Left.satisfaction where given."""

    watches = (Left,)

    def __init__(self) -> None:
        self._given = AgentTally(1)

    def update(self, record: Record, world: View) -> None:
        del world
        event: Any = record.event
        if event.satisfaction is not None:
            self._given.agents.append(event.agent)
            self._given.amounts[0].append(event.satisfaction)

    def taken(self) -> tuple[bytes, ...]:
        return self._given.taken()

    def merge(self, taken: Sequence[bytes], world: View) -> None:
        self._given.merge(taken)

    def value(self) -> dict[str, float]:
        return {"satisfaction": _mean(self._given.whole())}

    def close(self) -> dict[str, float]:
        return {"satisfaction": _mean(self._given.close())}

    def per_agent(self) -> dict[str, Floats]:
        return {"satisfaction": ratios(self._given.sums(), self._given.counts())}


class RatingMetrics:
    """Counts the stars given.

    ratings               number of Rated
    rating_mean           mean stars
    rating_1 to rating_5  share of each number of stars
    """

    watches = (Rated,)

    def __init__(self) -> None:
        self._given = AgentTally(1)
        self._past = [0 for _ in STARS]

    def update(self, record: Record, world: View) -> None:
        del world
        event: Any = record.event
        self._given.agents.append(event.agent)
        self._given.amounts[0].append(event.stars)

    def taken(self) -> tuple[bytes, ...]:
        return self._given.taken()

    def merge(self, taken: Sequence[bytes], world: View) -> None:
        self._given.merge(taken)

    def _now(self) -> list[int]:
        return [self._given.amounts[0].count(stars) for stars in STARS]

    def _both(self) -> list[int]:
        return [past + now for past, now in zip(self._past, self._now(), strict=True)]

    def value(self) -> dict[str, float]:
        return _histogram(self._given.whole(), self._both())

    def close(self) -> dict[str, float]:
        now, self._past = self._now(), self._both()
        return _histogram(self._given.close(), now)

    def per_agent(self) -> dict[str, Floats]:
        return {"rating_mean": ratios(self._given.sums(), self._given.counts())}


def _mean(sums: Sums) -> float:
    return ratio(sums.amounts[0], sums.times)


def _histogram(sums: Sums, counts: Sequence[int]) -> dict[str, float]:
    shares = {f"rating_{stars}": ratio(counts[stars - 1], sums.times) for stars in STARS}
    return {"ratings": float(sums.times), "rating_mean": _mean(sums), **shares}


VOICES = ("model", "template", "human")


class SpeechMetrics:
    """Counts feelings, posts and lines by voice; rule minds' own words have none."""

    watches: tuple[type, ...] = (Felt, Posted, Said)

    def __init__(self) -> None:
        self._all = dict.fromkeys(VOICES, 0)
        self._round = dict.fromkeys(VOICES, 0)

    def update(self, record: Record, world: View) -> None:
        del world
        voice = record.event.voice  # type: ignore[union-attr]
        if voice in self._all:
            self._all[voice] += 1
            self._round[voice] += 1

    def taken(self) -> list[int]:
        taken = list(self._round.values())
        for voice, count in self._round.items():
            self._all[voice] -= count
        self._round = dict.fromkeys(VOICES, 0)
        return taken

    def merge(self, taken: Sequence[int], world: View) -> None:
        for voice, count in zip(VOICES, taken, strict=True):
            self._all[voice] += count
            self._round[voice] += count

    def value(self) -> dict[str, float]:
        return {f"spoken_{voice}": float(count) for voice, count in self._all.items()}

    def close(self) -> dict[str, float]:
        found = {f"spoken_{voice}": float(count) for voice, count in self._round.items()}
        self._round = dict.fromkeys(VOICES, 0)
        return found


class Mentions:
    """Counts titles in what is felt, posted and said; a wish to talk counts, its echo does not.

    mentions            titles that stand in `<…>`, each once a text
    unfounded_mentions  those that the agent had neither seen nor heard of
    unfounded_share     unfounded_mentions / mentions
    """

    watches: tuple[type, ...] = (Felt, Posted, Wished, Said, Unfounded)

    def __init__(self) -> None:
        self._now = [0, 0]
        self._past = [0, 0]
        self._wishes: set[tuple[int, int, str]] = set()
        """The wishes of this round, one of which opens each conversation."""

    def update(self, record: Record, world: View) -> None:
        del world
        event: Any = record.event
        if isinstance(event, Unfounded):
            self._now[1] += len(event.titles)
            return
        if isinstance(event, Wished):
            self._wishes.add((event.agent, event.to, event.text))
        elif isinstance(event, Said):
            wish = (event.agent, event.to, event.text)
            if wish in self._wishes:
                self._wishes.discard(wish)
                return
        self._now[0] += len(mentioned(event.text))

    def taken(self) -> list[Any]:
        taken = [self._now, list(self._wishes)]
        self._now, self._wishes = [0, 0], set()
        return taken

    def merge(self, taken: Any, world: View) -> None:  # noqa: ANN401
        now, wishes = taken
        self._now = [one + more for one, more in zip(self._now, now, strict=True)]
        self._wishes.update(map(tuple, wishes))

    def value(self) -> dict[str, float]:
        return _named(past + now for past, now in zip(self._past, self._now, strict=True))

    def close(self) -> dict[str, float]:
        found = _named(self._now)
        self._past = [past + now for past, now in zip(self._past, self._now, strict=True)]
        self._now = [0, 0]
        self._wishes.clear()
        return found


def _named(counts: Iterable[int]) -> dict[str, float]:
    mentions, unfounded = counts
    return {
        "mentions": float(mentions),
        "unfounded_mentions": float(unfounded),
        "unfounded_share": ratio(unfounded, mentions),
    }
