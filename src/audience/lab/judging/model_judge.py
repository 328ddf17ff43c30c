"""A language model as judge: the tasks as prompts, its replies, and how consistent it is."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from audience.engine import run_sync
from audience.lab.judging.answers import MODEL, PEOPLE, Answered, JudgeAnswer, choices_in, twice
from audience.lab.judging.tasks import (
    ANSWERS,
    VERDICTS,
    VERSION,
    Choose,
    Chosen,
    Key,
    Pair,
    Paired,
    Score,
    ScoredKey,
    Sheet,
    Shown,
    Task,
    Write,
)
from audience.llm import (
    ChatMessage,
    Counts,
    GatewayStack,
    Prompts,
    Reply,
    Request,
    Unreadable,
    ask_for,
    list_of,
    loose_json,
    object_of,
    one_of,
    plain,
    together,
    unanswered,
)

LINE = 600
"""Longest line of a prompt in characters."""
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
    """Return the prompt files of judges, overridden by those in a folder."""
    return Prompts(Path(__file__).parent / "prompts", folder=folder, model=model)


class JudgePrompt(msgspec.Struct, frozen=True):
    """One prompt, and the schema of its reply."""

    purpose: str
    messages: tuple[ChatMessage, ...]
    schema: dict[str, Any]


def ask_of(pack: Prompts, task: Choose | Pair | Score, *, turned: bool = False) -> JudgePrompt:
    """Return the prompt for a task; `turned`: in reverse order."""
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


def _ask(pack: Prompts, name: str, holes: dict[str, str], schema: dict[str, Any]) -> JudgePrompt:
    messages = (
        ChatMessage("system", pack.fill("judge_rules", {})),
        ChatMessage("user", pack.fill(name, holes)),
    )
    return JudgePrompt(name, messages, schema)


def _choose(task: Choose, turned: bool) -> dict[str, str]:
    candidates = task.candidates[::-1] if turned else task.candidates
    listed = [f"{place}. {_item_line(item)}" for place, item in enumerate(candidates, 1)]
    before = f"{task.earlier} more before" if task.earlier else ""
    more = "; ".join(part for part in (before, task.tastes) if part)
    return {
        "history": _lines([_item_line(item) for item in task.history]),
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


def _item_line(item: Shown) -> str:
    year = f" ({item.year})" if item.year else ""
    stars = f", {item.stars:g} of 5 stars" if item.stars else ""
    return plain(f"{item.title}{year}: {', '.join(item.tags)}{stars}", LINE)


def _chosen(task: Choose) -> dict[str, Any]:
    count = len(task.candidates)
    return object_of(
        chosen=list_of(one_of(range(1, count + 1)), task.choose, task.choose, unique=True)
    )


def _points(*names: str) -> dict[str, Any]:
    return object_of(**dict.fromkeys(names, one_of(VERDICTS)))


def field_in(reply: Reply, name: str) -> Any | Unreadable:  # noqa: ANN401
    """Return one field of a reply, unchecked."""
    fields = unanswered(reply) or loose_json(reply.text)
    if isinstance(fields, Unreadable):
        return fields
    if not isinstance(fields, dict) or name not in fields:
        return Unreadable(f"no {name}")
    return fields[name]


def point_in(reply: Reply, name: str, *, turned: bool = False) -> int | Unreadable:
    """Return a rating from a reply; of a turned pair, as if it had not been turned."""
    value = field_in(reply, name)
    if isinstance(value, Unreadable):
        return value
    if isinstance(value, bool) or not isinstance(value, int) or value not in VERDICTS:
        return Unreadable(f"{name} is not 1 to 5")
    return len(VERDICTS) + 1 - value if turned else value


def choice_in(reply: Reply, task: Choose, *, turned: bool = False) -> tuple[int, ...] | Unreadable:
    """Return the places chosen; of a turned list, as if it had not been turned."""
    value = field_in(reply, "chosen")
    if isinstance(value, Unreadable):
        return value
    count = len(task.candidates)
    if not isinstance(value, list) or not all(type(place) is int for place in value):
        return Unreadable("chosen is not a list of numbers")
    if len(set(value)) != task.choose or len(value) != task.choose:
        return Unreadable(f"chosen does not hold {task.choose}")
    if not all(1 <= place <= count for place in value):
        return Unreadable("chosen holds something that was not shown")
    return tuple(sorted(count - place if turned else place - 1 for place in value))


AT_ONCE = 64
FLUSHED = 8
"""Calls are written to disk after this many tasks, so that a stopped judge can resume."""
_TOKENS = 400
Progress = Callable[[int, int], None]


class Judged(msgspec.Struct, frozen=True):
    """What a model answered, what could not be read, and what it cost."""

    answers: dict[str, JudgeAnswer]
    unreadable: dict[str, int]
    """Replies that could not be used, by task and reason."""
    passed: int
    """Tasks that a model is not asked: texts are for people to write."""
    spent: Counts
    cost: str
    model: str = ""
    """The name that the endpoint gives the model."""


def judge(
    sheet: Sheet,
    door: GatewayStack,
    *,
    model: str = "",
    prompts: str = "",
    temperature: float = 0.0,
    progress: Progress = lambda done, of: None,
) -> Judged:
    """Return a model's answers to every task but writing; the gateway is closed at the end."""
    judges = _Judge(door, judge_prompts(prompts, model), temperature)
    tasks = [task for task in sheet.tasks if not isinstance(task, Write)]
    answers: dict[str, JudgeAnswer] = {}

    async def answer_task(task: Task, free: asyncio.Semaphore) -> None:
        async with free:
            answer = await judges.answer(task)
        if answer is not None:
            answers[task.id] = answer
        judges.done += 1
        if judges.done % FLUSHED == 0:
            door.flush()
        progress(judges.done, len(tasks))

    async def work() -> None:
        free = asyncio.Semaphore(AT_ONCE)
        try:
            await together(answer_task(task, free) for task in tasks)
        finally:
            await door.close()

    run_sync(work)
    in_order = {task.id: answers[task.id] for task in tasks if task.id in answers}
    sums = (door.meter.total(), door.meter.cost())
    unread = dict(sorted(judges.unreadable.items()))
    said_by = ", ".join(sorted(judges.models))
    return Judged(in_order, unread, len(sheet.tasks) - len(tasks), *sums, said_by)


