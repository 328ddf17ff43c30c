"""Three traits of real people: activity, conformity, diversity, each in three tiers.

All of them, the means of items too, come from a training part alone.
"""

from __future__ import annotations

import msgspec
import numpy as np

from audience.datasets.training import Training
from audience.world.people import Habits
from audience.world.rng import Bools, Floats, Ints

COVERED = 0.8
"""The share of a history that the top genres cover."""
UNKNOWN = -1
WORDS = {
    "activity": ("rare visitor", "regular visitor", "frequent visitor"),
    "conformity": ("rates as most do", "rates partly its own way", "rates against the majority"),
    "diversity": ("narrow taste", "varied taste", "broad taste"),
}
"""What a profile says of each tier. Conformity is a distance: the lowest tier conforms most."""


class Trait(msgspec.Struct, frozen=True, eq=False):
    """One trait of everybody."""

    values: Floats
    """NaN where it is not known."""
    tiers: Ints
    """0, 1, 2 for the lower, middle and upper third of people; -1 where it is not known.

    People of one value stay together, in the third where their middle lies.
    """
    bounds: tuple[float, float]
    """The highest values of the lower and of the middle third; -inf where nobody is in it."""

    @property
    def known(self) -> Bools:
        known: Bools = self.tiers != UNKNOWN
        return known


class Traits(msgspec.Struct, frozen=True, eq=False):
    """The traits of the people of a training part, by place."""

    activity: Trait
    """The number of interactions."""
    conformity: Trait
    """The mean over items of (rating - item mean)^2; unknown without ratings."""
    diversity: Trait
    """The number of top tags that cover 80 % of the history."""
    tags: Trait
    """The number of different tags in the history, which the paper takes for diversity."""
    leniency: Floats
    """The mean stars each gives; NaN where none."""

    def words(self, place: int) -> tuple[str, ...]:
        """Return what a profile says of somebody; what is not known is not said."""
        found = ((key, int(getattr(self, key).tiers[place])) for key in WORDS)
        return tuple(WORDS[key][tier] for key, tier in found if tier != UNKNOWN)


def traits_of(training: Training) -> Traits:
    """Return everybody's traits. People without history have none."""
    counts = training.counts.astype(np.float64)
    here = counts > 0
    wide, different = _spread(training, here)
    return Traits(
        activity=_trait(np.where(here, counts, np.nan)),
        conformity=_trait(_deviation(training)),
        diversity=_trait(wide),
        tags=_trait(different),
        leniency=training.person_means,
    )


def habits_of(traits: Traits, drawn: list[Habits], places: Ints) -> list[Habits]:
    """Return habits where watcher, explorer and critic follow the data, the others as drawn.

    Each is a person's rank among all, 0 to 1: by the number of interactions, by diversity, and by
    how few stars it gives.
    """
    watcher, explorer = _ranks(traits.activity.values), _ranks(traits.diversity.values)
    critic = _ranks(-traits.leniency)
    found = {"watcher": watcher, "explorer": explorer, "critic": critic}
    changed: list[Habits] = []
    for habits, place in zip(drawn, places.tolist(), strict=True):
        known = {
            name: round(float(ranks[place]), 2)
            for name, ranks in found.items()
            if not np.isnan(ranks[place])
        }
        changed.append(msgspec.structs.replace(habits, **known))
    return changed


def _deviation(training: Training) -> Floats:
    lived = training.lived
    rated = lived.stars > 0
    users, items = lived.users[rated], lived.items[rated]
    apart = (lived.stars[rated] - training.item_means[items]) ** 2
    sizes = np.bincount(users, minlength=training.people)
    sums = np.bincount(users, apart, training.people)
    found: Floats = np.divide(sums, sizes, out=np.full(training.people, np.nan), where=sizes > 0)
    return found


def _spread(training: Training, here: Bools) -> tuple[Floats, Floats]:
    """Return how many top tags cover most of each history, and how many tags it has at all."""
    nothing = np.full(training.people, np.nan)
    if not training.tags:
        return nothing, nothing
    shares = training.tag_shares()
    heaped = np.cumsum(-np.sort(-shares, axis=1), axis=1)
    tagged = here & (heaped[:, -1] > 0)
    # Sums of thirds and quarters miss 0.8 by the last bit.
    wide = 1.0 + (heaped < COVERED - 1e-9).sum(axis=1)
    different = (shares > 0).sum(axis=1).astype(np.float64)
    return np.where(tagged, wide, np.nan), np.where(tagged, different, np.nan)


def _trait(values: Floats) -> Trait:
    ranks = _ranks(values)
    known = ~np.isnan(ranks)
    tiers = (ranks >= 1 / 3).astype(np.int64) + (ranks >= 2 / 3)
    tiers = np.where(known, tiers, UNKNOWN)
    ends = [float(np.max(values[known & (tiers <= tier)], initial=-np.inf)) for tier in (0, 1)]
    return Trait(values, tiers, (ends[0], ends[1]))


def _ranks(values: Floats) -> Floats:
    """Return the share of people who lie below each, ties halved; NaN where a value is."""
    known = np.flatnonzero(~np.isnan(values))
    ordered = np.sort(values[known])
    below = np.searchsorted(ordered, values[known], side="left")
    upto = np.searchsorted(ordered, values[known], side="right")
    ranks = np.full(len(values), np.nan)
    ranks[known] = (below + upto) / (2.0 * max(1, len(known)))
    return ranks
