"""The tables of judging: hits, verdicts and scores with intervals, and how far judges agree."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from audience.lab.evaluation import SHAPES, UNIFORM
from audience.lab.judging.answers import PEOPLE, Answered, JudgeAnswer, choices_in, twice
from audience.lab.judging.cases import PERSON, TRUTH
from audience.lab.judging.tasks import (
    VARIANTS,
    VERDICTS,
    WRITTEN,
    Chosen,
    Key,
    Paired,
    ScoredKey,
    WrittenKey,
)
from audience.results import (
    CORRELATION,
    SHARE,
    Bounds,
    Interval,
    bootstrap,
    percentile_interval,
    t_interval,
    wilson,
)
from audience.world import Floats

Ratings = Sequence[Mapping[str, float]]
"""For each thing judged, the rating of each judge who gave one."""


class Agreement(msgspec.Struct, frozen=True):
    """How far judges agree on what two or more of them judged."""

    alpha: float
    """Krippendorff's: 1 complete, 0 as by chance; NaN without variation or common things."""
    low: float
    high: float
    """A 95 % bootstrap interval over the things judged."""
    equal: float
    """Share of pairs of ratings of the same thing that are equal."""
    things: int
    judges: int


def agreement(ratings: Ratings, *, ordered: bool) -> Agreement:
    """Return how far judges agree; `ordered`: ratings are degrees, not mere categories."""
    judges = len({judge for thing in ratings for judge in thing})
    shared = [tuple(thing.values()) for thing in ratings if len(thing) > 1]
    if not shared:
        return Agreement(math.nan, math.nan, math.nan, math.nan, 0, judges)
    values = sorted({value for thing in shared for value in thing})
    counts = np.array([[thing.count(value) for value in values] for thing in shared], np.float64)
    alpha = _alpha(counts, ordered=ordered)
    samples = bootstrap(
        lambda things: _alpha(counts[things], ordered=ordered),
        len(counts),
        seed=0,
        names=("agreement",),
    )
    drawn = percentile_interval(alpha, samples, bounds=CORRELATION)
    return Agreement(alpha, drawn.low, drawn.high, _equal(counts), len(shared), judges)


def _equal(counts: Floats) -> float:
    sizes = counts.sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))
    return float(same.mean())


def _alpha(counts: Floats, *, ordered: bool) -> float:
    """Return 1 - observed / expected disagreement from [things, values] counts."""
    sizes = counts.sum(axis=1)
    together = counts.T @ (counts / (sizes - 1)[:, None]) - np.diag(
        (counts / (sizes - 1)[:, None]).sum(axis=0)
    )
    totals = together.sum(axis=1)
    apart = _distances(totals) if ordered else 1.0 - np.eye(len(totals))
    expected = float((np.outer(totals, totals) * apart).sum() / (totals.sum() - 1))
    observed = float((together * apart).sum())
    return 1.0 - observed / expected if expected > 0 else math.nan


def _distances(totals: Floats) -> Floats:
    """Return squared distances of degrees: by how many ratings lie between them."""
    upto = np.cumsum(totals)
    middle = upto - totals / 2
    squared: Floats = (middle[:, None] - middle[None, :]) ** 2
    return squared


ALL = "people"
QUESTIONS = ("informative", "relevant")


class ChoiceTable(msgspec.Struct, frozen=True):
    """One cell of table 3: the mean share of the truth among the chosen."""

    who: str
    negatives: str
    a: int
    b: int
    hit: Interval
    cases: int
    judges: int


class PairVerdicts(msgspec.Struct, frozen=True):
    """One row of tables 1, 4 and 5: how often A was much better, better, equal, and so on."""

    who: str
    table: str
    a: str
    b: str
    shares: tuple[float, ...]
    better: Interval
    """How often A was better, plus half of the ties."""
    cases: int
    judges: int
    verdicts: int


class Scores(msgspec.Struct, frozen=True):
    """One row of table 2."""

    who: str
    variant: str
    informative: Interval
    relevant: Interval
    informative_less: Interval
    """How much less than the full memory on the same behaviours."""
    relevant_less: Interval
    cases: int
    judges: int


class Agreed(msgspec.Struct, frozen=True):
    """How far people agree on one kind of task."""

    what: str
    agreement: Agreement


