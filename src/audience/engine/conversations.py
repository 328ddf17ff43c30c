"""Conversations: who talks with whom, and one conversation as a generator of turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence
from itertools import count

import msgspec

from audience.agents import Decision, Scene, Script
from audience.engine.rules import flagged, refuse, speech
from audience.engine.visit import Answer, Need, minded
from audience.world import (
    HUMAN,
    Agent,
    Observation,
    View,
    World,
    actions as a,
    events as e,
    overhear,
    rank,
)


class Talked(msgspec.Struct, frozen=True, gc=False):
    """A finished conversation."""

    entries: tuple[e.Entry, ...]
    decisions: int


Talk = Generator[Need, Answer, Talked]


MOST = 4
"""The most conversations of one person in a round, besides those that a human player opens."""
_BITS = 12
"""Bits of a rank that hold the sitting; the others are a hash, so that nobody is always first."""


class Sittings(msgspec.Struct, frozen=True):
    """The conversations of a round, sitting after sitting; nobody is in two at once."""

    granted: tuple[tuple[tuple[int, e.Wished], ...], ...]
    """The wishes of each sitting, with their ranks."""
    unmet: tuple[tuple[e.Wished, str], ...]
    """Wishes that come to nothing, and why."""


def sittings(world: View, wishes: Sequence[e.Wished]) -> Sittings:
    """Return when each wish to talk is granted: greedy by hash, those of human players first."""
    order = sorted(
        (
            wish.voice != HUMAN,
            rank(world.seed, "talk", wish.agent, wish.to, world.round),
            wish.agent,
            place,
        )
        for place, wish in enumerate(wishes)
    )
    busy: dict[int, set[int]] = defaultdict(set)
    granted: dict[int, list[tuple[int, e.Wished]]] = defaultdict(list)
    unmet: list[tuple[e.Wished, str]] = []
    for is_simulated, hashed, _, place in order:
        wish = wishes[place]
        taken = busy[wish.agent] | busy[wish.to]
        sitting = next(number for number in count() if number not in taken)
        if silent := {wish.agent, wish.to} & world.silent:
            unmet.append((wish, f"person {min(silent)} is silent"))
        elif sitting >= MOST and is_simulated:
            unmet.append((wish, f"there was no time: {MOST} conversations are enough for a round"))
        else:
            busy[wish.agent].add(sitting)
            busy[wish.to].add(sitting)
            granted[sitting].append((ranked_after(sitting + 1, hashed), wish))
    return Sittings(tuple(tuple(granted[number]) for number in sorted(granted)), tuple(unmet))


def ranked_after(sitting: int, hashed: int) -> int:
    """Return the rank of a meeting, so that the log holds the sittings of a round in order."""
    return sitting << (63 - _BITS) | hashed >> _BITS


def refused(unmet: Sequence[tuple[e.Wished, str]]) -> dict[int, list[e.Entry]]:
    """Return the refusals of unmet wishes, by the agent whose wish it was."""
    entries: dict[int, list[e.Entry]] = {}
    for wish, why in sorted(unmet, key=lambda each: (each[0].agent, each[0].to)):
        refusal = e.Entry(e.Refused(wish.agent, "Say", f"to {wish.to}: {why}"))
        entries.setdefault(wish.agent, []).append(refusal)
    return entries


def talk(
    world: World,
    wish: e.Wished,
    max_lines: int,
    *,
    joint: bool = False,
    at: int | None = None,
    people: tuple[Agent, Agent] | None = None,
) -> Talk:
    """Run a conversation in turns, or by one script; the wish is the first line.

    `at` is when it takes place, by default at the end of the round; `people` are the two as they
    will be then, by default as they are.
    """
    first, second = people or (world.agents[wish.agent], world.agents[wish.to])
    begin = first.numbered
    opening = e.Said(wish.agent, wish.to, wish.text, wish.items, wish.stance, wish.voice)
    spoken = _Spoken(world, opening, world.genesis.clock.at(world.round, 1.0) if at is None else at)
    if joint and max_lines > 1:
        seen = (spoken.heard_by(second, begin, first), spoken.heard_by(first, begin, second))
        script = yield Scene("dialogue", seen, max_lines - 1)
        spoken.follow(script, (second, first), max_lines - 1)
        return Talked(tuple(spoken.entries), 1)
    decisions = 0
    speaker, listener = second, first
    while len(spoken.lines) < max_lines:
        decision = yield spoken.heard_by(speaker, begin + decisions, listener)
        decisions += 1
        if not spoken.decided(decision, speaker, listener):
            break
        speaker, listener = listener, speaker
    return Talked(tuple(spoken.entries), decisions)


class _Spoken:
    """A conversation so far: its lines, and the entries of what was attempted."""

    def __init__(self, world: View, opening: e.Said, at: int) -> None:
        self.world = world
        self.now = at
        self.entries = [e.Entry(opening)]
        self.lines: tuple[e.Said, ...] = (opening,)

    def heard_by(self, me: Agent, turn: int, other: Agent) -> Observation:
        """Return what an agent may know at its turn."""
        return overhear(self.world, me, turn, other, self.lines, self.now)

    def decided(self, decision: Answer, speaker: Agent, listener: Agent) -> bool:
        """Add one agent's turn; return True if the conversation goes on."""
        if isinstance(decision, e.Failed):
            self.entries.append(e.Entry(decision))
            return False
        assert isinstance(decision, Decision)
        self.entries += [e.Entry(event) for event in minded(speaker, decision, self.now)]
        if decision.failure:
            failed = e.Failed(speaker.profile.id, decision.failure)
            self.entries.append(e.Entry(failed, "", decision.calls))
            return False
        for action in decision.actions:
            if not isinstance(action, (a.Say, a.Leave)):
                refused = refuse(speaker, action, "not possible in a conversation")
                self.entries.append(e.Entry(refused))
        line = next((action for action in decision.actions if isinstance(action, a.Say)), None)
        if line is None:
            return False
        return self.say(line, speaker, listener, decision.reason, decision.calls)

    def follow(self, script: Answer, people: tuple[Agent, Agent], most: int) -> None:
        """Add the lines of a script up to the first that is not allowed."""
        if isinstance(script, e.Failed):
            self.entries.append(e.Entry(script))
            return
        assert isinstance(script, Script)
        ids = tuple(agent.profile.id for agent in people)
        for who, thoughts in zip(ids, script.recalled, strict=False):
            if thoughts:
                self.entries.append(e.Entry(e.Recalled(who, thoughts, self.now)))
        if script.failure:
            self.entries.append(e.Entry(e.Failed(ids[0], script.failure), "", script.calls))
            return
        reason, calls = script.reason, script.calls
        for who, line in script.lines[:most]:
            if who not in ids:
                failed = e.Failed(ids[0], f"dialogue: {who} is not in this conversation")
                self.entries.append(e.Entry(failed, reason, calls))
                return
            speaker, listener = people if who == ids[0] else people[::-1]
            if not self.say(line, speaker, listener, reason, calls):
                return
            reason, calls = "", ()

    def say(
        self, line: a.Say, speaker: Agent, listener: Agent, reason: str, calls: tuple[str, ...]
    ) -> bool:
        """Add a line if it is allowed; return True if it was."""
        who, other = speaker.profile.id, listener.profile.id
        heard_now = {item for said in self.lines for item in said.items}
        known = tuple(item for item in line.items if item not in heard_now)
        told = a.Say(other, line.text, known, line.stance, line.voice)
        why = speech(self.world, speaker, told)
        if line.to != other:
            why = f"{line.to} is not in this conversation"
        if why:
            self.entries.append(e.Entry(refuse(speaker, line, why), reason, calls))
            return False
        said = e.Said(who, other, line.text, line.items, line.stance, line.voice)
        self.entries.append(e.Entry(said, reason, calls))
        strange = flagged(self.world, speaker, told, self.lines)
        self.entries += [e.Entry(event) for event in strange]
        self.lines = (*self.lines, said)
        return True
