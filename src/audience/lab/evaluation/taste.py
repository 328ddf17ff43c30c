"""From scores to yes and no: as many as promise most, by chances learnt from others' practice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from audience.grounding import Lives
from audience.lab.evaluation.baselines import FOLDS, Flat, Ground, folds_of
from audience.lab.evaluation.cases import (
    UNIFORM,
    Case,
    Dealer,
    Task,
    TaskSet,
    drawn_users,
    lives_of,
)
from audience.lab.evaluation.contest import CONTENT_MIX, MIX, ContestAnswers, Entrant
from audience.lab.evaluation.result import Result, answers_in, aucs, hits, order_of, with_rows
from audience.lab.evaluation.source import TEST, TRAIN, VALID, SplitInteractions
from audience.recommenders import ALS, Context
from audience.world import Bools, Floats, Ints, dice, rng

_PENALTY = 1e-3


def decided(
    name: str,
    cases: Sequence[Case],
    scores: Sequence[Floats],
    practice: Sequence[Case],
    before: Sequence[Floats],
    seed: int,
) -> list[Floats]:
    """Return 1 for what is said yes to, else 0; NaN stays where nothing could be said.

    The chance that a candidate was taken up is logistic in its score, in how it stands out from
    its list and in its place there, by the practice of people in other folds. Of each list the
    best are taken, as many as accuracy and F1 together may be expected to be highest with.
    """
    now, earlier = _columns(name, cases, scores), _columns(name, practice, before)
    asked, told = folds_of(cases, seed), folds_of(practice, seed)
    chances = np.zeros(len(now.truth))
    for fold in range(FOLDS):
        others = (told != fold)[earlier.owner] & ~np.isnan(earlier.values).any(axis=1)
        if not others.any():
            continue
        mine = (asked == fold)[now.owner]
        chances[mine] = _Chance(earlier, others).of(now.values[mine])
    found = [np.full(len(one), np.nan) for one in scores]
    there = np.array([not np.isnan(one).any() for one in scores])
    sizes = np.array([len(one) for one in scores], np.int64)
    parts = now.split(chances)
    for size in np.unique(sizes[there]).tolist():
        rows = np.flatnonzero(there & (sizes == size)).tolist()
        said = yes(np.stack([scores[row] for row in rows]), np.stack([parts[row] for row in rows]))
        for row, each in zip(rows, said, strict=True):
            found[row] = each
    return found


def yes(scores: Floats, chances: Floats) -> Floats:
    """Return [lists, items]: 1 for the best of each list, as many as promise most.

    Equal scores are told alike.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked, likely = (np.take_along_axis(one, order, axis=1) for one in (scores, chances))
    worth = expected_worth(likely)
    worth[:, 1:-1][ranked[:, 1:] == ranked[:, :-1]] = -1.0
    counts = worth.argmax(axis=1)
    said = np.zeros(scores.shape)
    taken = (np.arange(scores.shape[1])[None, :] < counts[:, None]).astype(np.float64)
    np.put_along_axis(said, order, taken, axis=1)
    return said


def expected_worth(chances: Floats) -> Floats:
    """Return [lists, items + 1]: accuracy + F1 to expect of a yes to the first 0, 1, 2 and so on.

    Each item is taken up by its own chance, whatever the others are.
    """
    lists, size = chances.shape
    before, after = sums_of(chances), sums_of(chances[:, ::-1])[::-1]
    worth = np.zeros((lists, size + 1))
    number = np.arange(size + 1)
    for count in range(size + 1):
        right, missed = number[:, None], number[None, :]
        f1 = 2.0 * right / np.maximum(count + right + missed, 1)
        # No BLAS: what is said of one list must not depend on how many others there are.
        inner = np.einsum("la,ab->lb", before[count], f1)
        worth[:, count] = (inner * after[count]).sum(axis=1)
        likely = chances[:, :count].sum(axis=1) + (1.0 - chances[:, count:]).sum(axis=1)
        worth[:, count] += likely / max(size, 1)
    return worth


def sums_of(chances: Floats) -> Floats:
    """Return [items + 1, lists, items + 1]: how likely so many of the first few are taken up."""
    lists, size = chances.shape
    found = np.zeros((size + 1, lists, size + 1))
    found[0, :, 0] = 1.0
    for place in range(size):
        chance = chances[:, place, None]
        found[place + 1] = found[place] * (1.0 - chance)
        found[place + 1, :, 1:] += found[place, :, :-1] * chance
    return found


