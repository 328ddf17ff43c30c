"""Whether arrows can be trusted: resamples of the items, and the same truth with other noise.

Planted tables have the items, the order and the strengths of a logged one, and a truth that is
known: quality leads to popularity, popularity to exposure, quality and exposure to picks, quality
to ratings. What an order finds again in them says what the numbers of a log allow it to find.
"""

from __future__ import annotations

import numpy as np

from audience.experiments.studies.lingam import direct_lingam
from audience.results import bootstrap
from audience.world.rng import Floats, Generator, Ints

QUALITY, POPULARITY, SHOWN, PICKED, RATING = range(5)
PARENTS: dict[int, list[int]] = {
    QUALITY: [],
    POPULARITY: [QUALITY],
    SHOWN: [POPULARITY],
    PICKED: [QUALITY, SHOWN],
    RATING: [QUALITY],
}
KNOWN = ((QUALITY, PICKED), (QUALITY, RATING), (SHOWN, PICKED))
RESAMPLES = 60
DRAWS = 6
LEAST = 0.05
"""The least effect, in standard deviations, that counts as an arrow."""


def resampled(rows: Floats, seed: int) -> Floats:
    """Return [to, from]: the share of resamples of the items in which an arrow is found."""

    def arrows(items: Ints) -> Floats:
        return (np.abs(direct_lingam(rows[items])[1]) >= LEAST).astype(np.float64).ravel()

    found = bootstrap(arrows, len(rows), seed=seed, names=("causal",), resamples=RESAMPLES)
    shares: Floats = found.mean(axis=-1).reshape(rows.shape[1], rows.shape[1])
    return shares


def right(rows: Floats) -> float:
    """Return the share of the known arrows whose cause comes before its effect."""
    order = direct_lingam(rows)[0]
    return sum(order.index(one) < order.index(two) for one, two in KNOWN) / len(KNOWN)


def planted(rows: Floats, draw: Generator, noise: str) -> Floats:
    """Return a table of the same size and strengths whose effects are linear, with a given noise.

    `noise` is `laplace`, as the method wants it, or `normal`, with which no order can be found.
    """
    spread = rows.std(axis=0)
    real = (rows - rows.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    made: Floats = np.zeros_like(real)
    for column, causes in PARENTS.items():
        own = getattr(draw, noise)(size=len(real))
        own = (own - own.mean()) / max(float(own.std()), 1e-12)
        effect = np.linalg.lstsq(real[:, causes], real[:, column], rcond=None)[0]
        rest = float((real[:, column] - real[:, causes] @ effect).std())
        made[:, column] = made[:, causes] @ effect + rest * own
    return made


def counted(items: Floats, draw: Generator, times: int = 1) -> Floats:
    """Return the table of a truth like that of rule minds, with everything shown `times` as often.

    `items` holds quality, past, exposures and picks of all that was shown, as plain counts. Each
    exposure is picked with a chance that quality raises, and so are the stars of each pick.
    """
    quality, past, shown, picked = items.T
    often = shown.astype(np.int64) * times
    rate = picked.sum() / max(float(shown.sum()), 1.0)
    chance = np.clip(rate * np.exp(2.0 * (quality - quality.mean())), 0.0, 1.0)
    picks = draw.binomial(often, chance)
    some = picks > 0
    stars = _stars(quality[some], picks[some], draw)
    logs = [np.log1p(one[some]) for one in (past, often, picks)]
    return np.stack([quality[some], *logs, stars], axis=1)


def _stars(quality: Floats, picks: Ints, draw: Generator) -> Floats:
    """Return the mean stars of each item, of as many ratings as it has picks."""
    owners = np.repeat(np.arange(len(quality)), picks)
    felt = 1.6 + 3.2 * quality[owners] + 0.8 * draw.standard_normal(len(owners))
    given = np.clip(np.round(felt), 1, 5)
    found: Floats = np.bincount(owners, given, minlength=len(quality)) / np.maximum(picks, 1)
    return found
