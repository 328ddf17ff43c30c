"""The chooser: a small network over evidence, fitted to tell picked items from others."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from audience.errors import BadInput, unknown
from audience.grounding.evidence import CASES, KINDS, Evidence, fit_evidence, in_parts
from audience.grounding.tables import EvidenceTables, Lives
from audience.recommenders import one_thread
from audience.world import Bools, Floats, Generator, Ints, keys, rng

Values = NDArray[np.float32]
CLIP = np.float32(5.0)
_LISTS = 128
_RATE, _DECAY = 3e-3, 1e-3
_POINTWISE = np.float32(0.3)
"""Weight of the binary loss per item, beside the choice within its list."""


class Net(msgspec.Struct, frozen=True, eq=False):
    """The weights of the network; inputs are centred and scaled first."""

    middle: Values
    scale: Values
    inner: Values
    inner_bias: Values
    outer: Values
    direct: Values
    bias: float

    def score(self, values: Values) -> Floats:
        """Return a score for each row of evidence, independent of the other rows."""
        scaled = standard(values, self.middle, self.scale)
        # Sums in a fixed order: a matrix product's last bits depend on the number of rows.
        hidden = np.repeat(self.inner_bias[None, :], len(scaled), axis=0)
        found = np.full(len(scaled), self.bias)
        for column in range(scaled.shape[1]):
            hidden += scaled[:, column, None] * self.inner[column]
            found += scaled[:, column] * self.direct[column]
        np.maximum(hidden, 0.0, out=hidden)
        for unit in range(hidden.shape[1]):
            found += hidden[:, unit] * self.outer[unit]
        return found


def standard(values: Values, middle: Values, scale: Values) -> Values:
    """Return evidence centred, scaled and clipped."""
    return np.asarray(np.clip((values - middle) * scale, -CLIP, CLIP), np.float32)


def fit_net(
    lists: Values, *, seed: int, hidden: int = 48, epochs: int = 6, inputs: float = 1.0
) -> Net:
    """Return the network that tells the first of each list [lists, items, names] from the rest."""
    flat = lists.reshape(-1, lists.shape[2])
    middle, spread = flat.mean(axis=0, dtype=np.float64), flat.std(axis=0, dtype=np.float64)
    scale = np.where(spread > 1e-6, 1.0 / np.maximum(spread, 1e-6), 0.0).astype(np.float32)
    scaled = standard(lists, middle.astype(np.float32), scale)
    draws = rng(seed, "grounding", "net")
    names = lists.shape[2]
    parts = [
        draws.normal(0.0, inputs / np.sqrt(names), (names, hidden)).astype(np.float32),
        np.zeros(hidden, np.float32),
        draws.normal(0.0, 0.3 / np.sqrt(hidden), hidden).astype(np.float32),
        np.zeros(names, np.float32),
        np.zeros(1, np.float32),
    ]
    descent = _Descent(parts, epochs * -(-len(lists) // _LISTS))
    with one_thread():
        for _ in range(epochs):
            order = draws.permutation(len(lists))
            for start in range(0, len(lists), _LISTS):
                descent.step(_slopes(parts, scaled[order[start : start + _LISTS]]))
    inner, inner_bias, outer, direct, bias = parts
    centre = middle.astype(np.float32)
    return Net(centre, scale, inner, inner_bias, outer, direct, float(bias[0]))


def _slopes(parts: list[Values], lists: Values) -> list[Values]:
    """Return the gradient of the loss for a batch of lists."""
    inner, inner_bias, outer, direct, bias = parts
    rows = lists.reshape(-1, lists.shape[2])
    before = rows @ inner + inner_bias
    hidden = np.maximum(before, 0.0)
    scores = (hidden @ outer + rows @ direct + bias).reshape(lists.shape[:2])
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    chances[:, 0] -= 1.0
    sure = 1.0 / (1.0 + np.exp(-scores))
    sure[:, 0] -= 1.0
    # A positive weighs as much as all negatives of its list.
    sure[:, 1:] /= lists.shape[1] - 1
    wrong = (chances + _POINTWISE * sure) / len(lists)
    back = wrong.reshape(-1)
    through = back[:, None] * outer * (before > 0.0)
    return [rows.T @ through, through.sum(axis=0), hidden.T @ back, rows.T @ back, back.sum()[None]]


class _Descent:
    """Adam with step sizes that decay to zero."""

    def __init__(self, parts: list[Values], steps: int) -> None:
        self.parts = parts
        self.steps = steps
        self.done = 0
        self.means = [np.zeros_like(part) for part in parts]
        self.squares = [np.zeros_like(part) for part in parts]

    def step(self, slopes: list[Values]) -> None:
        """Take a gradient step."""
        rate = np.float32(_RATE * (1.0 - self.done / self.steps))
        self.done += 1
        first, second = 1.0 - 0.9**self.done, 1.0 - 0.999**self.done
        for part, slope, mean, square in zip(
            self.parts, slopes, self.means, self.squares, strict=True
        ):
            whole = slope + np.float32(_DECAY) * part
            mean += np.float32(0.1) * (whole - mean)
            square += np.float32(0.001) * (whole * whole - square)
            part -= (
                rate
                * (mean / np.float32(first))
                / (np.sqrt(square / np.float32(second)) + np.float32(1e-8))
            )


HELD = ("last", "spread")
"""What is held back of a history: its last items, or items drawn from all of it."""
LAST, SPREAD = 6, 0.5
"""Items held back of every history, and the share held back of some."""
SOME = 0.2
"""The share of histories of which something is held back, if it is spread."""
NEGATIVES = ("uniform", "matched", "recommended")
OTHERS = 6
"""Negative items for each positive one."""
_WINDOW, _BEST = 100, 60
_LEAST = 3
_TRIES = 20
_ROWS = 512


class Practice(msgspec.Struct, frozen=True, eq=False):
    """The histories to fit evidence on, and cases about what was held back."""

    before: Lives
    histories: list[tuple[int, ...]]
    taken: Ints
    users: Ints


def practice_of(lives: Lives, held: str, *, seed: int, most: int) -> Practice:
    """Return at most `most` cases; nothing that was held back is in `before`."""
    if held not in HELD:
        raise unknown("held", held, HELD)
    order = np.argsort(lives.users, kind="stable")
    users, items = lives.users[order], lives.items[order]
    sizes = np.bincount(users, minlength=lives.people)
    starts = np.cumsum(sizes) - sizes
    back = (_last if held == "last" else _spread)(users, sizes, starts, seed)
    rows = np.flatnonzero(back)
    if len(rows) > most:
        drawn = keys(seed, "grounding", "practice", users[rows], items[rows])
        rows = np.sort(rows[np.argsort(drawn, kind="stable")[:most]])
    kept = np.ones(len(order), np.bool_)
    kept[order[back]] = False
    histories = []
    for row in rows.tolist():
        begin = int(starts[users[row]])
        if held == "last":
            histories.append(tuple(items[begin:row].tolist()))
        else:
            end = begin + int(sizes[users[row]])
            histories.append(tuple(items[begin:end][~back[begin:end]].tolist()))
    columns = (lives.users, lives.items, lives.at, lives.stars)
    before = replace(
        lives,
        **dict(
            zip(
                ("users", "items", "at", "stars"), (column[kept] for column in columns), strict=True
            )
        ),
    )
    return Practice(before, histories, items[rows], users[rows])


def _last(users: Ints, sizes: Ints, starts: Ints, seed: int) -> Bools:
    del seed
    count = np.minimum(LAST, (sizes - _LEAST) // 2)
    place = np.arange(len(users)) - starts[users]
    back: Bools = place >= (sizes - np.maximum(count, 0))[users]
    return back


def _spread(users: Ints, sizes: Ints, starts: Ints, seed: int) -> Bools:
    place = np.arange(len(users)) - starts[users]
    chosen = keys(seed, "grounding", "spread", np.arange(len(sizes))) < np.uint64(SOME * 2**64)
    drawn = keys(seed, "grounding", "kept", users, place) < np.uint64(SPREAD * 2**64)
    back: Bools = (chosen & (sizes > 2 * _LEAST))[users] & drawn
    return back


class Others:
    """Draws items that the person of a case never met in the training part."""

    def __init__(self, lives: Lives, tables: EvidenceTables, practice: Practice) -> None:
        counts = np.bincount(lives.items, minlength=len(lives.catalogue))
        self.pool = np.flatnonzero(counts)
        self.order = self.pool[np.argsort(-counts[self.pool], kind="stable")]
        self.place = np.zeros(len(counts), np.int64)
        self.place[self.order] = np.arange(len(self.order))
        self.tables = tables
        self.practice = practice
        self._lived = np.unique(lives.users * len(counts) + lives.items)

    def draw(self, kind: str, seed: int) -> tuple[Ints, Bools]:
        """Return [cases, OTHERS] items, and for which cases they are of this kind.

        An item that was taken up but would not have been recommended is no case among those that
        were: there everything has been chosen to look right.
        """
        draws = rng(seed, "grounding", "others", kind)
        taken, users = self.practice.taken, self.practice.users
        fit = np.ones(len(taken), np.bool_)
        shown = np.zeros((len(taken), 0), np.int64)
        if kind == "recommended":
            # The shortest history of each person: nothing that was kept back is in it.
            _, first, case = np.unique(users, return_index=True, return_inverse=True)
            histories = [self.practice.histories[row] for row in first.tolist()]
            shown = recommended(self.tables, histories)[case]
            fit = (shown == taken[:, None]).any(axis=1)
        made = np.zeros((len(taken), OTHERS), np.int64)
        missing = np.ones(made.shape, np.bool_)
        for tries in range(_TRIES):
            rows, columns = np.nonzero(missing)
            drawn = self._some(draws, kind if 2 * tries < _TRIES else "uniform", rows, shown)
            made[rows, columns] = drawn
            missing[rows, columns] = _within(self._lived, users[rows] * len(self.place) + drawn)
        return made, fit & ~missing.any(axis=1)

    def _some(self, draws: Generator, kind: str, rows: Ints, shown: Ints) -> Ints:
        if kind == "recommended":
            return shown[rows, draws.integers(shown.shape[1], size=len(rows))]
        if kind == "uniform":
            return self.pool[draws.integers(len(self.pool), size=len(rows))]
        near = self.place[self.practice.taken[rows]]
        # One window for all of a case, so that what was taken stands at any place in it.
        shift = keys(1, "window", self.practice.users[rows], self.practice.taken[rows])
        start = near - (shift % np.uint64(_WINDOW)).astype(np.int64)
        drawn = start + draws.integers(_WINDOW, size=len(rows))
        items: Ints = self.order[np.clip(drawn, 0, len(self.order) - 1)]
        return items


def recommended(tables: EvidenceTables, histories: Sequence[tuple[int, ...]]) -> Ints:
    """Return [cases, many] items that fit each history best, as a recommender would show."""
    from scipy.sparse import csr_array

    known = np.flatnonzero(tables.places[:-1] < len(tables.share) - 1)
    best = min(_BEST, len(known))
    best_items = np.empty((len(histories), best), np.int64)
    for start in range(0, len(histories), _ROWS):
        part = histories[start : start + _ROWS]
        sizes = [len(one) for one in part]
        items = np.fromiter((item for one in part for item in one), np.int64, sum(sizes))
        places, owners = tables.places[items], np.repeat(np.arange(len(part)), sizes)
        cells = (np.ones(len(places), np.float32), (owners, places))
        scores = csr_array(cells, (len(part), len(tables.share))) @ tables.linear
        scores[owners, places] = -np.inf
        top = np.argpartition(-scores[:, :-1], best - 1, axis=1)[:, :best]
        best_items[start : start + _ROWS] = known[np.sort(top, axis=1)]
    return best_items


def _within(pairs: Ints, asked: Ints) -> Bools:
    where = np.minimum(np.searchsorted(pairs, asked), max(len(pairs) - 1, 0))
    hits: Bools = pairs[where] == asked
    return hits


PRACTICE = 30_000
"""Maximum number of cases, each against every kind of negatives."""
HIDDEN, EPOCHS = 64, 6
FOLDS = 2
"""Folds of people, so that everybody is scored by weights learnt from others alone."""
LEAST = 50
"""Minimum number of cases."""
_STEPS = 1e6


class TooFew(BadInput):
    """There is too little data to fit a chooser."""


class Chooser:
    """Networks over evidence, fitted to parts of training histories that were held back."""

    def __init__(self, names: tuple[str, ...], nets: Sequence[Net], seed: int) -> None:
        """Each net was fitted without the people of the fold of its place."""
        self.names = names
        self.nets = tuple(nets)
        self.seed = seed

    def score(self, evidence: Floats, owners: Ints | None = None) -> Floats:
        """Return the log-odds that the person takes each item rather than one it does not.

        At odds of one to one; where m are not taken for each that is, subtract log m. With the
        `owners` of the rows, weights come from other people; else all weights are averaged. Rounded
        to a millionth.
        """
        values = evidence.astype(np.float32)
        scores = np.zeros(len(values))
        if owners is None:
            for net in self.nets:
                scores += net.score(values) / len(self.nets)
        else:
            folds = folds_of(owners, self.seed)
            for fold, net in enumerate(self.nets):
                mine = folds == fold
                scores[mine] = net.score(values[mine])
        found: Floats = np.rint(scores * _STEPS) / _STEPS
        return found


def folds_of(people: Ints, seed: int) -> Ints:
    """Return everybody's fold."""
    return (keys(seed, "grounding", "fold", people) % np.uint64(FOLDS)).astype(np.int64)