class JudgementTables(msgspec.Struct, frozen=True):
    """All tables of the answers."""

    choices: tuple[ChoiceTable, ...]
    verdicts: tuple[PairVerdicts, ...]
    scores: tuple[Scores, ...]
    agreed: tuple[Agreed, ...]
    texts: dict[str, int]
    """Texts written, by kind."""


def tables_of(key: Key, answered: Sequence[Answered]) -> JudgementTables:
    """Return every table of the answers: a row for all people, and one for each model."""
    groups = _groups(answered)
    people = groups.get(ALL, [])
    return JudgementTables(
        tuple(row for who, some in groups.items() for row in _choices(who, key, some)),
        tuple(row for who, some in groups.items() for row in _verdicts(who, key, some)),
        tuple(row for who, some in groups.items() for row in _scores(who, key, some)),
        tuple(_agreed(key, people)),
        _texts(key, people),
    )


def _groups(answered: Sequence[Answered]) -> dict[str, list[Answered]]:
    people = [judge for judge in answered if judge.by == PEOPLE]
    groups = {ALL: people} if people else {}
    return groups | {judge.name: [judge] for judge in answered if judge.by != PEOPLE}


def share_of(values: Sequence[float], bounds: Bounds = SHARE) -> Interval:
    """Return a mean with its interval, kept within the scale.

    Cases that are all equal have no variance, which does not mean certainty: a share then gets
    Wilson's interval, and everything else no bounds.
    """
    mean = t_interval(np.array(values, np.float64), bounds)
    if mean.low != mean.high:
        return mean
    bounded = wilson(mean.mean, mean.count) if bounds == SHARE else (math.nan, math.nan)
    return Interval(mean.mean, *bounded, mean.count)


def hit(seal: Chosen, answer: JudgeAnswer) -> float:
    """Return the share of the truth among the chosen; the mean of both if asked twice."""
    shares = [sum(seal.truth[place] for place in choice) / seal.a for choice in choices_in(answer)]
    return sum(shares) / len(shares)


