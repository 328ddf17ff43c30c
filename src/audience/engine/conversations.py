"""Conversations: who talks with whom, and one conversation as a generator of turns."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence

import msgspec

from audience.agents import Decision, Scene, Script
from audience.engine.rules import flagged, refuse, speech
from audience.engine.visit import Answer, Need, minded
from audience.world import Agent, View, World, actions as a, events as e, overhear, rank


class Talked(msgspec.Struct, frozen=True, gc=False):
    """A finished conversation."""

    entries: tuple[e.Entry, ...]
    decisions: int


Talk = Generator[Need, Answer, Talked]


def pairs(
    world: View, wishes: Sequence[e.Wished], engaged: Iterable[int] = ()
) -> list[tuple[int, e.Wished]]:
    """Return the wishes that are fulfilled, with ranks: greedy by hash, one talk a person.

    Those who are `engaged` otherwise talk with nobody.
    """
    ranked = sorted(
        (rank(world.seed, "talk", wish.agent, wish.to, world.round), wish.agent, place)
        for place, wish in enumerate(wishes)
    )
    busy = {*world.silent, *engaged}
    chosen = []
    for place, _, wish_at in ranked:
        wish = wishes[wish_at]
        if wish.agent not in busy and wish.to not in busy:
            busy |= {wish.agent, wish.to}
            chosen.append((place, wish))
    return chosen


def talk(world: World, wish: e.Wished, max_lines: int, *, joint: bool = False) -> Talk:
    """Run a conversation in turns, or by one script; the wish is the first line."""
    first, second = world.agents[wish.agent], world.agents[wish.to]
    opening = e.Said(wish.agent, wish.to, wish.text, wish.items, wish.stance, wish.voice)
    spoken = _Spoken(world, opening)
    if joint and max_lines > 1:
        seen = (
            overhear(world, second, 0, first, spoken.lines),
            overhear(world, first, 0, second, spoken.lines),
        )
        script = yield Scene("dialogue", seen, max_lines - 1)
        spoken.follow(script, (second, first), max_lines - 1)
        return Talked(tuple(spoken.entries), 1)
    decisions = 0
    speaker, listener = second, first
    while len(spoken.lines) < max_lines:
        decision = yield overhear(world, speaker, decisions, listener, spoken.lines)
        decisions += 1
        if not spoken.decided(decision, speaker, listener):
            break
        speaker, listener = listener, speaker
    return Talked(tuple(spoken.entries), decisions)


class _Spoken:
    """A conversation so far: its lines, and the entries of what was attempted."""

    def __init__(self, world: View, opening: e.Said) -> None:
        self.world = world
        self.now = world.genesis.clock.at(world.round, 1.0)
        self.entries = [e.Entry(opening)]
        self.lines: tuple[e.Said, ...] = (opening,)

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
        why = speech(self.world, speaker, a.Say(other, line.text, known, line.stance))
        if line.to != other:
            why = f"{line.to} is not in this conversation"
        if why:
            self.entries.append(e.Entry(refuse(speaker, line, why), reason, calls))
            return False
        said = e.Said(who, other, line.text, line.items, line.stance, line.voice)
        self.entries.append(e.Entry(said, reason, calls))
        strange = flagged(self.world, speaker, line.text, self.lines)
        self.entries += [e.Entry(event) for event in strange]
        self.lines = (*self.lines, said)
        return True
