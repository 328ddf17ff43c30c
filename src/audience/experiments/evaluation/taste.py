"""B: saying yes to what a person took up and no to the rest, one to m (Agent4Rec)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from audience.experiments.evaluation.baselines import Ground
from audience.experiments.evaluation.cases import (
    UNIFORM,
    Arena,
    Case,
    Dealer,
    Task,
    drawn_users,
    lives_of,
)
from audience.experiments.evaluation.contest import CONTENT_MIX, MIX, Entry, Played
from audience.experiments.evaluation.deciding import decided
from audience.experiments.evaluation.framing import Frame, answers_in, framed, order_of
from audience.experiments.evaluation.measuring import aucs, hits
from audience.experiments.evaluation.results import Result
from audience.experiments.evaluation.splits import TEST, TRAIN, VALID, Parted
from audience.grounding.lives import Lives
from audience.recommenders import ALS, Context
from audience.world.rng import Floats, Ints, dice, rng

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


def arena_of(parted: Parted, *, agents: int | None = None, seed: int = 1) -> Arena:
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
    return Arena("taste", lives, sides[0], lives, sides[1], seed)


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


def result_of(
    parted: Parted, played: Played, entries: Sequence[Entry], *, model: str = ""
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
    frame = Frame(
        "taste",
        f"Taste alignment on {parted.real.name}",
        parted.real.name,
        len(arena.tasks[0].cases),
        arena.seed,
        tuple(task.name for task in arena.tasks),
        COLUMNS,
        model,
        headline="AUC",
        notes=_NOTES,
    )
    return framed(frame, kinds, values, answers_in([played]))


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
