"""Preference: how much taste, quality and novelty count in what people take, by likelihood.

Each step of a person after the part that tastes are learnt from is a choice between the item taken
and others that the person never took. Only the order of interactions is needed, no pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.world import Agent, Catalogue, Floats, Generator, Ints, rng, tastes

WEIGHTS = ("taste", "quality", "novelty")
STEPS, OTHERS = 10, 9
"""Steps of a person that are asked about at most, and the items beside the one taken."""
HIGHEST = 12.0
"""No weight is larger."""
_RECENT = 5
_DOUBT = 0.01
"""How firmly weights are held at those before, as a share of one person's likelihood."""


class Steps(msgspec.Struct, frozen=True, eq=False):
    """Choices that people made."""

    owners: Ints
    """Whose step it is."""
    values: Floats
    """[steps, items, weights]: what is weighed of each item; the one taken comes first."""

    @property
    def shares(self) -> Floats:
        """What each step counts: everybody counts the same."""
        many = np.bincount(self.owners)
        counted: Floats = 1.0 / many[self.owners] / max(1, int((many > 0).sum()))
        return counted


def steps_of(
    agents: Sequence[Agent],
    catalogue: Catalogue,
    users: Ints,
    items: Ints,
    *,
    popularity: Ints,
    seed: int,
) -> Steps:
    """Return the first steps of agents after what they have lived.

    `users` and `items` are what people took later, in chronological order; person i is `agents[i]`.
    The items beside are drawn by `popularity`, as the pages are on which visits are simulated.
    """
    later: dict[int, list[int]] = {}
    for user, item in zip(users.tolist(), items.tolist(), strict=True):
        later.setdefault(user, []).append(item)
    taste = tastes([me.taste for me in agents])
    upto = np.cumsum(popularity + 0.5)
    owners, values = [], []
    for user, taken in later.items():
        me = agents[user]
        lived = [entry.item for entry in me.history]
        known = {*lived, *taken}
        for step, item in enumerate(taken[:STEPS]):
            shown = [item, *_others(upto, known, rng(seed, "preference", user, step))]
            if len(shown) < 2:
                continue
            before = [*lived, *taken[:step]][-_RECENT:]
            owners.append(user)
            values.append(_values(me, taste[user], catalogue, shown, before))
    if not owners:
        raise BadInput("nobody has later interactions to learn preferences from")
    widest = max(len(rows) for rows in values)
    padded = np.full((len(values), widest, len(WEIGHTS)), np.nan)
    for row, each in enumerate(values):
        padded[row, : len(each)] = each
    return Steps(np.array(owners, np.int64), padded)


def _others(upto: Floats, known: set[int], draw: Generator) -> list[int]:
    """Return items drawn by popularity that are not known to the person, each once."""
    draws = draw.random(4 * OTHERS) * upto[-1]
    found = dict.fromkeys(np.searchsorted(upto, draws, side="right").tolist())
    return [item for item in found if item not in known][:OTHERS]


def _values(
    me: Agent, taste: Floats, catalogue: Catalogue, shown: list[int], before: list[int]
) -> Floats:
    weights = catalogue.weights[shown]
    recent = catalogue.weights[before].sum(axis=0) > 0 if before else np.zeros(weights.shape[1])
    new = weights @ (1.0 - recent)
    columns = [
        weights @ taste,
        2.0 * catalogue.quality[shown] - 1.0,
        me.profile.habits.explorer * new,
    ]
    values: Floats = np.stack(columns, axis=1)
    return values


def log_likelihood(steps: Steps, weights: Mapping[str, float]) -> float:
    """Return the mean over people of the log-likelihood of a step."""
    return float((steps.shares * _chances(steps, _vector(weights))[0]).sum())


def fit_preferences(steps: Steps, before: Mapping[str, float]) -> dict[str, float]:
    """Return the weights with the highest likelihood, none below 0."""
    from scipy.optimize import minimize

    shares, start = steps.shares, _vector(before)

    def loss(x: Floats) -> tuple[float, Floats]:
        log, slopes = _chances(steps, x)
        away = x - start
        value = -float((shares * log).sum()) + _DOUBT * float(away @ away) / 2.0
        return value, -(shares[:, None] * slopes).sum(axis=0) + _DOUBT * away

    bounds = [(0.0, HIGHEST)] * len(WEIGHTS)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return dict(zip(WEIGHTS, np.round(found, 4).tolist(), strict=True))


def _vector(weights: Mapping[str, float]) -> Floats:
    return np.array([float(weights[name]) for name in WEIGHTS])


def _chances(steps: Steps, weights: Floats) -> tuple[Floats, Floats]:
    """Return the log-likelihood of each step, and its slopes by weight."""
    values = np.nan_to_num(steps.values)
    utility = np.where(np.isnan(steps.values[:, :, 0]), -np.inf, values @ weights)
    utility -= utility.max(axis=1, keepdims=True)
    raised = np.exp(utility)
    whole = raised.sum(axis=1, keepdims=True)
    expected = np.einsum("si,siw->sw", raised / whole, values)
    return utility[:, 0] - np.log(whole[:, 0]), values[:, 0] - expected
