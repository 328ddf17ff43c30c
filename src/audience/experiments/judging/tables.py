"""From answers and their key to the tables of the paper, people and models always apart."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from audience.experiments.evaluation.cases import UNIFORM
from audience.experiments.evaluation.discrimination import SHAPES
from audience.experiments.judging.agreement import Agreement, agreement
from audience.experiments.judging.answers import (
    PEOPLE,
    Answered,
    Given,
    choices_in,
    twice,
)
from audience.experiments.judging.kinds import (
    VARIANTS,
    VERDICTS,
    WRITTEN,
    Chosen,
    Key,
    Paired,
    Scored,
    Written,
)
from audience.experiments.judging.pairing import PERSON, TRUTH
from audience.results import SHARE, Bounds, Interval, t_interval, wilson

ALL = "people"
QUESTIONS = ("informative", "relevant")


class Choices(msgspec.Struct, frozen=True):
    """One cell of table 3: the mean share of the truth among what was chosen."""

    who: str
    negatives: str
    a: int
    b: int
    hit: Interval
    cases: int
    judges: int


class Verdicts(msgspec.Struct, frozen=True):
    """One row of tables 1, 4 and 5: how often A was much better, better, equal, worse, much."""

    who: str
    table: str
    a: str
    b: str
    shares: tuple[float, ...]
    better: Interval
    """How often A was better, with half of the times when they were equal."""
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


class Tables(msgspec.Struct, frozen=True):
    """All that answers say."""

    choices: tuple[Choices, ...]
    verdicts: tuple[Verdicts, ...]
    scores: tuple[Scores, ...]
    agreed: tuple[Agreed, ...]
    texts: dict[str, int]
    """Texts written, by kind."""


def tables_of(key: Key, answered: Sequence[Answered]) -> Tables:
    """Return every table that the answers give; a row for all people, and one for each model."""
    groups = _groups(answered)
    people = groups.get(ALL, [])
    return Tables(
        tuple(row for who, some in groups.items() for row in _choices(who, key, some)),
        tuple(row for who, some in groups.items() for row in _verdicts(who, key, some)),
        tuple(row for who, some in groups.items() for row in _scores(who, key, some)),
        tuple(_agreed(key, people)),
        _texts(key, people),
    )


def _groups(answered: Sequence[Answered]) -> dict[str, list[Answered]]:
    people = [one for one in answered if one.by == PEOPLE]
    found = {ALL: people} if people else {}
    return found | {one.name: [one] for one in answered if one.by != PEOPLE}


def share_of(values: Sequence[float], bounds: Bounds = SHARE) -> Interval:
    """Return a mean with its interval, kept within the scale.

    Cases that are all alike have no spread, which says nothing of how sure one may be: a share
    then gets Wilson's, which is wide enough for any share, and everything else no bounds.
    """
    mean = t_interval(np.array(values, np.float64), bounds)
    if mean.low != mean.high:
        return mean
    bounded = wilson(mean.mean, mean.count) if bounds == SHARE else (math.nan, math.nan)
    return Interval(mean.mean, *bounded, mean.count)


def hit(seal: Chosen, given: Given) -> float:
    """Return the share of the truth among what was chosen; the mean of both where asked twice."""
    shares = [sum(seal.truth[place] for place in one) / seal.a for one in choices_in(given)]
    return sum(shares) / len(shares)


def _choices(who: str, key: Key, answered: Sequence[Answered]) -> Iterator[Choices]:
    cells: dict[tuple[str, int, int], dict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    judges: dict[tuple[str, int, int], set[str]] = defaultdict(set)
    for one, id_, given in _each(answered):
        seal = key.tasks[id_]
        if isinstance(seal, Chosen):
            cell = (seal.negatives, seal.a, seal.b)
            cells[cell][id_].append(hit(seal, given))
            judges[cell].add(one.judge)
    for cell in sorted(cells, key=_shape_place):
        cases = cells[cell]
        means = [sum(values) / len(values) for values in cases.values()]
        yield Choices(who, *cell, share_of(means), len(cases), len(judges[cell]))


def _shape_place(cell: tuple[str, int, int]) -> tuple[bool, int, int, int]:
    """Return where a column stands: as in the paper, matched negatives after the uniform ones."""
    negatives, a, b = cell
    known = SHAPES.index((a, b)) if (a, b) in SHAPES else len(SHAPES)
    return (negatives != UNIFORM, known, a, b)


def _each(answered: Sequence[Answered]) -> Iterator[tuple[Answered, str, Given]]:
    for one in answered:
        for id_, given in one.answers.items():
            yield one, id_, given


def sides(seal: Paired) -> tuple[str, str]:
    """Return A and B as a table names them: what real people did or wrote stands last."""
    first, second = sorted(
        (seal.first, seal.second), key=lambda name: (name in (TRUTH, PERSON), name)
    )
    return first, second


def towards(seal: Paired, verdict: float) -> float:
    """Return a verdict as if A had been shown first."""
    return verdict if seal.first == sides(seal)[0] else len(VERDICTS) + 1 - verdict


def _verdicts(who: str, key: Key, answered: Sequence[Answered]) -> Iterator[Verdicts]:
    rows: dict[tuple[str, str, str], dict[str, list[float]]] = defaultdict(
        lambda: defaultdict(list)
    )
    judges: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for one, id_, given in _each(answered):
        seal = key.tasks[id_]
        if isinstance(seal, Paired):
            row = (seal.table, *sides(seal))
            rows[row][_whose(seal)] += [towards(seal, verdict) for verdict in twice(given)]
            judges[row].add(one.judge)
    for row in sorted(rows, key=_place):
        cases = [np.array(values) for values in rows[row].values()]
        shares = [float(np.mean([(one == point).mean() for one in cases])) for point in VERDICTS]
        better = [float(((one < 3) + 0.5 * (one == 3)).mean()) for one in cases]
        many = sum(len(one) for one in cases)
        counts = (len(cases), len(judges[row]), many)
        yield Verdicts(who, *row, tuple(shares), share_of(better), *counts)


def _whose(seal: Paired) -> str:
    """Return the case of a pair: texts by several people about the same are one case."""
    return seal.case.removesuffix(f"/{seal.author}") if seal.author else seal.case


def _place(row: tuple[str, str, str]) -> tuple[bool, int, str, str, str]:
    steps = row[0].partition("=")[2]
    return (row[0] not in WRITTEN, int(steps) if steps.isdecimal() else 0, *row)


def _scores(who: str, key: Key, answered: Sequence[Answered]) -> Iterator[Scores]:
    found: dict[str, dict[str, dict[str, list[float]]]] = {name: {} for name in QUESTIONS}
    judges: dict[str, set[str]] = defaultdict(set)
    for one, id_, given in _each(answered):
        seal = key.tasks[id_]
        if isinstance(seal, Scored):
            for name in QUESTIONS:
                cases = found[name].setdefault(seal.variant, {})
                cases.setdefault(seal.case, []).append(float(getattr(given, name)))
            judges[seal.variant].add(one.judge)
    means = {name: _means(variants) for name, variants in found.items()}
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
    found: dict[tuple[str, bool], dict[str, dict[str, float]]] = {}
    for one, id_, given in _each(people):
        for what, ordered, thing, value in _judgements(key, id_, given):
            things = found.setdefault((what, ordered), {})
            things.setdefault(thing, {})[one.judge] = value
    for (what, ordered), things in sorted(found.items(), key=lambda one: _kind_place(one[0][0])):
        yield Agreed(what, agreement(list(things.values()), ordered=ordered))


def _kind_place(what: str) -> tuple[int, int, str]:
    """Return where a kind of judgement stands: choices, texts, sequences by length, scores."""
    steps = what.partition("=")[2]
    kinds = ("choices", *WRITTEN)
    if what in kinds:
        return kinds.index(what), 0, what
    return (len(kinds), int(steps), what) if steps.isdecimal() else (len(kinds) + 1, 0, what)


def _judgements(key: Key, id_: str, given: Given) -> Iterator[tuple[str, bool, str, float]]:
    """Yield what one answer judges: the kind, whether it is a degree, the thing, the judgement."""
    seal = key.tasks[id_]
    match seal:
        case Chosen():
            for place in range(len(seal.candidates)):
                chosen = place in (given.chosen or ())
                yield "choices", False, f"{id_}/{place}", float(chosen)
        case Paired():
            yield seal.table, True, id_, towards(seal, float(given.verdict or math.nan))
        case Scored():
            for name in QUESTIONS:
                yield name, True, id_, float(getattr(given, name))


def _texts(key: Key, people: Sequence[Answered]) -> dict[str, int]:
    kinds = {task.id: getattr(task, "what", "") for task in key.sheet.tasks}
    found: dict[str, int] = {}
    for _, id_, _ in _each(people):
        if isinstance(key.tasks[id_], Written):
            found[kinds[id_]] = found.get(kinds[id_], 0) + 1
    return found
