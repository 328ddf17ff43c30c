"""Files of answers: reading the key, the answers that can be used, and the problems of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from audience.errors import BadInput
from audience.lab.judging.tasks import (
    ANSWERS,
    KEY,
    VERDICTS,
    VERSION,
    Choose,
    Key,
    Pair,
    Paired,
    Score,
    Task,
    Write,
)

PEOPLE, MODEL = "person", "model"
_LONGEST = 2000


class JudgeAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer; only the fields that its task asks for are set."""

    chosen: tuple[int, ...] | None = None
    """Places of candidates."""
    text: str | None = None
    verdict: int | None = None
    informative: int | None = None
    relevant: int | None = None
    again: tuple[int, ...] | int | None = None
    """A model's second answer, with what it was shown in reverse order."""


class Answered(msgspec.Struct, frozen=True):
    """All usable answers of one judge."""

    judge: str
    by: str
    """`person` or `model`."""
    path: str
    answers: dict[str, JudgeAnswer]
    tasks: int
    """How many tasks the judge was given; a model is not asked to write."""
    saved: str = ""
    unreadable: dict[str, int] = {}
    """Replies of a model that could not be used, by task and reason."""
    usage: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """The judge's name in tables."""
        return f"model judge {self.judge}" if self.by == MODEL else self.judge


class Problem(msgspec.Struct, frozen=True):
    """Something in a file that is left out, and why."""

    path: str
    task: str
    why: str


class _File(msgspec.Struct, frozen=True):
    page: str
    judge: str
    answers: dict[str, msgspec.Raw]
    format: str = ""
    version: int = VERSION
    saved: str = ""
    by: str = PEOPLE
    unreadable: dict[str, int] = {}
    usage: dict[str, Any] = {}


def read_key(path: Path) -> Key:
    """Return the key of a page; raise if the file is something else."""
    try:
        key = msgspec.json.decode(path.read_bytes(), type=Key)
    except OSError as error:
        raise BadInput(f"--key {path} cannot be read: {error.strerror or error}") from error
    except msgspec.MsgspecError as error:
        raise BadInput(
            f"--key {path} is not a key ({error}); give the .key.json that lies beside the page"
        ) from error
    if key.format != KEY or key.version > VERSION:
        raise BadInput(f"--key {path} was made by a newer version of audience; use that one")
    return key


def read_answers(paths: Iterable[Path], key: Key) -> tuple[list[Answered], list[Problem]]:
    """Return what each judge answered, and everything that had to be left out."""
    judges: dict[tuple[str, str], Answered] = {}
    problems: list[Problem] = []
    for path in paths:
        answered = _read(path, key, problems)
        if answered is None:
            continue
        who = (answered.by, answered.judge.casefold())
        if who in judges:
            kept, left = _fuller(judges[who], answered)
            judges[who] = kept
            why = f"{answered.judge} also gave {kept.path}, which is used: it is fuller or newer"
            problems.append(Problem(left.path, "", why))
        else:
            judges[who] = answered
    return list(judges.values()), problems


def _fuller(mine: Answered, other: Answered) -> tuple[Answered, Answered]:
    """Return two files of one judge, the one with more answers first, else the later one."""
    is_fuller = (len(mine.answers), mine.saved) >= (len(other.answers), other.saved)
    return (mine, other) if is_fuller else (other, mine)


def _read(path: Path, key: Key, problems: list[Problem]) -> Answered | None:
    try:
        file = msgspec.json.decode(path.read_bytes(), type=_File)
    except OSError as error:
        why = f"cannot be read: {error.strerror or error}"
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        why = f"is not a file of answers: {error}"
    else:
        why = _unfit(file, key)
        if not why:
            return _usable(str(path), file, key, problems)
    problems.append(Problem(str(path), "", why))
    return None


def _unfit(file: _File, key: Key) -> str:
    if file.format != ANSWERS:
        return "is not a file of answers: it has another format"
    if file.version > VERSION:
        return "was made by a newer version of audience"
    if file.page != key.page:
        return "belongs to another page than the key"
    if not any(mark.isprintable() and not mark.isspace() for mark in file.judge):
        return "does not name the judge"
    return "" if file.by in (PEOPLE, MODEL) else f"is by {file.by!r}, neither person nor model"


def _usable(path: str, file: _File, key: Key, problems: list[Problem]) -> Answered:
    tasks = {task.id: task for task in key.sheet.tasks}
    answers: dict[str, JudgeAnswer] = {}
    for id_, raw in file.answers.items():
        task = tasks.get(id_)
        if task is None:
            problems.append(Problem(path, id_, "no such task"))
            continue
        try:
            answer = msgspec.json.decode(raw, type=JudgeAnswer)
            is_double = file.by == PEOPLE and answer.again is not None
            why = "is answered twice" if is_double else _own(task, file.judge, key)
            why = why or wrong(task, answer)
        except msgspec.MsgspecError as error:
            why = str(error)
        if why:
            problems.append(Problem(path, id_, why))
        else:
            answers[id_] = answer
    return Answered(
        "".join(mark for mark in file.judge if mark.isprintable()).strip(),
        file.by,
        path,
        answers,
        sum(file.by == PEOPLE or not isinstance(task, Write) for task in tasks.values()),
        file.saved,
        file.unreadable,
        file.usage,
    )


def answer_problem(tasks: Mapping[str, Task], id_: str, given: Mapping[str, Any]) -> str:
    """Return why an answer of a person cannot be kept; empty if it can."""
    task = tasks.get(id_)
    if task is None:
        return "no such task"
    try:
        return wrong(task, msgspec.convert(given, JudgeAnswer))
    except msgspec.ValidationError as error:
        return str(error)


def _own(task: Task, judge: str, key: Key) -> str:
    seal = key.tasks[task.id]
    own = isinstance(seal, Paired) and seal.author.casefold() == judge.strip().casefold()
    return "judges the judge's own text" if own else ""


def wrong(task: Task, answer: JudgeAnswer) -> str:
    """Return why an answer does not fit its task; empty if it does."""
    match task:
        case Choose():
            second = answer.chosen if answer.again is None else answer.again
            return _unchosen(task, answer.chosen) or _unchosen(task, second)
        case Write():
            text = (answer.text or "").strip()
            return "" if 0 < len(text) <= _LONGEST else "has no text, or one that is too long"
        case Pair():
            return _off_scale(answer.verdict) or _off_scale(answer.again or answer.verdict)
        case Score():
            return _off_scale(answer.informative) or _off_scale(answer.relevant)


def _unchosen(task: Choose, chosen: Sequence[int] | int | None) -> str:
    if not isinstance(chosen, tuple):
        return "has no choice"
    if len(set(chosen)) != task.choose or len(chosen) != task.choose:
        return f"chooses {len(set(chosen))} instead of {task.choose}"
    if not all(0 <= place < len(task.candidates) for place in chosen):
        return "chooses something that was not shown"
    return ""


def _off_scale(value: object) -> str:
    if value is None:
        return "has no rating"
    return "" if value in VERDICTS else f"rates {value}, which is not 1 to 5"


def twice(answer: JudgeAnswer) -> tuple[float, ...]:
    """Return the verdict on a pair, and the second one if it was asked twice."""
    return tuple(
        float(verdict) for verdict in (answer.verdict, answer.again) if isinstance(verdict, int)
    )


def choices_in(answer: JudgeAnswer) -> tuple[tuple[int, ...], ...]:
    """Return what was chosen, and the second choice if it was asked twice."""
    return tuple(choice for choice in (answer.chosen, answer.again) if isinstance(choice, tuple))
