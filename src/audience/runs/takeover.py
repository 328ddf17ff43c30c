"""A person takes an agent's place in a run, or joins it as somebody new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from audience.agents.human import HumanMind
from audience.engine import run_sync
from audience.errors import BadInput, shell_command
from audience.llm import CallStore, Person, Terminal, compose
from audience.log import Log
from audience.runs.launch import resume
from audience.runs.lifecycle import Finished, Progress
from audience.scenario import FILE, changes_of, from_tree, parse, text_of


def play_person(
    folder: Path,
    agent: int | None,
    terminal: Terminal | None = None,
    *,
    rounds: int = 1,
    name: str = "",
    interests: tuple[str, ...] = (),
    friends: tuple[int, ...] = (),
    progress: Progress | None = None,
) -> tuple[int, Finished]:
    """Continue a run for some rounds with one of its people played from a terminal.

    Without an agent somebody new joins, with a name, interests and mutual ties to `friends`. Return
    who was played, and the finished run.
    """
    if rounds < 1:
        raise BadInput(f"--rounds {rounds} is too small; play at least 1")
    with Log.open(folder, write=True) as log:
        tree = msgspec.to_builtins(parse(log.scenario, str(folder)))
        done = log.complete_rounds()
        there = len(log.genesis().profiles) + len(_joined(tree, done + 1))
        if agent is None:
            agent = there
            newcomer = _newcomer(log, name, interests, friends)
            tree["interventions"] = [*tree["interventions"], newcomer]
        elif not 0 <= agent < there:
            raise BadInput(f"person {agent} does not exist; give an id from 0 to {there - 1}")
        tree["run"]["rounds"] = max(tree["run"]["rounds"], done + rounds)
        played = from_tree(tree, str(folder))
        changes_of(played.interventions, log.genesis())
        log.set_scenario(text_of(played))
    door = compose(Person(terminal), store=CallStore(folder / FILE, at_once=True))
    try:
        minds = {agent: HumanMind(door)}
        return agent, resume(folder, progress=progress, minds=minds, upto=done + rounds)
    finally:
        run_sync(door.close)


def _joined(tree: dict[str, Any], round_: int) -> list[dict[str, Any]]:
    """Return the person who joined at the opening of a round."""
    added = [one for one in tree["interventions"] if one.get("do") == "add_person"]
    return [one for one in added if one["round"] <= round_]


def _newcomer(
    log: Log, name: str, interests: tuple[str, ...], friends: tuple[int, ...]
) -> dict[str, Any]:
    """Return the intervention that adds a person to the next round."""
    round_ = log.complete_rounds() + 1
    if log.partial(round_):
        raise BadInput(
            f"round {round_} has begun, and nobody can join it; play somebody by id, "
            f"or end it first: {shell_command('resume', log.folder)}"
        )
    return {
        "round": round_,
        "do": "add_person",
        "name": name or "You",
        "interests": list(interests),
        "friends": list(friends),
        "activity": 1.0,
    }
