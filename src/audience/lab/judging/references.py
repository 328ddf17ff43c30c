"""What an import of answers writes: the result, people's choices, and reference texts."""

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
    choices = []
    for judge in answered:
        for id_, answer in judge.answers.items():
            seal = key.tasks[id_]
            if isinstance(seal, Chosen):
                for places in choices_in(answer):
                    chosen = tuple(seal.candidates[place] for place in places)
                    case = (seal.user, seal.a, seal.b, seal.negatives, seal.candidates)
                    choice = JudgedChoice(judge.by, *case, chosen, judge.judge, seal.key)
                    choices.append(choice)
    return PeopleChoices(key.seed, tuple(choices), PEOPLE_CHOICES, VERSION)


def references(key: Key, answered: Sequence[Answered]) -> References:
    """Return what people wrote, case by case, beside the agent's text."""
    cases = []
    for task in key.sheet.tasks:
        seal = key.tasks[task.id]
        if isinstance(task, Write) and isinstance(seal, WrittenKey):
            texts = {
                judge.judge: " ".join((judge.answers[task.id].text or "").split())
                for judge in answered
                if judge.by == PEOPLE and task.id in judge.answers
            }
            if texts:
                made = Made(task.what, seal.case, task.person, task.lines, seal.agent)
                cases.append(Reference(made, texts))
    return References(tuple(cases))


def plain_result(
    key: Key, answered: Sequence[Answered], problems: Sequence[Problem]
) -> dict[str, Any]:
    """Return everything as plain values; what is not a number becomes None."""
    judges = [
        {
            "judge": judge.name,
            "by": judge.by,
            "file": judge.path,
            "answers": len(judge.answers),
            "tasks": judge.tasks,
            "unreadable": judge.unreadable,
            **judge.usage,
        }
        for judge in answered
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
    """Return the files to write: the result, and what other commands start from."""
    files: dict[str, object] = {"result.json": plain_result(key, answered, problems)}
    row, texts = people_choices(key, answered), references(key, answered)
    if row.choices:
        files["people.json"] = row
    if texts.cases:
        files["references.json"] = texts
    return {
        name: msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"
        for name, content in files.items()
    }
