"""Evaluation B: would a person consume it, yes or no, at several ratios (Agent4Rec's table)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from audience.grounding import Lives
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import (
    UNIFORM,
    Case,
    Dealer,
    Task,
    TaskSet,
    drawn_users,
    lives_of,
)
from audience.lab.evaluation.contest import ContestAnswers, Entrant
from audience.lab.evaluation.mixes import BOOSTED, CONTENT_MIX, FOLDS, MIX, Flat, folds_of
from audience.lab.evaluation.result import (
    Result,
    answers_in,
    aucs,
    hits,
    order_of,
    remarks_in,
    with_rows,
)
from audience.lab.evaluation.source import TEST, TRAIN, VALID, SplitInteractions
from audience.recommenders import ALS, Context, one_thread
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
    """Return 1 for yes and 0 for no; NaN stays where there was no answer.

    The chance that a candidate was consumed is logistic in its score, in how it stands out from
    its list and in its rank there, learnt from the practice of people in other folds. Of each
    list the best are taken, as many as maximise the expected sum of accuracy and F1.
    """
    now, earlier = _columns(name, cases, scores), _columns(name, practice, before)
    folds, practice_folds = folds_of(cases, seed), folds_of(practice, seed)
    chances = np.zeros(len(now.truth))
    for fold in range(FOLDS):
        others = (practice_folds != fold)[earlier.owner] & ~np.isnan(earlier.values).any(axis=1)
        if not others.any():
            continue
        mine = (folds == fold)[now.owner]
        chances[mine] = _Chance(earlier, others).of(now.values[mine])
    answers = [np.full(len(own), np.nan) for own in scores]
    there = np.array([not np.isnan(own).any() for own in scores])
    sizes = np.array([len(own) for own in scores], np.int64)
    parts = now.split(chances)
    for size in np.unique(sizes[there]).tolist():
        rows = np.flatnonzero(there & (sizes == size)).tolist()
        chosen = yes(
            np.stack([scores[row] for row in rows]), np.stack([parts[row] for row in rows])
        )
        for row, each in zip(rows, chosen, strict=True):
            answers[row] = each
    return answers


def yes(scores: Floats, chances: Floats) -> Floats:
    """Return [lists, items]: 1 for the best of each list, as many as promise most.

    Equal scores get equal answers.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked, likely = (np.take_along_axis(values, order, axis=1) for values in (scores, chances))
    worth = expected_worth(likely)
    worth[:, 1:-1][ranked[:, 1:] == ranked[:, :-1]] = -1.0
    counts = worth.argmax(axis=1)
    answers = np.zeros(scores.shape)
    taken = (np.arange(scores.shape[1])[None, :] < counts[:, None]).astype(np.float64)
    np.put_along_axis(answers, order, taken, axis=1)
    return answers


def expected_worth(chances: Floats) -> Floats:
    """Return [lists, items + 1]: expected accuracy + F1 of a yes to the first 0, 1, 2 and so on.

    Items are consumed independently, each with its own chance.
    """
    lists, size = chances.shape
    before, after = sums_of(chances), sums_of(chances[:, ::-1])[::-1]
    worth = np.zeros((lists, size + 1))
    number = np.arange(size + 1)
    for count in range(size + 1):
        right, missed = number[:, None], number[None, :]
        f1 = 2.0 * right / np.maximum(count + right + missed, 1)
        # No BLAS: the result for one list must not depend on how many others there are.
        inner = np.einsum("la,ab->lb", before[count], f1)
        worth[:, count] = (inner * after[count]).sum(axis=1)
        likely = chances[:, :count].sum(axis=1) + (1.0 - chances[:, count:]).sum(axis=1)
        worth[:, count] += likely / max(size, 1)
    return worth


def sums_of(chances: Floats) -> Floats:
    """Return [items + 1, lists, items + 1]: the chance of so many among the first few."""
    lists, size = chances.shape
    chance_of = np.zeros((size + 1, lists, size + 1))
    chance_of[0, :, 0] = 1.0
    for place in range(size):
        chance = chances[:, place, None]
        chance_of[place + 1] = chance_of[place] * (1.0 - chance)
        chance_of[place + 1, :, 1:] += chance_of[place, :, :-1] * chance
    return chance_of