def _choices(who: str, key: Key, answered: Sequence[Answered]) -> Iterator[ChoiceTable]:
    cells: dict[tuple[str, int, int], dict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    judges: dict[tuple[str, int, int], set[str]] = defaultdict(set)
    for judge, id_, answer in _each(answered):
        seal = key.tasks[id_]
        if isinstance(seal, Chosen):
            cell = (seal.negatives, seal.a, seal.b)
            cells[cell][id_].append(hit(seal, answer))
            judges[cell].add(judge.judge)
    for cell in sorted(cells, key=_shape_place):
        cases = cells[cell]
        means = [sum(values) / len(values) for values in cases.values()]
        yield ChoiceTable(who, *cell, share_of(means), len(cases), len(judges[cell]))


def _shape_place(cell: tuple[str, int, int]) -> tuple[bool, int, int, int]:
    """Return the order of a column: as in the paper, matched negatives after uniform ones."""
    negatives, a, b = cell
    known = SHAPES.index((a, b)) if (a, b) in SHAPES else len(SHAPES)
    return (negatives != UNIFORM, known, a, b)


def _each(answered: Sequence[Answered]) -> Iterator[tuple[Answered, str, JudgeAnswer]]:
    for judge in answered:
        for id_, answer in judge.answers.items():
            yield judge, id_, answer


def sides(seal: Paired) -> tuple[str, str]:
    """Return A and B as a table names them: what real people did or wrote comes last."""
    first, second = sorted(
        (seal.first, seal.second), key=lambda name: (name in (TRUTH, PERSON), name)
    )
    return first, second


def towards(seal: Paired, verdict: float) -> float:
    """Return a verdict as if A had been shown first."""
    return verdict if seal.first == sides(seal)[0] else len(VERDICTS) + 1 - verdict


def _verdicts(who: str, key: Key, answered: Sequence[Answered]) -> Iterator[PairVerdicts]:
    rows: dict[tuple[str, str, str], dict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    judges: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for judge, id_, answer in _each(answered):
        seal = key.tasks[id_]
        if isinstance(seal, Paired):
            row = (seal.table, *sides(seal))
            rows[row][_whose(seal)] += [towards(seal, verdict) for verdict in twice(answer)]
            judges[row].add(judge.judge)
    for row in sorted(rows, key=_place):
        cases = [np.array(values) for values in rows[row].values()]
        shares = [float(np.mean([(case == point).mean() for case in cases])) for point in VERDICTS]
        better = [float(((case < 3) + 0.5 * (case == 3)).mean()) for case in cases]
        many = sum(len(case) for case in cases)
        counts = (len(cases), len(judges[row]), many)
        yield PairVerdicts(who, *row, tuple(shares), share_of(better), *counts)


def _whose(seal: Paired) -> str:
    """Return the case of a pair: texts by several people about the same are one case."""
    return seal.case.removesuffix(f"/{seal.author}") if seal.author else seal.case


def _place(row: tuple[str, str, str]) -> tuple[bool, int, str, str, str]:
    steps = row[0].partition("=")[2]
    return (row[0] not in WRITTEN, int(steps) if steps.isdecimal() else 0, *row)


def _scores(who: str, key: Key, answered: Sequence[Answered]) -> Iterator[Scores]:
    scores: dict[str, dict[str, dict[str, list[float]]]] = {name: {} for name in QUESTIONS}
    judges: dict[str, set[str]] = defaultdict(set)
    for judge, id_, answer in _each(answered):
        seal = key.tasks[id_]
        if isinstance(seal, ScoredKey):
            for name in QUESTIONS:
                cases = scores[name].setdefault(seal.variant, {})
                cases.setdefault(seal.case, []).append(float(getattr(answer, name)))
            judges[seal.variant].add(judge.judge)
    means = {name: _means(variants) for name, variants in scores.items()}
    for variant in VARIANTS:
        if variant in means[QUESTIONS[0]]:
            first, second = (means[name] for name in QUESTIONS)
            yield Scores(
                who,
                variant,
                share_of(list(first[variant].values()), (1, 5)),
                share_of(list(second[variant].values()), (1, 5)),
                _less(first, variant),
                _less(second, variant),
                len(first[variant]),
                len(judges[variant]),
            )


def _means(variants: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, dict[str, float]]:
    return {
        variant: {case: sum(values) / len(values) for case, values in cases.items()}
        for variant, cases in variants.items()
    }


def _less(means: Mapping[str, Mapping[str, float]], variant: str) -> Interval:
    full, own = means.get(VARIANTS[0], {}), means[variant]
    return share_of([full[case] - own[case] for case in own if case in full], (-4, 4))


def _agreed(key: Key, people: Sequence[Answered]) -> Iterator[Agreed]:
    kinds: dict[tuple[str, bool], dict[str, dict[str, float]]] = {}
    for judge, id_, answer in _each(people):
        for what, ordered, thing, value in _judgements(key, id_, answer):
            things = kinds.setdefault((what, ordered), {})
            things.setdefault(thing, {})[judge.judge] = value
    for (what, ordered), things in sorted(kinds.items(), key=lambda kind: _kind_place(kind[0][0])):
        yield Agreed(what, agreement(list(things.values()), ordered=ordered))


def _kind_place(what: str) -> tuple[int, int, str]:
    """Return the order of a kind of judgement: choices, texts, sequences by length, scores."""
    steps = what.partition("=")[2]
    kinds = ("choices", *WRITTEN)
    if what in kinds:
        return kinds.index(what), 0, what
    return (len(kinds), int(steps), what) if steps.isdecimal() else (len(kinds) + 1, 0, what)


def _judgements(key: Key, id_: str, answer: JudgeAnswer) -> Iterator[tuple[str, bool, str, float]]:
    """Yield what one answer judges: the kind, whether it is ordered, the thing, the rating."""
    seal = key.tasks[id_]
    match seal:
        case Chosen():
            for place in range(len(seal.candidates)):
                chosen = place in (answer.chosen or ())
                yield "choices", False, f"{id_}/{place}", float(chosen)
        case Paired():
            yield seal.table, True, id_, towards(seal, float(answer.verdict or math.nan))
        case ScoredKey():
            for name in QUESTIONS:
                yield name, True, id_, float(getattr(answer, name))


def _texts(key: Key, people: Sequence[Answered]) -> dict[str, int]:
    kinds = {task.id: getattr(task, "what", "") for task in key.sheet.tasks}
    counts: dict[str, int] = {}
    for _, id_, _ in _each(people):
        if isinstance(key.tasks[id_], WrittenKey):
            counts[kinds[id_]] = counts.get(kinds[id_], 0) + 1
    return counts
