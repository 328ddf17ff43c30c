"""Interviews: questions to people at the end of a round. Asking changes nothing by itself."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from audience.agents.language import (
    Answer,
    ChatLine,
    chat,
    interview,
    mind_prompts,
    small_interview,
)
from audience.agents.voiced import Speaker
from audience.engine import run_sync
from audience.errors import BadInput
from audience.llm import Gateway, squash
from audience.log import Log, world_at
from audience.runs.interview_records import (
    Asked,
    Closed,
    InterviewRecord,
    begin_interview,
    close_interview,
    keep_answer,
)
from audience.runs.respondents import Respondents, respondents_in, segments_of
from audience.runs.tabulation import LONGEST_OPTION, MOST_OPTIONS
from audience.scenario import (
    SpendingOptions,
    door_of,
    endpoints_of,
    intervene,
    name_of,
    parse,
    parts_of,
    tuned_model,
)
from audience.world import Agent, Item, Observation, Situation, SlateShown, World, key, observe

AT_ONCE = 64
GLANCE_S = 0.1
"""Seconds between two looks whether an interview is to be cancelled."""


def options_of(given: Sequence[str]) -> tuple[str, ...]:
    """Return the options of a question; a single `1-5` means the whole numbers from 1 to 5."""
    low, _, high = given[0].strip().partition("-") if len(given) == 1 else ("", "", "")
    if low.isdecimal() and high.isdecimal() and int(low[:3]) < int(high[:3]):
        given = [str(number) for number in range(int(low[:3]), int(high[:3]) + 1)]
    options = tuple(" ".join(option.split()) for option in given)
    if not options:
        return ()
    for option in options:
        if not squash(option) or len(option) > LONGEST_OPTION:
            raise BadInput(
                f"option {option[:LONGEST_OPTION]!r} cannot be chosen; give words or a number of "
                f"at most {LONGEST_OPTION} characters"
            )
    if not 2 <= len(options) <= MOST_OPTIONS:
        raise BadInput(f"{len(options)} options; give 2 to {MOST_OPTIONS}, such as yes,no,not sure")
    if len({squash(option) for option in options}) < len(options):
        raise BadInput("two options read the same; give each once")
    return options


class InterviewRoom:
    """A run at the end of a round, and the model through which its people speak."""

    def __init__(self, folder: Path, agents: Sequence[int] | None, at: int) -> None:
        with Log.open(folder) as log:
            self.scenario = parse(log.scenario, str(folder))
            self.world = world_at(log, at)
            self.agents = respondents_in(log, _by_id(agents), at, self.world)
            self._slates = _last_slates(log, at, set(self.agents))
        self.folder, self.at = folder, at
        llm = self.scenario.llm
        self.model = name_of(llm)
        self.pack = mind_prompts(str(self.scenario.mind.options.get("prompts", "")), self.model)
        self.tuned = tuned_model(self.scenario)
        """The small model that was trained to speak, if it is asked."""
        self.is_small = bool(self.tuned) or (not endpoints_of(llm) and not llm.model)
        """Whether the model is too small to answer freely, so that rules find what to say."""

    def speaker(self, door: Gateway) -> Speaker:
        """Return who words the answers where the model is small."""
        return Speaker(door, self.tuned or self.model, whole=bool(self.tuned))

    def seen_by(self, agent: int) -> Observation:
        """Return what a person knows when asked."""
        return observe(self.world, _present(self.world, agent), 0)

    def shown_last(self, agent: int) -> list[Item]:
        """Return the items of the last page that a person saw."""
        return [self.world.catalogue[item] for item in self._slates.get(agent, ())]


def ask(
    folder: Path,
    agents: Sequence[int] | None,
    question: str,
    at: int,
    *,
    options: Sequence[str] = (),
    spending: SpendingOptions | None = None,
    listener: Callable[[Answer], None] | None = None,
    stopping: Callable[[], bool] = lambda: False,
    told: Callable[[Answer], None] | None = None,
) -> list[Answer]:
    """Return what people answer at the end of a round, from profile, history and memory.

    `agents` None asks everybody; with `options` each also chooses one. `listener` gets each answer
    as it arrives; once `stopping` says so, nobody is waited for any more, and those who answered
    are returned. `told` is the old name of `listener`.
    """
    if told is not None:
        warnings.warn(
            "ask(told=...) is now ask(listener=...), and goes in 0.3",
            DeprecationWarning,
            stacklevel=2,
        )
        listener = listener or told
    if not question.strip():
        raise BadInput("the question is empty; put it in quotation marks after the ids")
    options = options_of(options)
    room = InterviewRoom(folder, agents, at)
    answers: dict[int, Answer] = {}

    def hear(answer: Answer) -> None:
        answers[answer.agent] = answer
        if listener:
            listener(answer)

    async def work() -> None:
        await _ask_all(room, question, options, spending, hear, stopping)

    run_sync(work)
    return [answers[agent] for agent in room.agents if agent in answers]


async def _ask_all(
    room: InterviewRoom,
    question: str,
    options: Sequence[str],
    spending: SpendingOptions | None,
    hear: Callable[[Answer], None],
    stopping: Callable[[], bool],
) -> None:
    """Ask everybody in a room, some at a time, until all have answered or it is to stop."""
    door = door_of(room.scenario.llm, spending or SpendingOptions(), room.folder)
    memory = parts_of(room.scenario, room.world.genesis, door).memory
    free = asyncio.Semaphore(AT_ONCE)

    async def one(agent: int) -> None:
        asked: tuple[str | int, ...] = (room.at, question, *options)
        salt = f"{key(room.world.seed, 'interview', agent, *asked):016x}"
        seen = room.seen_by(agent)
        given: dict[str, Any] = {"options": options, "salt": salt}
        async with free:
            if room.is_small:
                hear(await small_interview(room.speaker(door), seen, question, **given))
                return
            slate = room.shown_last(agent)
            given |= {"pack": room.pack, "model": room.model}
            hear(await interview(door, memory, seen, question, slate, **given))

    tasks = [asyncio.create_task(one(agent)) for agent in room.agents]
    try:
        waiting = set(tasks)
        while waiting and not stopping():
            _, waiting = await asyncio.wait(waiting, timeout=GLANCE_S)
        for task in waiting:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        await door.close()
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result


def open_interview(
    folder: Path, wanted: Respondents, question: str, at: int, options: Sequence[str] = ()
) -> InterviewRecord:
    """Begin an interview that is kept beside the run; nobody is asked yet."""
    if not question.strip():
        raise BadInput("the question is empty; put it in quotation marks after the ids")
    with Log.open(folder) as log:
        world = world_at(log, at)
        agents = respondents_in(log, wanted, at, world)
    segments = {who: segments_of(world.profile(who)) for who in agents}
    asked = Asked(question, options_of(options), at, wanted.words, tuple(agents), segments)
    return InterviewRecord(begin_interview(folder, asked), asked, [], None)


def hold_interview(
    folder: Path,
    record: InterviewRecord,
    *,
    spending: SpendingOptions | None = None,
    listener: Callable[[Answer], None] = lambda answer: None,
    stopping: Callable[[], bool] = lambda: False,
) -> InterviewRecord:
    """Ask the people of an interview, and keep each answer beside the run as it arrives.

    If it is stopped or fails, the answers so far stay, and the record says why there are no more.
    """
    asked = record.asked

    def hear(answer: Answer) -> None:
        keep_answer(folder, record.id, answer)
        listener(answer)

    try:
        answers = ask(
            folder,
            asked.agents,
            asked.question,
            asked.at,
            options=asked.options,
            spending=spending,
            listener=hear,
            stopping=stopping,
        )
    except BaseException as error:
        close_interview(folder, record.id, Closed(error=str(error) or type(error).__name__))
        raise
    closed = Closed(cancelled=len(answers) < len(asked.agents))
    close_interview(folder, record.id, closed)
    return replace(record, answers=answers, closed=closed)


def reply_to(
    folder: Path,
    agent: int,
    lines: Sequence[ChatLine],
    at: int,
    *,
    name: str = "",
    spending: SpendingOptions | None = None,
) -> ChatLine:
    """Return what a person says next in a chat; `name` tells this chat from others like it."""
    room = InterviewRoom(folder, [agent], at)
    heard: list[ChatLine] = []

    async def work() -> None:
        door = door_of(room.scenario.llm, spending or SpendingOptions(), folder)
        salt = f"{key(room.world.seed, 'chat', agent, at, name, len(lines)):016x}"
        seen = room.seen_by(agent)
        try:
            if room.is_small:
                last = lines[-1].text
                answer = await small_interview(room.speaker(door), seen, last, salt=salt)
                heard.append(ChatLine(True, answer.text, answer.calls, by=answer.by))
                return
            memory = parts_of(room.scenario, room.world.genesis, door).memory
            slate = room.shown_last(agent)
            given: dict[str, Any] = {"pack": room.pack, "model": room.model, "salt": salt}
            heard.append(await chat(door, memory, seen, lines, slate, **given))
        finally:
            await door.close()

    run_sync(work)
    return heard[0]


def _by_id(agents: Sequence[int] | None) -> Respondents:
    return Respondents() if agents is None else Respondents(tuple(agents))


def _present(world: World, agent: int) -> Agent:
    me = world.agents[agent]
    return replace(me, situation=Situation(world.now, "home"))


def _last_slates(log: Log, at: int, agents: set[int]) -> dict[int, tuple[int, ...]]:
    """Return the last page of each person."""
    slates: dict[int, tuple[int, ...]] = {}
    for chapter in log.chapters(end_round=at + 1):
        if chapter.agent in agents:
            for entry in chapter.entries:
                if isinstance(entry.event, SlateShown):
                    slates[chapter.agent] = entry.event.items
    return slates


def remember_answers(folder: Path, question: str, answers: Sequence[Answer]) -> int:
    """Let people remember an interview: an intervention at the next round. Return that round."""
    with Log.open(folder, write=True) as log:
        round_ = log.complete_rounds() + 1
        round_ += bool(log.partial(round_))  # a round that has begun is already open
        intervene(log, [{"round": round_, **reminder} for reminder in reminders(question, answers)])
    return round_


def reminders(question: str, answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Return the interventions by which people remember an interview, without their round."""
    return [
        {
            "do": "remind",
            "agent": answer.agent,
            "text": f'Asked "{question}", I answered: {answer.text}'[:500],
        }
        for answer in answers
        if answer.text
    ]