def _columns(name: str, cases: Sequence[Case], scores: Sequence[Floats]) -> Flat:
    """Return scores, how far they are from the list's mean and best, and their places in it."""
    flat = Flat(cases, {name: scores})
    sums = np.stack([np.add.reduceat(column, flat.starts) for column in flat.values.T], axis=1)
    best = np.stack([np.maximum.reduceat(column, flat.starts) for column in flat.values.T], axis=1)
    sizes = np.bincount(flat.owner)[:, None]
    apart = [flat.values - (sums / sizes)[flat.owner], flat.values - best[flat.owner]]
    places = np.concatenate([_places(one) for one in scores])
    flat.values = np.concatenate([flat.values, *apart, np.log(places)[:, None]], axis=1)
    return flat


def _places(scores: Floats) -> Floats:
    """Return 1 for the highest, and so on; equal scores share the middle of their places."""
    above = (scores[None, :] > scores[:, None]).sum(axis=1)
    level = (scores[None, :] == scores[:, None]).sum(axis=1)
    places: Floats = above + (np.maximum(level, 1) + 1.0) / 2.0
    return places


class _Chance:
    """A plain logistic regression."""

    def __init__(self, flat: Flat, rows: Bools) -> None:
        from scipy.optimize import minimize

        values, truth = flat.values[rows], flat.truth[rows]
        self.middle: Floats = values.mean(axis=0)
        self.spread: Floats = values.std(axis=0) + 1e-9
        scaled = np.column_stack([(values - self.middle) / self.spread, np.ones(len(values))])

        def loss(weights: Floats) -> tuple[float, Floats]:
            logits = scaled @ weights
            wrong = float((np.logaddexp(0.0, logits) - truth * logits).mean())
            slope = scaled.T @ (1.0 / (1.0 + np.exp(-logits)) - truth) / len(truth)
            inner = np.append(weights[:-1], 0.0)
            return wrong + 0.5 * _PENALTY * float(inner @ inner), slope + _PENALTY * inner

        nothing = np.zeros(scaled.shape[1])
        self.weights: Floats = minimize(loss, nothing, jac=True, method="L-BFGS-B").x

    def of(self, values: Floats) -> Floats:
        """Return the chance of each row."""
        logits = (values - self.middle) / self.spread @ self.weights[:-1] + self.weights[-1]
        chances: Floats = 1.0 / (1.0 + np.exp(-logits))
        return chances


RATIOS = (1, 2, 3, 9)
SHOWN = 20
"""Items that an agent is asked about, and that a recommender shows."""
BY_RECOMMENDER = "chosen by MF"
KNOWN = "F1, count known"
COLUMNS = ("accuracy", "precision", "recall", "F1", KNOWN, "AUC")
_NOTES = (
    "Each user is asked about items of its test part and m times as many that it never took up. "
    "Scores become yes and no by chances learnt from other users' validation parts: of each list "
    "as many as accuracy and F1 may be expected to be best with. At 1:9 'always no' has an "
    "accuracy of .90: F1 and AUC tell more. "
    f"{KNOWN}: where as many are chosen as were taken up, which no model that says yes and no is "
    "told. "
    f"{BY_RECOMMENDER}: the {SHOWN} items that matrix factorisation ranks first, told apart by "
    "whether the user took them up later.",
)


def ratio_name(m: int) -> str:
    """Return a ratio as tables head it."""
    return f"1:{m}"


def arena_of(parted: SplitInteractions, *, agents: int | None = None, seed: int = 1) -> TaskSet:
    """Return the tasks of B: test parts to score, validation parts to practise on."""
    real = parted.real
    rows = [np.flatnonzero(parted.part == part) for part in (TRAIN, VALID, TEST)]
    lives = lives_of(real, rows[TRAIN])
    known = _by_user(real.users, real.items, real.people)
    held = [_by_user(real.users[part], real.items[part], real.people) for part in rows]
    least = [min(len(held[part][user]) for part in range(3)) for user in range(parted.asked)]
    users = drawn_users(np.flatnonzero(np.array(least) > 0), agents, seed)
    histories = {user: tuple(held[TRAIN][user].tolist()) for user in users.tolist()}
    dealer = Dealer(lives, known, np.unique(real.items), seed)
    pages = shown_by(lives, users, held, seed)
    sides = []
    for which, label in ((TEST, ""), (VALID, "practice ")):
        tasks = [_task(dealer, histories, held[which], m, label) for m in RATIOS]
        sides.append((*tasks, _shown(histories, held[which], pages[which])))
    return TaskSet("taste", lives, sides[0], lives, sides[1], seed)


def _by_user(users: Ints, items: Ints, people: int) -> list[Ints]:
    order = np.argsort(users, kind="stable")
    bounds = np.searchsorted(users[order], np.arange(1, people))
    return np.split(items[order], bounds.tolist())


