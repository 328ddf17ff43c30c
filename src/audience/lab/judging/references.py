"""What importing answers leaves behind: the human row, and references for the next page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from audience.lab.judging.answers import PEOPLE, Answered, Problem, choices_in
from audience.lab.judging.cases import Made, Reference, References
from audience.lab.judging.model_judge import turned
from audience.lab.judging.tables import tables_of
from audience.lab.judging.tasks import VERSION, Chosen, Key, Write, WrittenKey

PEOPLE_CHOICES = "audience-people-choices"


class JudgedChoice(msgspec.Struct, frozen=True):
    """What one judge chose in one case of the discrimination task."""

    judge: str
    by: str
    """`person` or `model`."""
    user: int
    key: str
    """The id of the user in the source."""
    a: int
    b: int
    negatives: str
    candidates: tuple[int, ...]
    chosen: tuple[int, ...]
    """Items, not places."""


class PeopleChoices(msgspec.Struct, frozen=True):
    """The file that `audience eval discrimination --people FILE` reads."""

    seed: int
    choices: tuple[JudgedChoice, ...]
    format: str = PEOPLE_CHOICES
    version: int = VERSION


def people_choices(key: Key, answered: Sequence[Answered]) -> PeopleChoices:
    """Return every choice by item; a model's second answer is an entry of its own."""
    found = []
    for one in answered:
        for id_, given in one.answers.items():
            seal = key.tasks[id_]
            if isinstance(seal, Chosen):
                for places in choices_in(given):
                    chosen = tuple(seal.candidates[place] for place in places)
                    case = (seal.user, seal.key, seal.a, seal.b, seal.negatives, seal.candidates)
                    found.append(JudgedChoice(one.judge, one.by, *case, chosen))
    return PeopleChoices(key.seed, tuple(found))


def references(key: Key, answered: Sequence[Answered]) -> References:
    """Return what people wrote, case by case, beside what the agent made of it."""
    found = []
    for task in key.sheet.tasks:
        seal = key.tasks[task.id]
        if isinstance(task, Write) and isinstance(seal, WrittenKey):
            texts = {
                one.judge: " ".join((one.answers[task.id].text or "").split())
                for one in answered
                if one.by == PEOPLE and task.id in one.answers
            }
            if texts:
                made = Made(task.what, seal.case, task.person, task.lines, seal.agent)
                found.append(Reference(made, texts))
    return References(tuple(found))


def plain_result(
    key: Key, answered: Sequence[Answered], problems: Sequence[Problem]
) -> dict[str, Any]:
    """Return everything as plain values; what is not a number becomes None."""
    judges = [
        {
            "judge": one.name,
            "by": one.by,
            "file": one.path,
            "answers": len(one.answers),
            "tasks": one.tasks,
            "unreadable": one.unreadable,
            **one.usage,
        }
        for one in answered
    ]
    tree = {
        "page": key.page,
        "seed": key.seed,
        "judges": judges,
        **msgspec.to_builtins(tables_of(key, answered)),
        "model_judges": msgspec.to_builtins(turned(key, answered)),
        "left_out": msgspec.to_builtins(problems),
    }
    return {name: _finite(value) for name, value in tree.items()}


def _finite(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def files_of(
    key: Key, answered: Sequence[Answered], problems: Sequence[Problem]
) -> dict[str, bytes]:
    """Return the files to keep: the result, and what other commands go on from."""
    files: dict[str, object] = {"result.json": plain_result(key, answered, problems)}
    row, texts = people_choices(key, answered), references(key, answered)
    if row.choices:
        files["people.json"] = row
    if texts.cases:
        files["references.json"] = texts
    return {
        name: msgspec.json.format(msgspec.json.encode(one), indent=1) + b"\n"
        for name, one in files.items()
    }
