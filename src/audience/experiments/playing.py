"""A person takes an agent's place in a run, or joins it as somebody new."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec

from audience.agents import HumanMind
from audience.engine import run_sync
from audience.errors import BadInput
from audience.experiments.runs import Finished, Progress, resume, text_of
from audience.experiments.scenario import from_tree, parse
from audience.llm import CallStore, Door, compose
from audience.llm.kinds import Reply, Request
from audience.log import Log

FILE = "human.db"
"""What people typed: kept at once, and never asked for twice."""
Terminal = Callable[[str], str | None]
"""Shows some words and returns what was typed; None when nobody is there any more."""


class Person:
    """A gateway behind which somebody sits."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    async def ask(self, request: Request) -> Reply:
        words = request.messages[-1].content
        typed = await asyncio.to_thread(self.terminal, words)
        if typed is None:
            return Reply(request.key, "refusal", why="nobody answered", model="human")
        return Reply(request.key, "reply", (typed,), model="human")

    async def close(self) -> None: ...


def play(
    folder: Path,
    agent: int | None,
    terminal: Terminal,
    *,
    rounds: int = 1,
    name: str = "",
    interests: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> Finished:
    """Go on with a run for some rounds, one of its people being played from a terminal."""
    with Log.open(folder, write=True) as log:
        tree = msgspec.to_builtins(parse(log.scenario, str(folder)))
        done, people = log.complete_rounds(), len(log.genesis().profiles)
        added = [one for one in tree["interventions"] if one.get("do") == "add_person"]
        there = people + len(added)
        if agent is None:
            person = {"round": done + 1, "do": "add_person", "name": name or "You"}
            person |= {"interests": list(interests), "activity": 1.0}
            tree["interventions"] = [*tree["interventions"], person]
            agent = there
        elif not 0 <= agent < there:
            raise BadInput(f"person {agent} does not exist; give an id from 0 to {there - 1}")
        tree["run"]["rounds"] = max(tree["run"]["rounds"], done + rounds)
        played = from_tree(tree, str(folder))
        log.set_scenario(text_of(played))
    door = compose(Person(terminal), store=CallStore(folder / FILE))
    try:
        minds = {agent: HumanMind(_AtOnce(door))}
        return resume(folder, progress=progress, minds=minds, upto=done + rounds)
    finally:
        run_sync(door.close)


class _AtOnce:
    """Keeps each line before anything is made of it."""

    def __init__(self, door: Door) -> None:
        self.door = door

    async def ask(self, request: Request) -> Reply:
        reply = await self.door.ask(request)
        self.door.flush()
        return reply

    async def close(self) -> None: ...
