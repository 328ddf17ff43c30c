"""Conformity: do ratings move towards what friends said, and how far with how many friends?"""

from __future__ import annotations

from typing import Any

import numpy as np

from audience.lab.studies.study import (
    FIRST,
    SECOND,
    Chart,
    Study,
    StudyFindings,
    answer,
    comparing,
    judging,
    known,
)
from audience.metrics import NAN
from audience.results import Label
from audience.world import Floats, Rated, Record, View, rng, tastes

FEW = 5
"""With fewer ratings nothing is estimated."""
MOST = 3
"""This many friends or more are one group."""
LABELS: dict[str, Label] = {
    "pull": ("Pull towards friends", "of the way", ""),
    "moved": ("Share of opinions that moved towards friends", "share", ""),
    "moved_growth": ("Share that moved, two friends less one", "difference of shares", ""),
    **{
        f"moved_{friends}": (f"Moved towards friends, {friends}{'+' * (friends == MOST)} heard",
                             "share", "")
        for friends in range(1, MOST + 1)
    },
    **{
        f"moved_fj_{friends}": (
            f"Friedkin-Johnsen with that pull, {friends}{'+' * (friends == MOST)} heard",
            "share",
            "",
        )
        for friends in range(1, MOST + 1)
    },
    "heard_ratings": ("Ratings of items that friends spoke of", "", ""),
    "alone_error": ("Error of the opinion before", "stars", ""),
}  # fmt: skip


class Opinions:
    """Follows ratings with what the rater had heard of the item, and from how many friends.

    Nobody rates an item twice, so the opinion before hearing is predicted from the rater's taste
    and the item's quality, by least squares over ratings of items nobody had spoken of. With b
    that opinion, m the mean of what friends said and a the rating, all from -1 to 1:

    moved, moved_N   share of ratings with (a - b)(m - b) > 0, of all and of those with N friends
    pull             least-squares slope of a - b on m - b: the susceptibility of Friedkin-Johnsen
    moved_fj_N       the share of (1 - pull) (b + r) + pull m, r being residuals of unswayed ratings
    """

    watches = (Rated,)

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._rows: list[tuple[float, float, float, float, int]] = []

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        me = world.agents[event.agent]
        heard = {news.who: news.stance for news in me.heard if news.item == event.item}
        match = float((tastes([me.taste])[0] * world.catalogue.weights[event.item]).sum())
        quality = float(world.catalogue.quality[event.item])
        mean = sum(heard.values()) / len(heard) if heard else NAN
        self._rows.append((match, quality, (event.stars - 3) / 2.0, mean, len(heard)))

    def close(self) -> dict[str, float]:
        """Return nothing: it is slow, and only needed at the end."""
        return {}

    def value(self) -> dict[str, float]:
        values = dict.fromkeys(LABELS, NAN)
        rows = np.array(self._rows, np.float64).reshape(-1, 5)
        heard = rows[:, 4] > 0
        values["heard_ratings"] = float(heard.sum())
        if (~heard).sum() < FEW or heard.sum() < FEW:
            return values
        alone, swayed = rows[~heard], rows[heard]
        weights = np.linalg.lstsq(_design(alone), alone[:, 2], rcond=None)[0]
        residuals = alone[:, 2] - _design(alone) @ weights
        before = _design(swayed) @ weights
        change, towards = swayed[:, 2] - before, swayed[:, 3] - before
        pull = float((change * towards).sum() / max(float((towards**2).sum()), 1e-12))
        noise = rng(self._seed, "conformity").choice(residuals, len(swayed))
        model = pull * towards + (1.0 - pull) * noise
        values |= {"pull": pull, "alone_error": 2.0 * float(np.sqrt((residuals**2).mean()))}
        values["moved"] = _share(change * towards)
        for friends in range(1, MOST + 1):
            group = np.minimum(swayed[:, 4], MOST) == friends
            values[f"moved_{friends}"] = _share((change * towards)[group])
            values[f"moved_fj_{friends}"] = _share((model * towards)[group])
        values["moved_growth"] = values["moved_2"] - values["moved_1"]
        return values


def _design(rows: Floats) -> Floats:
    return np.stack([np.ones(len(rows)), rows[:, 0], rows[:, 1]], axis=1)


def _share(products: Floats) -> float:
    return float((products > 0.0).mean()) if len(products) >= FEW else NAN


def remarks(findings: StudyFindings) -> list[str]:
    """Return what is so by construction."""
    if not findings.sets_rule("conform"):
        return []
    return [
        "Rule minds are moved by friends because their parameter `conform` says so: these "
        "numbers say how much of it shows in ratings, not whether people conform."
    ]


STUDY = Study(
    "conformity",
    {**LABELS, **known("rating_mean", "satisfaction", "lines", "delivered")},
    (
        Chart(
            "moved_by_friends",
            "bars",
            tuple(f"moved_{friends}" for friends in range(1, MOST + 1)),
            "Opinions that moved towards friends, share",
            "By how many friends had spoken of the item before it was rated.",
            ("1 friend", "2 friends", "3 or more"),
        ),
        Chart(
            "friedkin_johnsen",
            "bars",
            tuple(f"moved_fj_{friends}" for friends in range(1, MOST + 1)),
            "The same by Friedkin-Johnsen, share",
            "Control: opinions that go the measured share of the way to the friends' mean, with "
            "the noise of ratings that nobody had influenced.",
            ("1 friend", "2 friends", "3 or more"),
        ),
        Chart("pull", "levels", ("pull",), caption="0: unmoved; 1: all the way to the mean."),
    ),
    answer(
        judging(
            "pull",
            SECOND,
            above="ratings are drawn towards what friends said",
            below="ratings are drawn away from what friends said",
            neither="no pull towards what friends said could be shown",
        ),
        comparing("moved", FIRST, SECOND),
        judging(
            "moved_growth",
            SECOND,
            above="the share that moves is larger where two friends have spoken than one",
            below="the share that moves is smaller where two friends have spoken than one",
            neither="no difference between one friend and two could be shown",
        ),
    ),
    metrics=lambda setting: [Opinions(setting.seed)],
    notes=(
        "The opinion before hearing is predicted from taste and quality, not asked for: with noise "
        "alone about half of all ratings lie towards what friends said; the first arm shows it.",
    ),
    remarks=remarks,
)
