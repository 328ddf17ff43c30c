"""Files of answers: what in them can be used, and what is wrong with the rest, by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """One answer; the fields that its task asks for."""

    chosen: tuple[int, ...] | None = None
    """Places of candidates."""
    text: str | None = None
    verdict: int | None = None
    informative: int | None = None
    relevant: int | None = None
    again: tuple[int, ...] | int | None = None
    """A model's second answer, with the order of what it was shown turned round."""


class Answered(msgspec.Struct, frozen=True):
    """All that one judge answered and that can be used."""

    judge: str
    by: str
    """`person` or `model`."""
    path: str
    answers: dict[str, JudgeAnswer]
    tasks: int
    """How many it was given; a model is not asked to write."""
    saved: str = ""
    unreadable: dict[str, int] = {}
    """Replies of a model that could not be used, by what was asked for."""
    usage: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """What tables call this judge."""
        return f"model judge {self.judge}" if self.by == MODEL else self.judge


class Problem(msgspec.Struct, frozen=True):
    """Something in a file that is left out."""

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
    """Return a key, or say what the file is instead."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Key)
    except OSError as error:
        raise BadInput(f"--key {path} cannot be read: {error.strerror or error}") from error
    except msgspec.MsgspecError as error:
        raise BadInput(
            f"--key {path} is no key ({error}); give the .key.json that lies beside the page"
        ) from error
    if found.format != KEY or found.version > VERSION:
        raise BadInput(f"--key {path} was made by a newer version of audience; use that one")
    return found


def read_answers(paths: Iterable[Path], key: Key) -> tuple[list[Answered], list[Problem]]:
    """Return what each judge answered, and all that had to be left out."""
    found: dict[tuple[str, str], Answered] = {}
    problems: list[Problem] = []
    for path in paths:
        one = _read(path, key, problems)
        if one is None:
            continue
        who = (one.by, one.judge.casefold())
        if who in found:
            kept, left = _fuller(found[who], one)
            found[who] = kept
            why = f"{one.judge} also gave {kept.path}, which is taken: it is fuller or newer"
            problems.append(Problem(left.path, "", why))
        else:
            found[who] = one
    return list(found.values()), problems


def _fuller(one: Answered, other: Answered) -> tuple[Answered, Answered]:
    """Return two files of one judge: that with more answers first, then the later."""
    first = (len(one.answers), one.saved) >= (len(other.answers), other.saved)
    return (one, other) if first else (other, one)


def _read(path: Path, key: Key, problems: list[Problem]) -> Answered | None:
    try:
        file = msgspec.json.decode(path.read_bytes(), type=_File)
    except OSError as error:
        why = f"cannot be read: {error.strerror or error}"
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        why = f"holds no answers: {error}"
    else:
        why = _unfit(file, key)
        if not why:
            return _usable(str(path), file, key, problems)
    problems.append(Problem(str(path), "", why))
    return None


def _unfit(file: _File, key: Key) -> str:
    if file.format != ANSWERS:
        return "holds no answers: its format is another"
    if file.version > VERSION:
        return "was made by a newer version"
    if file.page != key.page:
        return "answers another page than the key is for"
    if not any(mark.isprintable() and not mark.isspace() for mark in file.judge):
        return "does not say who judged"
    return "" if file.by in (PEOPLE, MODEL) else f"is by {file.by!r}, neither person nor model"


def _usable(path: str, file: _File, key: Key, problems: list[Problem]) -> Answered:
    tasks = {task.id: task for task in key.sheet.tasks}
    answers: dict[str, JudgeAnswer] = {}
    for id_, raw in file.answers.items():
        task = tasks.get(id_)
        if task is None:
            problems.append(Problem(path, id_, "there is no such task"))
            continue
        try:
            given = msgspec.json.decode(raw, type=JudgeAnswer)
            twice_ = "is answered twice" if file.by == PEOPLE and given.again is not None else ""
            why = twice_ or _own(task, file.judge, key) or wrong(task, given)
        except msgspec.MsgspecError as error:
            why = str(error)
        if why:
            problems.append(Problem(path, id_, why))
        else:
            answers[id_] = given
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


def _own(task: Task, judge: str, key: Key) -> str:
    seal = key.tasks[task.id]
    own = isinstance(seal, Paired) and seal.author.casefold() == judge.strip().casefold()
    return "judges a text of the judge's own" if own else ""


def wrong(task: Task, given: JudgeAnswer) -> str:
    """Return why an answer does not answer its task; empty when it does."""
    match task:
        case Choose():
            second = given.chosen if given.again is None else given.again
            return _unchosen(task, given.chosen) or _unchosen(task, second)
        case Write():
            text = (given.text or "").strip()
            return "" if 0 < len(text) <= _LONGEST else "has no text, or too long a one"
        case Pair():
            return _off_scale(given.verdict) or _off_scale(given.again or given.verdict)
        case Score():
            return _off_scale(given.informative) or _off_scale(given.relevant)


def _unchosen(task: Choose, chosen: Sequence[int] | int | None) -> str:
    if not isinstance(chosen, tuple):
        return "has no choice"
    if len(set(chosen)) != task.choose or len(chosen) != task.choose:
        return f"chooses {len(set(chosen))} instead of {task.choose}"
    if not all(0 <= place < len(task.candidates) for place in chosen):
        return "chooses what was not shown"
    return ""


def _off_scale(value: object) -> str:
    if value is None:
        return "has no judgement"
    return "" if value in VERDICTS else f"judges {value}, which is not 1 to 5"


def twice(given: JudgeAnswer) -> tuple[float, ...]:
    """Return the verdict of a pair, and the second one where it was asked twice."""
    return tuple(float(one) for one in (given.verdict, given.again) if isinstance(one, int))


def choices_in(given: JudgeAnswer) -> tuple[tuple[int, ...], ...]:
    """Return what was chosen, and the second choice where it was asked for twice."""
    return tuple(one for one in (given.chosen, given.again) if isinstance(one, tuple))