def _task(
    dealer: Dealer,
    histories: Mapping[int, tuple[int, ...]],
    held: Sequence[Ints],
    m: int,
    label: str,
) -> Task:
    name = ratio_name(m)
    cases = []
    for user, history in histories.items():
        draws = rng(dealer.seed, "eval", "taste", f"{label}{name}", user)
        count = min(SHOWN // (m + 1), len(held[user]))
        taken = held[user][draws.choice(len(held[user]), count, replace=False)]
        made = dealer.case(f"taste {label}{name}", UNIFORM, user, history, taken, m * count)
        cases.append(made)
    return Task(name, tuple(cases))


def shown_by(
    lives: Lives, users: Ints, held: Sequence[Sequence[Ints]], seed: int
) -> dict[int, Ints]:
    """Return what matrix factorisation shows each user, for test and for practice.

    Items of the other held-out part are left out: nobody shall be asked to say no to them.
    """
    ranker = ALS().fit(Ground(lives, seed).interactions, rng(seed, "fit", 0))
    zeros = np.zeros(len(users), np.int64)
    found = {}
    for part, other in ((TEST, VALID), (VALID, TEST)):
        barred = [
            tuple(np.concatenate([held[TRAIN][user], held[other][user]]).tolist())
            for user in users.tolist()
        ]
        context = Context(zeros, zeros, barred, dice(seed, "eval", "shown", users))
        found[part] = np.asarray(ranker.rank(users, SHOWN, context))
    return found


def _shown(histories: Mapping[int, tuple[int, ...]], held: Sequence[Ints], pages: Ints) -> Task:
    cases = []
    for (user, history), page in zip(histories.items(), pages, strict=True):
        items = page[page >= 0]
        truth = np.isin(items, held[user])
        # In the order of their ids: a ranking would be told by the order.
        order = np.argsort(items)
        case = (tuple(items[order].tolist()), tuple(truth[order].tolist()))
        cases.append(Case(user, history, *case))
    return Task(BY_RECOMMENDER, tuple(cases))


def taste_result(
    parted: SplitInteractions,
    played: ContestAnswers,
    entries: Sequence[Entrant],
    *,
    model: str = "",
) -> Result:
    """Return the table of B."""
    arena, kinds = played.arena, order_of(entries)
    graded = {one.name for one in entries if one.practises} | {MIX, CONTENT_MIX}
    values: dict[str, dict[str, dict[str, Floats]]] = {}
    for task, practice in zip(arena.tasks, arena.practice, strict=True):
        columns: dict[str, dict[str, Floats]] = {}
        for name in kinds:
            if (name, task.name) not in played.answers:
                continue
            scores = played.answers[name, task.name].scores
            if task.name == BY_RECOMMENDER:
                found = {"AUC": aucs(task.cases, scores)}
            else:
                if name in graded:
                    before = played.practice[name, task.name].scores
                    said = decided(name, task.cases, scores, practice.cases, before, arena.seed)
                else:
                    said = [np.where(np.isnan(one), np.nan, one > 0.5) for one in scores]
                found = measured(task.cases, scores, said)
                if name in graded:
                    found[KNOWN] = hits(task.cases, scores)
            for column, each in found.items():
                columns.setdefault(column, {})[name] = each
        values[task.name] = columns
    result = Result(
        "taste",
        f"Taste alignment on {parted.real.name}",
        parted.real.name,
        len(arena.tasks[0].cases),
        arena.seed,
        model,
        tuple(task.name for task in arena.tasks),
        COLUMNS,
        headline="AUC",
        notes=_NOTES,
    )
    return with_rows(result, kinds, values, answers_in([played]))


def measured(
    cases: Sequence[Case], scores: Sequence[Floats], said: Sequence[Floats]
) -> dict[str, Floats]:
    """Return accuracy, precision, recall, F1 and AUC of each user; the unreadable is all wrong."""
    rows = [_one(case, yes) for case, yes in zip(cases, said, strict=True)]
    found = np.array(rows, np.float64).reshape(-1, 4).T
    named = dict(zip(COLUMNS[:4], found, strict=True))
    return {**named, "AUC": aucs(cases, scores)}


def _one(case: Case, said: Floats) -> tuple[float, float, float, float]:
    if np.isnan(said).any():
        return 0.0, 0.0, 0.0, 0.0
    truth, yes = np.array(case.truth), said > 0.5
    hit = float((truth & yes).sum())
    precision = hit / max(float(yes.sum()), 1.0)
    recall = hit / max(float(truth.sum()), 1.0)
    both = precision + recall
    f1 = 2.0 * precision * recall / both if both else 0.0
    return float((truth == yes).mean()), precision, recall, f1
