"""Interviews: questions to people at the end of a round. Asking changes nothing by itself."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from audience.agents.language import Answer, interview, mind_prompts, small_interview
from audience.engine import run_sync
from audience.errors import BadInput
from audience.llm import together
from audience.log import Log, world_at
from audience.scenario import (
    SpendingOptions,
    door_of,
    endpoints_of,
    intervene,
    name_of,
    parse,
    parts_of,
)
from audience.world import Agent, Situation, SlateShown, World, key, observe

AT_ONCE = 64


def ask(
    folder: Path,
    agents: Sequence[int] | None,
    question: str,
    at: int,
    *,
    spending: SpendingOptions | None = None,
    listener: Callable[[Answer], None] | None = None,
    told: Callable[[Answer], None] | None = None,
) -> list[Answer]:
    """Return what people answer at the end of a round, from profile, history and memory.

    `agents` None asks everybody; `listener` gets each answer as it arrives. `told` is its old name.
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
    with Log.open(folder) as log:
        scenario = parse(log.scenario, str(folder))
        world = world_at(log, at)
        agents = range(len(world.agents)) if agents is None else agents
        _check_people(agents, len(world.agents), at)
        slates = _last_slates(log, at, set(agents))
    door = door_of(scenario.llm, spending or SpendingOptions(), folder)
    memory = parts_of(scenario, world.genesis, door).memory
    model = name_of(scenario.llm)
    pack = mind_prompts(str(scenario.mind.options.get("prompts", "")), model)
    is_small = not endpoints_of(scenario.llm) and not scenario.llm.model
    answers: list[Answer] = []

    async def one(agent: int, free: asyncio.Semaphore) -> Answer:
        items = [world.catalogue[item] for item in slates.get(agent, ())]
        salt = f"{key(world.seed, 'interview', agent, at, question):016x}"
        async with free:
            seen = observe(world, _present(world, agent), 0)
            if is_small:
                said = await small_interview(door, seen, question, model=model, salt=salt)
            else:
                said = await interview(
                    door, memory, seen, question, items, pack=pack, model=model, salt=salt
                )
            if listener:
                listener(said)
            return said

    async def work() -> None:
        free = asyncio.Semaphore(AT_ONCE)
        try:
            answers.extend(await together(one(agent, free) for agent in agents))
        finally:
            await door.close()

    run_sync(work)
    return answers


def _check_people(agents: Sequence[int], there: int, at: int) -> None:
    for agent in agents:
        if not 0 <= agent < there:
            raise BadInput(
                f"person {agent} does not exist at the end of round {at}; "
                f"give an id from 0 to {there - 1}"
            )


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