def fit_chooser(
    lives: Lives,
    *,
    seed: int = 1,
    held: str = "last",
    cases: int = PRACTICE,
    hidden: int = HIDDEN,
    epochs: int = EPOCHS,
    kinds: tuple[str, ...] = NEGATIVES,
    families: Sequence[str] = KINDS,
) -> tuple[Chooser, Evidence]:
    """Return a chooser for evidence such as `fit_evidence` gives, and the evidence it learnt on.

    Parts of lives are kept back: `held` is `last`, the last items of everybody, or `spread`, items
    from all over the lives of some. Evidence is fitted without them and weighed by how well it
    tells them from items the same people never lived: any, those as popular, those recommended.
    """
    practice = practice_of(lives, held, seed=seed, most=cases)
    if len(practice.taken) < LEAST:
        raise TooFew(
            f"only {len(practice.taken)} items can be kept back to learn choosing from; give "
            f"histories with at least {LEAST}, or a mind that needs none"
        )
    evidence = fit_evidence(practice.before, seed=seed, families=families)
    others = Others(lives, evidence.tables, practice)
    drawn = [others.draw(kind, seed) for kind in kinds]
    shown = np.concatenate([practice.taken[:, None], *(items for items, _ in drawn)], axis=1)
    values = _values(evidence, practice.histories, shown.tolist())
    lists, folds = [], []
    for place, (_, fit) in enumerate(drawn):
        columns = [0, *range(1 + place * OTHERS, 1 + (place + 1) * OTHERS)]
        lists.append(values[fit][:, columns])
        folds.append(folds_of(practice.users[fit], seed))
    whole, fold = np.concatenate(lists), np.concatenate(folds)

    def net(left_out: int) -> Net:
        return fit_net(whole[fold != left_out], seed=seed, hidden=hidden, epochs=epochs)

    # Kept back around both: each would otherwise give the other's threads free when it ends.
    with one_thread(), ThreadPoolExecutor(FOLDS) as threads:
        nets = list(threads.map(net, range(FOLDS)))
    return Chooser(evidence.names, nets, seed), evidence


def _values(evidence: Evidence, histories: list[tuple[int, ...]], shown: list[list[int]]) -> Values:
    def part(start: int) -> Values:
        return evidence.block(histories[start : start + CASES], shown[start : start + CASES])

    return np.concatenate(in_parts(part, len(histories)))
