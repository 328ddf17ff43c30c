"""Tasks as prompts for a model, and what its replies say. Nothing unreadable is mended."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from audience.experiments.judging.kinds import VERDICTS, Choose, Pair, Score, Shown
from audience.llm.kinds import Message, Reply
from audience.llm.loose import Unreadable, loose_json
from audience.llm.prompts import Prompts, plain
from audience.llm.structured import list_of, object_of, unanswered, whole_of

LINE = 600
"""Characters of a line at most."""
_QUESTIONS = {
    "T1": "Two summaries of the same event. Which serves this person's memory better?",
    "T2": "Two insights drawn from the same moments. Which is the better one?",
    "T3": "Two reflections on the same memories. Which is the better one?",
    "sequence": "Two ways on from the same past. Which fits better what this person went for?",
}
_FROM = {
    "T1": "What happened",
    "T2": "What was met again and again",
    "T3": "The memories",
    "sequence": "What went before, newest first",
}


def judge_prompts(folder: str = "", model: str = "") -> Prompts:
    """Return the prompt files of judges, laid over by those of a folder."""
    return Prompts(Path(__file__).parent / "prompts", folder=folder, model=model)


class Ask(msgspec.Struct, frozen=True):
    """One prompt, and what its reply has to look like."""

    purpose: str
    messages: tuple[Message, ...]
    schema: dict[str, Any]


def ask_of(pack: Prompts, task: Choose | Pair | Score, *, turned: bool = False) -> Ask:
    """Return how a model is asked; `turned`: in the other order."""
    match task:
        case Choose():
            return _ask(pack, "judge_choose", _choose(task, turned), _chosen(task))
        case Pair():
            return _ask(pack, "judge_pair", _pair(task, turned), _points("verdict"))
        case Score():
            holes = {
                "person": plain(task.person, LINE),
                "behaviour": _lines(task.behaviour),
                "memories": _lines(task.memories) or "- nothing",
            }
            return _ask(pack, "judge_score", holes, _points("informative", "relevant"))


def _ask(pack: Prompts, name: str, holes: dict[str, str], schema: dict[str, Any]) -> Ask:
    messages = (
        Message("system", pack.fill("judge_rules", {})),
        Message("user", pack.fill(name, holes)),
    )
    return Ask(name, messages, schema)


def _choose(task: Choose, turned: bool) -> dict[str, str]:
    candidates = task.candidates[::-1] if turned else task.candidates
    listed = [f"{place}. {_told(item)}" for place, item in enumerate(candidates, 1)]
    before = f"{task.earlier} more before" if task.earlier else ""
    more = "; ".join(part for part in (before, task.tastes) if part)
    return {
        "history": _lines([_told(item) for item in task.history]),
        "more": f"({more})" if more else "",
        "candidates": "\n".join(listed),
        "choose": str(task.choose),
        "count": str(len(candidates)),
    }


def _pair(task: Pair, turned: bool) -> dict[str, str]:
    first, second = (task.second, task.first) if turned else (task.first, task.second)
    return {
        "question": _QUESTIONS[task.about],
        "from": _FROM[task.about],
        "person": plain(task.person, LINE),
        "lines": _lines(task.lines),
        "first": _lines(first),
        "second": _lines(second),
    }


def _lines(texts: Sequence[str]) -> str:
    return "\n".join(f"- {plain(text, LINE)}" for text in texts)


def _told(item: Shown) -> str:
    year = f" ({item.year})" if item.year else ""
    stars = f", {item.stars:g} of 5 stars" if item.stars else ""
    return plain(f"{item.title}{year}: {', '.join(item.tags)}{stars}", LINE)


def _chosen(task: Choose) -> dict[str, Any]:
    count = len(task.candidates)
    return object_of(chosen=list_of(whole_of(1, count), task.choose, task.choose, unique=True))


def _points(*names: str) -> dict[str, Any]:
    return object_of(**dict.fromkeys(names, whole_of(VERDICTS[0], VERDICTS[-1])))


def told(reply: Reply, name: str) -> Any | Unreadable:  # noqa: ANN401
    """Return one field of a reply, as it stands there."""
    found = unanswered(reply) or loose_json(reply.text)
    if isinstance(found, Unreadable):
        return found
    if not isinstance(found, dict) or name not in found:
        return Unreadable(f"no {name}")
    return found[name]


def point_in(reply: Reply, name: str, *, turned: bool = False) -> int | Unreadable:
    """Return a point of the scale; of a turned pair, as if it had not been turned."""
    value = told(reply, name)
    if isinstance(value, Unreadable):
        return value
    if isinstance(value, bool) or not isinstance(value, int) or value not in VERDICTS:
        return Unreadable(f"{name} is not 1 to 5")
    return len(VERDICTS) + 1 - value if turned else value


def choice_in(reply: Reply, task: Choose, *, turned: bool = False) -> tuple[int, ...] | Unreadable:
    """Return the places chosen; of a turned list, as if it had not been turned."""
    value = told(reply, "chosen")
    if isinstance(value, Unreadable):
        return value
    count = len(task.candidates)
    if not isinstance(value, list) or not all(type(one) is int for one in value):
        return Unreadable("chosen is no list of numbers")
    if len(set(value)) != task.choose or len(value) != task.choose:
        return Unreadable(f"chosen holds not {task.choose}")
    if not all(1 <= one <= count for one in value):
        return Unreadable("chosen holds what was not shown")
    return tuple(sorted(count - one if turned else one - 1 for one in value))
