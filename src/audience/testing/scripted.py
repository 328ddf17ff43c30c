"""Minds for tests: one that plays a script, one that takes its time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from audience.agents import Decision, Mind
from audience.memory import Memory
from audience.world.actions import AnyAction
from audience.world.observe import Observation
from audience.world.rng import Dice
from audience.world.rng import dice as named

Turn = Decision | AnyAction | Sequence[AnyAction]
"""What a script holds for one turn: a decision, an action, or several actions."""


class Exhausted(BaseException):
    """A script is used up. Not an Exception: the engine must not take it for a mind that failed."""


class ScriptedMind:
    """Plays the given turns of each agent, one after another, in visits and in conversations.

    An agent without a script plays `otherwise`; without that, or when a script is used up, the
    run ends with `Exhausted`. What each agent saw is kept in `seen`.
    """

    def __init__(
        self, scripts: Mapping[int, Sequence[Turn]], otherwise: Turn | None = None
    ) -> None:
        self._scripts = {
            agent: [_decision(turn) for turn in turns] for agent, turns in scripts.items()
        }
        self._otherwise = None if otherwise is None else _decision(otherwise)
        self._played = dict.fromkeys(self._scripts, 0)
        self.seen: dict[int, list[Observation]] = {}

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        del memory, dice
        who = seen.me.profile.id
        self.seen.setdefault(who, []).append(seen)
        if who not in self._scripts and self._otherwise is not None:
            return self._otherwise
        played, script = self._played.get(who, 0), self._scripts.get(who, [])
        if played >= len(script):
            raise Exhausted(
                f"agent {who} was asked for turn {played + 1} (round {seen.round}, "
                f"{seen.surface}), but its script has {len(script)}; write more or let it leave"
            )
        self._played[who] = played + 1
        return script[played]

    def left(self) -> dict[int, int]:
        """Return how many turns of each script were not played, where there are any."""
        rest = {agent: len(turns) - self._played[agent] for agent, turns in self._scripts.items()}
        return {agent: turns for agent, turns in rest.items() if turns}


def _decision(turn: Turn) -> Decision:
    if isinstance(turn, Decision):
        return turn
    return Decision(tuple(turn) if isinstance(turn, Sequence) else (turn,))


class SlowMind:
    """Another mind that takes up to `longest` seconds, so that visits end in a shuffled order.

    How long belongs to (seed, agent, round, turn). Drawing it leaves the dice of the mind alone.
    """

    def __init__(self, mind: Mind, *, seed: int = 0, longest: float = 0.003) -> None:
        self.mind = mind
        self.seed = seed
        self.longest = longest
        self.finished: list[int] = []
        """Agents in the order in which their decisions came."""

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        who = seen.me.profile.id
        draw = named(self.seed, "slow", who, seen.round, seen.turn).uniform("wait")
        await asyncio.sleep(self.longest * float(draw[0]))
        self.finished.append(who)
        return await self.mind.decide(seen, memory, dice)