def answers_file(sheet: Sheet, judged: Judged, model: str = "") -> dict[str, Any]:
    """Return a model's answers as a file like a person's, marked as a model's."""
    spent = judged.spent
    usage = {"calls": spent.calls, "reused": spent.reused, "tokens": spent.tokens}
    return {
        "format": ANSWERS,
        "version": VERSION,
        "page": sheet.id,
        "judge": model or judged.model or "unnamed",
        "by": MODEL,
        "answers": msgspec.to_builtins(judged.answers),
        "unreadable": judged.unreadable,
        "usage": usage | {"cost": judged.cost, "not_asked": judged.passed},
    }


class _Judge:
    def __init__(self, door: GatewayStack, pack: Prompts, temperature: float) -> None:
        self.door = door
        self.pack = pack
        self.temperature = temperature
        self.unreadable: Counter[str] = Counter()
        self.models: set[str] = set()
        self.done = 0

    async def answer(self, task: Task) -> JudgeAnswer | None:
        """Return a model's answer to a task; None if a reply could not be read."""
        match task:
            case Choose():
                chosen, again = await self._both(task, partial(choice_in, task=task))
                return self._answer_of("choose", chosen=chosen, again=again)
            case Pair():
                verdict, again = await self._both(task, partial(point_in, name="verdict"))
                return self._answer_of("pair", verdict=verdict, again=again)
            case Score():
                ask = ask_of(self.pack, task)
                points = await self._ask(ask, f"{task.id}.0", _points_in)
                return self._answer_of("score", **points)
        return None

    async def _both(self, task: Choose | Pair, read: Callable[..., Any]) -> list[Any]:
        """Return the answers to a task in both orders."""
        return await together(
            self._ask(
                ask_of(self.pack, task, turned=turned),
                f"{task.id}.{int(turned)}",
                partial(read, turned=turned),
            )
            for turned in (False, True)
        )

    async def _ask(self, ask: JudgePrompt, salt: str, read: Callable[[Reply], Any]) -> Any:  # noqa: ANN401
        request = Request(
            ask.purpose,
            ask.messages,
            self.pack.model,
            schema=ask.schema,
            max_tokens=_TOKENS,
            temperature=self.temperature,
            salt=salt,
        )
        answer = await ask_for(self.door, request, read)
        self.models |= {answer.replies[0].model} - {""}
        return answer.value

    def _answer_of(self, kind: str, **parts: Any) -> JudgeAnswer | None:  # noqa: ANN401
        """Return an answer if all its parts could be read; the others are counted."""
        lacking = [part.why for part in parts.values() if isinstance(part, Unreadable)]
        # One reply holds both scores, so it counts once.
        for why in dict.fromkeys(lacking) if kind == "score" else lacking:
            self.unreadable[f"{kind}: {why.partition(':')[0][:60]}"] += 1
        return None if lacking else JudgeAnswer(**parts)