def _columns(name: str, cases: Sequence[Case], scores: Sequence[Floats]) -> Flat:
    """Return scores, how far they are from the list's mean and best, and their ranks in it."""
    flat = Flat(cases, {name: scores})
    sums = np.stack([np.add.reduceat(column, flat.starts) for column in flat.values.T], axis=1)
    best = np.stack([np.maximum.reduceat(column, flat.starts) for column in flat.values.T], axis=1)
    sizes = np.bincount(flat.owner)[:, None]
    apart = [flat.values - (sums / sizes)[flat.owner], flat.values - best[flat.owner]]
    places = np.concatenate([_places(own) for own in scores])
    flat.values = np.concatenate([flat.values, *apart, np.log(places)[:, None]], axis=1)
    return flat


def _places(scores: Floats) -> Floats:
    """Return 1 for the highest, and so on; equal scores share their mean rank."""
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
        with one_thread():
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
    "Each user is asked about items of their test part and m times as many that they never "
    "consumed. Scores become yes and no by chances learnt from other users' validation parts: of "
    "each list as many as maximise expected accuracy and F1. At 1:9 'always no' has an accuracy of "
    ".90: F1 and AUC say more. "
    f"{KNOWN}: where as many are chosen as were consumed, which no model that says yes and no "
    "knows. "
    f"{BY_RECOMMENDER}: the {SHOWN} items that matrix factorisation ranks first, by whether the "
    "user consumed them later.",
)


def ratio_name(m: int) -> str:
    """Return a ratio as it heads a table."""
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

    Items of the other held-out part are left out: saying no to them would be counted as right.
    """
    ranker = ALS().fit(Ground(lives, seed).interactions, rng(seed, "fit", 0))
    zeros = np.zeros(len(users), np.int64)
    pages = {}
    for part, other in ((TEST, VALID), (VALID, TEST)):
        barred = [
            tuple(np.concatenate([held[TRAIN][user], held[other][user]]).tolist())
            for user in users.tolist()
        ]
        context = Context(zeros, zeros, barred, dice(seed, "eval", "shown", users))
        pages[part] = np.asarray(ranker.rank(users, SHOWN, context))
    return pages


def _shown(histories: Mapping[int, tuple[int, ...]], held: Sequence[Ints], pages: Ints) -> Task:
    cases = []
    for (user, history), page in zip(histories.items(), pages, strict=True):
        items = page[page >= 0]
        truth = np.isin(items, held[user])
        # In the order of their ids, since the order of a ranking would give it away.
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
    """Return table B."""
    arena, kinds = played.arena, order_of(entries, [played])
    graded = {entry.name for entry in entries if entry.practises} | {MIX, CONTENT_MIX, BOOSTED}
    values: dict[str, dict[str, dict[str, Floats]]] = {}
    for task, practice in zip(arena.tasks, arena.practice, strict=True):
        columns: dict[str, dict[str, Floats]] = {}
        for name in kinds:
            if (name, task.name) not in played.answers:
                continue
            scores = played.answers[name, task.name].scores
            if task.name == BY_RECOMMENDER:
                own = {"AUC": aucs(task.cases, scores)}
            else:
                if name in graded:
                    before = played.practice[name, task.name].scores
                    answers = decided(name, task.cases, scores, practice.cases, before, arena.seed)
                else:
                    answers = [np.where(np.isnan(own), np.nan, own > 0.5) for own in scores]
                own = measured(task.cases, scores, answers)
                if name in graded:
                    own[KNOWN] = hits(task.cases, scores)
            for column, each in own.items():
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
        notes=(*_NOTES, *remarks_in([played])),
    )
    return with_rows(result, kinds, values, answers_in([played]))


def measured(
    cases: Sequence[Case], scores: Sequence[Floats], answers: Sequence[Floats]
) -> dict[str, Floats]:
    """Return accuracy, precision, recall, F1 and AUC of each user; unreadable is all wrong."""
    rows = [_measures(case, yes) for case, yes in zip(cases, answers, strict=True)]
    table = np.array(rows, np.float64).reshape(-1, 4).T
    named = dict(zip(COLUMNS[:4], table, strict=True))
    return {**named, "AUC": aucs(cases, scores)}


def _measures(case: Case, answers: Floats) -> tuple[float, float, float, float]:
    if np.isnan(answers).any():
        return 0.0, 0.0, 0.0, 0.0
    truth, yes = np.array(case.truth), answers > 0.5
    hit = float((truth & yes).sum())
    precision = hit / max(float(yes.sum()), 1.0)
    recall = hit / max(float(truth.sum()), 1.0)
    both = precision + recall
    f1 = 2.0 * precision * recall / both if both else 0.0
    return float((truth == yes).mean()), precision, recall, f1
