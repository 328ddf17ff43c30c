"""Drift: do tastes move over many rounds, and towards whom?"""

from __future__ import annotations

import numpy as np

from audience.lab.evaluation import unit
from audience.lab.studies.study import FIRST, Chart, Study, answer, comparing, judging, known
from audience.metrics import NAN, mean
from audience.results import Label
from audience.world import Floats, Ints, Record, RoundEnded, View, keys, taste_of, tastes

LABELS: dict[str, Label] = {
    "taste_moved": ("Distance of taste from its beginning", "cosine distance", ""),
    "nearer_friends": ("Change in similarity to friends", "cosine", ""),
    "nearer_strangers": ("Change in similarity to strangers", "cosine", ""),
    "nearer_than_strangers": ("Drift towards friends beyond that towards all", "cosine", ""),
    "nearer_crowd": ("Change in similarity to the mean taste", "cosine", ""),
}


class Drifts:
    """Compares tastes with those at the beginning, at the end of every round.

    taste_moved              mean of 1 - cosine between taste now and at the beginning
    nearer_friends           mean change in cosine to those a person listens to
    nearer_strangers         the same to as many others, by a named draw
    nearer_than_strangers    the first less the second
    nearer_crowd             mean change in cosine to the mean taste
    """

    watches = (RoundEnded,)

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._begin: Floats | None = None
        self._pairs: tuple[Ints, Ints, Ints] | None = None
        self._values = dict.fromkeys(LABELS, NAN)

    def update(self, record: Record, world: View) -> None:
        del record
        people = len(world.genesis.profiles)
        if self._begin is None:
            tags = world.genesis.catalogue.tag_ids
            first = [taste_of(profile, tags) for profile in world.genesis.profiles]
            self._begin = unit(tastes(first))
            self._pairs = _pairs(world, people, self._seed)
        assert self._pairs is not None
        now = unit(tastes([world.agents[who].taste for who in range(people)]))
        begin, (who, friend, stranger) = self._begin, self._pairs
        friends = _alike(now, who, friend) - _alike(begin, who, friend)
        strangers = _alike(now, who, stranger) - _alike(begin, who, stranger)
        crowds = (unit(each.mean(axis=0)[None, :])[0] for each in (begin, now))
        before, after = (each @ crowd for each, crowd in zip((begin, now), crowds, strict=True))
        self._values = {
            "taste_moved": mean(1.0 - (begin * now).sum(axis=1)),
            "nearer_friends": mean(friends),
            "nearer_strangers": mean(strangers),
            "nearer_than_strangers": mean(friends) - mean(strangers),
            "nearer_crowd": mean(after - before),
        }

    def value(self) -> dict[str, float]:
        return dict(self._values)

    def close(self) -> dict[str, float]:
        return dict(self._values)


def _alike(rows: Floats, first: Ints, second: Ints) -> Floats:
    cosines: Floats = (rows[first] * rows[second]).sum(axis=1)
    return cosines


def _pairs(world: View, people: int, seed: int) -> tuple[Ints, Ints, Ints]:
    """Return who listens to whom at the beginning, and a stranger for every friend."""
    ties = world.genesis.ties
    who = np.repeat(np.arange(people), np.diff(ties.starts)[:people])
    friend = ties.others.astype(np.int64)[: len(who)]
    draws = keys(seed, "stranger", who, friend)
    stranger = (draws % np.uint64(max(people - 1, 1))).astype(np.int64)
    return who, friend, stranger + (stranger >= who) * (people > 1)


STUDY = Study(
    "drift",
    {**LABELS, **known("entropy_taste", "entropy_consumption", "entropy_exposure", "picks")},
    (
        Chart(
            "taste_by_round",
            "rounds",
            ("taste_moved",),
            "How far tastes have moved",
            "Latent interest: distance from where everybody's taste began.",
        ),
        Chart(
            "with_whom",
            "bars",
            ("nearer_friends", "nearer_strangers", "nearer_crowd"),
            "Change in similarity, cosine",
            "At the end, against the beginning.",
            ("to friends", "to strangers", "to the mean"),
        ),
        Chart(
            "friends_by_round",
            "rounds",
            ("nearer_than_strangers",),
            "Towards friends more than strangers",
            "Zero: friends grow alike no faster than anybody.",
        ),
    ),
    answer(
        judging(
            "taste_moved",
            above="tastes move",
            below="tastes move",
            neither="no movement of tastes could be shown",
        ),
        comparing("taste_moved", "random", FIRST),
        judging(
            "nearer_than_strangers",
            above="they come nearer to friends than to strangers",
            below="they move away from friends more than from strangers",
            neither="no drift towards friends beyond that towards strangers could be shown",
        ),
    ),
    metrics=lambda setting: [Drifts(setting.seed)],
    notes=(
        "A taste moves by what is lived, towards what was enjoyed (`run.drift`); words move it "
        "only by what is picked because of them, unless a mind shifts tastes itself.",
    ),
)