def _points_in(reply: Reply) -> dict[str, int | Unreadable]:
    return {name: point_in(reply, name) for name in ("informative", "relevant")}


_EQUAL = 3


class Turned(msgspec.Struct, frozen=True):
    """How consistent a model judge is, and how close to people. Shares of nothing are None."""

    who: str
    pairs: int
    """Pairs asked twice, with the sides exchanged."""
    other_side: int
    """Of them, those where the better side changed with the order."""
    other_point: int
    """Of them, those where the rating changed at all."""
    first_shown: float | None
    """How often the side shown first won, of all answers that prefer one; 0.5 is fair."""
    choices: int
    other_choice: int
    like_people: dict[str, float]
    """Share of a person's judgements of the same tasks that the model shares, by kind."""


def turned(key: Key, answered: Sequence[Answered]) -> list[Turned]:
    """Return how consistent each model judge is."""
    people = [judge for judge in answered if judge.by == PEOPLE]
    return [_turned(key, judge, people) for judge in answered if judge.by == MODEL]


def _turned(key: Key, model: Answered, people: Sequence[Answered]) -> Turned:
    answers = model.answers.values()
    pairs = [both for answer in answers if len(both := twice(answer)) == 2]
    won = [is_first for both in pairs for is_first in _first_won(both)]
    chosen = [choice for answer in answers if len(choice := choices_in(answer)) == 2]
    return Turned(
        model.name,
        len(pairs),
        sum(_side(first) != _side(second) for first, second in pairs),
        sum(first != second for first, second in pairs),
        sum(won) / len(won) if won else None,
        len(chosen),
        sum(set(first) != set(second) for first, second in chosen),
        _like_people(key, model, people),
    )


def _side(verdict: float) -> int:
    return (verdict > _EQUAL) - (verdict < _EQUAL)


def _first_won(verdicts: Sequence[float]) -> list[bool]:
    """Return for each answer that prefers a side whether that side was shown first."""
    straight, back = (_side(verdict) for verdict in verdicts)
    return [won for side, won in ((straight, straight < 0), (back, back > 0)) if side]


def _like_people(key: Key, model: Answered, people: Sequence[Answered]) -> dict[str, float]:
    shares: dict[str, list[float]] = {}
    for person in people:
        for id_ in person.answers.keys() & model.answers.keys():
            mine, theirs = model.answers[id_], person.answers[id_]
            match key.tasks[id_]:
                case Chosen():
                    own = set(theirs.chosen or ())
                    shared = [len(own & set(choice)) / len(own) for choice in choices_in(mine)]
                    shares.setdefault("choices: the same item", []).extend(shared)
                case Paired():
                    side = _side(twice(theirs)[0])
                    same = [float(_side(verdict) == side) for verdict in twice(mine)]
                    shares.setdefault("pairs: the same side", []).extend(same)
                case ScoredKey():
                    points = (
                        (mine.informative, theirs.informative),
                        (mine.relevant, theirs.relevant),
                    )
                    near = [float(abs((ours or 0) - (own or 0)) <= 1) for ours, own in points]
                    shares.setdefault("scores: within a point", []).extend(near)
    return {what: sum(values) / len(values) for what, values in sorted(shares.items())}
