"""A language model as judge: the same tasks as people get, each pair and choice in both orders."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from audience.engine import run_sync
from audience.experiments.judging.answers import MODEL, Given
from audience.experiments.judging.asking import Ask, ask_of, choice_in, judge_prompts, point_in
from audience.experiments.judging.kinds import (
    ANSWERS,
    VERSION,
    Choose,
    Pair,
    Score,
    Sheet,
    Task,
    Write,
)
from audience.llm import Counts
from audience.llm.gateway import Door
from audience.llm.kinds import Reply, Request
from audience.llm.loose import Unreadable
from audience.llm.prompts import Prompts
from audience.llm.structured import ask_for
from audience.llm.together import together

AT_ONCE = 64
FLUSHED = 8
"""Tasks after which calls are made to last, so that a judge who is stopped goes on from there."""
_TOKENS = 400
Progress = Callable[[int, int], None]


class Judged(msgspec.Struct, frozen=True):
    """What a model answered, what could not be read, and what it took."""

    answers: dict[str, Given]
    unreadable: dict[str, int]
    """Replies that could not be used, by what they were asked for and what was wrong."""
    passed: int
    """Tasks that a model is not asked: texts are for people to write."""
    spent: Counts
    cost: str
    model: str = ""
    """What the endpoint calls the model that answered."""


def judge(
    sheet: Sheet,
    door: Door,
    *,
    model: str = "",
    prompts: str = "",
    temperature: float = 0.0,
    progress: Progress = lambda done, of: None,
) -> Judged:
    """Ask a model every task that is not writing; the door is closed in the end."""
    judges = _Judge(door, judge_prompts(prompts, model), temperature)
    tasks = [task for task in sheet.tasks if not isinstance(task, Write)]
    answers: dict[str, Given] = {}

    async def one(task: Task, free: asyncio.Semaphore) -> None:
        async with free:
            given = await judges.answer(task)
        if given is not None:
            answers[task.id] = given
        judges.done += 1
        if judges.done % FLUSHED == 0:
            door.flush()
        progress(judges.done, len(tasks))

    async def work() -> None:
        free = asyncio.Semaphore(AT_ONCE)
        try:
            await together(one(task, free) for task in tasks)
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
    def __init__(self, door: Door, pack: Prompts, temperature: float) -> None:
        self.door = door
        self.pack = pack
        self.temperature = temperature
        self.unreadable: Counter[str] = Counter()
        self.models: set[str] = set()
        self.done = 0

    async def answer(self, task: Task) -> Given | None:
        """Return what a model says of a task; nothing where a reply of it could not be read."""
        match task:
            case Choose():
                chosen, again = await self._both(task, partial(choice_in, task=task))
                return self._given("choose", chosen=chosen, again=again)
            case Pair():
                verdict, again = await self._both(task, partial(point_in, name="verdict"))
                return self._given("pair", verdict=verdict, again=again)
            case Score():
                ask = ask_of(self.pack, task)
                points = await self._ask(ask, f"{task.id}.0", _points_in)
                return self._given("score", **points)
        return None

    async def _both(self, task: Choose | Pair, read: Callable[..., Any]) -> list[Any]:
        """Return what is said of a task in both orders."""
        return await together(
            self._ask(
                ask_of(self.pack, task, turned=turned),
                f"{task.id}.{int(turned)}",
                partial(read, turned=turned),
            )
            for turned in (False, True)
        )

    async def _ask(self, ask: Ask, salt: str, read: Callable[[Reply], Any]) -> Any:  # noqa: ANN401
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

    def _given(self, kind: str, **found: Any) -> Given | None:  # noqa: ANN401
        """Return an answer all of whose parts could be read; the others are counted."""
        lacking = [one.why for one in found.values() if isinstance(one, Unreadable)]
        # One reply holds both scores: it is unreadable once.
        for why in dict.fromkeys(lacking) if kind == "score" else lacking:
            self.unreadable[f"{kind}: {why.partition(':')[0][:60]}"] += 1
        return None if lacking else Given(**found)


def _points_in(reply: Reply) -> dict[str, int | Unreadable]:
    return {name: point_in(reply, name) for name in ("informative", "relevant")}
