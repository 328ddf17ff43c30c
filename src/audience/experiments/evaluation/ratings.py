"""C: the stars people give. Errors and the histogram trade off, so that both are told."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.experiments.evaluation.cases import Arena, Case, Task, drawn_users, lives_of
from audience.experiments.evaluation.contest import Entry, Played
from audience.experiments.evaluation.framing import Frame, answers_in, framed, order_of
from audience.experiments.evaluation.reading import Real
from audience.experiments.evaluation.results import ContestantRow, ContestCell, Result
from audience.results import POSITIVE, bootstrap, percentile_interval
from audience.world.rng import Bools, Floats, Ints, keys

RANDOM, LATEST = "random split", "last 20 % in time"
SHARE = 0.2
MOST = 40
"""Ratings of one user that are asked for at once, so that a prompt stays readable."""
STARS = 5
COLUMNS = ("RMSE", "MAE", "JSD")
Measure = Callable[[Floats], Floats]
"""From how often each person counts, [..., people], to a value."""
_NOTES = (
    f"A fifth of the ratings is predicted: drawn by name ({RANDOM}), or each user's latest "
    f"({LATEST}). JSD: between the histograms of predicted and real stars, base 2, 1 to 5. "
    "Intervals by drawing users again and again. Unreadable answers count as the worst star.",
)


class Split(msgspec.Struct, frozen=True, eq=False):
    """An arena of ratings with the stars that were really given."""

    arena: Arena
    stars: tuple[Floats, ...]
    """Of each case, for each of its candidates."""


def splits_of(real: Real, *, agents: int | None = None, seed: int = 1) -> list[Split]:
    """Return both splits with the same users. What is learnt from is the same whoever is asked."""
    rated = np.flatnonzero(real.stars > 0)
    if len(rated) < len(real) / 2:
        raise BadInput(f"{real.name} has no ratings; give data with stars, such as MovieLens 100K")
    sizes = np.bincount(real.users[rated], minlength=real.people)
    users = drawn_users(np.flatnonzero(sizes >= 1 / SHARE), agents, seed)
    held = {RANDOM: _by_draw(real, rated, seed), LATEST: _latest(real, rated, sizes)}
    return [_split(real, rated, name, rows, users, seed) for name, rows in held.items()]


def _by_draw(real: Real, rated: Ints, seed: int) -> Bools:
    drawn = keys(seed, "eval", "rating", real.users[rated], real.items[rated], rated)
    found: Bools = drawn < np.uint64(int(SHARE * 2**64))
    return found


def _latest(real: Real, rated: Ints, sizes: Ints) -> Bools:
    users = real.users[rated]
    order = np.argsort(users, kind="stable")
    starts = np.cumsum(sizes) - sizes
    place = np.empty(len(users), np.int64)
    place[order] = np.arange(len(users)) - starts[users[order]]
    found: Bools = place >= sizes[users] - np.floor(sizes[users] * SHARE + 1e-9)
    return found


def _split(real: Real, rated: Ints, name: str, held: Bools, users: Ints, seed: int) -> Split:
    asked = held & np.isin(real.users[rated], users)
    lives = lives_of(real, rated[~held])
    histories = _lists(lives.users, lives.items)
    test = rated[asked]
    cases, stars = [], []
    for user, rows in _lists(real.users[test], test).items():
        for start in range(0, len(rows), MOST):
            part = rows[start : start + MOST]
            items = tuple(real.items[part].tolist())
            history = tuple(histories.get(user, np.empty(0, np.int64)).tolist())
            cases.append(Case(user, history, items, (True,) * len(items)))
            stars.append(real.stars[part])
    if not cases:
        raise BadInput(f"{real.name}: no rating is left to predict; give more --agents")
    task = Task(name, tuple(cases))
    return Split(Arena(name, lives, (task,), lives, (), seed), tuple(stars))


def _lists(users: Ints, values: Ints) -> dict[int, Ints]:
    order = np.argsort(users, kind="stable")
    found, starts = np.unique(users[order], return_index=True)
    return dict(zip(found.tolist(), np.split(values[order], starts[1:].tolist()), strict=True))


class _Sums:
    """Of each user: squared and absolute errors, histograms of predicted and real stars."""

    def __init__(self, split: Split, scores: Sequence[Floats]) -> None:
        cases = split.arena.tasks[0].cases
        sizes = [len(case.candidates) for case in cases]
        users = np.repeat([case.user for case in cases], sizes)
        _, owner = np.unique(users, return_inverse=True)
        self.people = int(owner.max()) + 1
        real = np.concatenate(list(split.stars))
        given = np.concatenate(list(scores))
        # What cannot be read is as wrong as a star can be.
        given = np.where(np.isnan(given), np.where(real > 3.0, 1.0, STARS), given)
        self.count = np.bincount(owner, minlength=self.people).astype(np.float64)
        self.squared = np.bincount(owner, (given - real) ** 2, self.people)
        self.absolute = np.bincount(owner, np.abs(given - real), self.people)
        self.given, self.real = (_histogram(owner, one, self.people) for one in (given, real))

    def rmse(self, weights: Floats) -> Floats:
        found: Floats = np.sqrt(weights @ self.squared / (weights @ self.count))
        return found

    def mae(self, weights: Floats) -> Floats:
        found: Floats = weights @ self.absolute / (weights @ self.count)
        return found

    def jsd(self, weights: Floats) -> Floats:
        return divergence(weights @ self.given, weights @ self.real)


def cells_of(
    measures: Mapping[str, Measure], users: int, baselines: Sequence[str], seed: int
) -> tuple[dict[str, ContestCell], str]:
    """Return everybody's cell in one column where less is better, and the best baseline."""
    values = {name: float(measure(np.ones(users))) for name, measure in measures.items()}
    known = [name for name in baselines if math.isfinite(values[name])]
    best = min(known, key=lambda name: values[name]) if known else ""

    def drawn(people: Ints) -> list[float]:
        weights = np.bincount(people, minlength=users).astype(np.float64)
        return [float(measure(weights)) for measure in measures.values()]

    found = bootstrap(drawn, users, seed=seed, names=("ratings",))
    samples = dict(zip(measures, found if len(found) else [found] * len(measures), strict=True))
    cells = {}
    for name, value in values.items():
        against = None
        if best and name != best:
            apart = samples[name] - samples[best]
            against = percentile_interval(value - values[best], apart, count=users)
        mean = percentile_interval(value, samples[name], count=users, bounds=POSITIVE)
        cells[name] = ContestCell(mean, users, against)
    return cells, best


