"""What importing answers leaves behind: the human row, and references for the next page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from audience.lab.evaluation import PEOPLE_CHOICES, JudgedChoice, PeopleChoices
from audience.lab.judging.answers import PEOPLE, Answered, Problem, choices_in
from audience.lab.judging.cases import Made, Reference, References
from audience.lab.judging.model_judge import turned
from audience.lab.judging.tables import tables_of
from audience.lab.judging.tasks import VERSION, Chosen, Key, Write, WrittenKey
from audience.results import finite


def people_choices(key: Key, answered: Sequence[Answered]) -> PeopleChoices:
    """Return every choice by item; a model's second answer is an entry of its own."""
    found = []
    for one in answered:
        for id_, given in one.answers.items():
            seal = key.tasks[id_]
            if isinstance(seal, Chosen):
                for places in choices_in(given):
                    chosen = tuple(seal.candidates[place] for place in places)
                    case = (seal.user, seal.a, seal.b, seal.negatives, seal.candidates)
                    choice = JudgedChoice(one.by, *case, chosen, one.judge, seal.key)
                    found.append(choice)
    return PeopleChoices(key.seed, tuple(found), PEOPLE_CHOICES, VERSION)


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
    return {name: finite(value) for name, value in tree.items()}


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