def _histogram(owner: Ints, stars: Floats, people: int) -> Floats:
    places = np.clip(np.floor(stars + 0.5), 1, STARS).astype(np.int64) - 1
    counts = np.bincount(owner * STARS + places, minlength=people * STARS)
    return counts.reshape(people, STARS).astype(np.float64)


def divergence(one: Floats, other: Floats) -> Floats:
    """Return the Jensen-Shannon divergence of rows of counts, base 2: 0 equal, 1 apart."""
    first = one / one.sum(axis=-1, keepdims=True)
    second = other / other.sum(axis=-1, keepdims=True)
    middle = (first + second) / 2.0
    parts = [
        np.where(p > 0, p * np.log2(np.maximum(p, 1e-300) / np.maximum(middle, 1e-300)), 0.0)
        for p in (first, second)
    ]
    found: Floats = np.maximum(0.5 * (parts[0] + parts[1]).sum(axis=-1), 0.0)
    return found


def result_of(
    real: Real,
    splits: Sequence[Split],
    played: Sequence[Played],
    entries: Sequence[Entry],
    *,
    seed: int,
    model: str = "",
) -> Result:
    """Return the table of C."""
    kinds = order_of(entries, mixes=False)
    baselines = [name for name, kind in kinds.items() if kind == "baseline"]
    frame = Frame(
        "ratings",
        f"Ratings on {real.name}",
        real.name,
        0,
        seed,
        tuple(split.arena.name for split in splits),
        COLUMNS,
        model,
        lower=COLUMNS,
        headline="",
        notes=_NOTES,
    )
    empty = framed(frame, kinds, {}, answers_in(played))
    rows = {row.name: row for row in empty.rows}
    best: dict[str, dict[str, str]] = {}
    users = 0
    for split, one in zip(splits, played, strict=True):
        group = split.arena.name
        sums = {name: _Sums(split, one.answers[name, group].scores) for name in kinds}
        users = next(iter(sums.values())).people
        for column in COLUMNS:
            measures: dict[str, Measure] = {
                name: getattr(each, column.lower()) for name, each in sums.items()
            }
            cells, first = cells_of(measures, users, baselines, seed)
            best.setdefault(group, {})[column] = first
            for name, cell in cells.items():
                rows[name].cells.setdefault(group, {})[column] = cell
    shown: tuple[ContestantRow, ...] = tuple(rows.values())
    return msgspec.structs.replace(empty, rows=shown, best=best, users=users)
