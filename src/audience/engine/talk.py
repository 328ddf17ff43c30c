"""Conversations: who talks with whom, and one conversation as a generator of turns."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import msgspec

from audience.agents import Decision
from audience.engine.mentions import flagged
from audience.engine.rules import refuse, speech
from audience.engine.visit import Answer, Need, minded
from audience.world import actions as a
from audience.world import events as e
from audience.world.agent import Agent
from audience.world.observe import overhear
from audience.world.rng import rank
from audience.world.world import View, World


class Talked(msgspec.Struct, frozen=True, gc=False):
    """A finished conversation."""

    entries: tuple[e.Entry, ...]
    decisions: int


Talk = Generator[Need, Answer, Talked]


def pairs(world: View, wishes: Sequence[e.Wished]) -> list[tuple[int, e.Wished]]:
    """Return the wishes that are fulfilled, with ranks: greedy by hash, one talk a person."""
    ranked = sorted(
        (rank(world.seed, "talk", wish.agent, wish.to, world.round), wish.agent, place)
        for place, wish in enumerate(wishes)
    )
    busy = set(world.silent)
    chosen = []
    for place, _, wish_at in ranked:
        wish = wishes[wish_at]
        if wish.agent not in busy and wish.to not in busy:
            busy |= {wish.agent, wish.to}
            chosen.append((place, wish))
    return chosen


def talk(world: World, wish: e.Wished, max_lines: int) -> Talk:
    """Let the two speak in turn; the wish is the first line."""
    first, second = world.agents[wish.agent], world.agents[wish.to]
    opening = e.Said(wish.agent, wish.to, wish.text, wish.items, wish.stance, wish.voice)
    entries = [e.Entry(opening)]
    lines: tuple[e.Said, ...] = (opening,)
    decisions = 0
    speaker, listener = second, first
    while len(lines) < max_lines:
        decision = yield overhear(world, speaker, decisions, listener, lines)
        decisions += 1
        said = _spoken(world, speaker, listener, decision, lines, entries)
        if said is None:
            break
        lines = (*lines, said)
        speaker, listener = listener, speaker
    return Talked(tuple(entries), decisions)


def _spoken(
    world: View,
    speaker: Agent,
    listener: Agent,
    decision: Answer,
    lines: tuple[e.Said, ...],
    entries: list[e.Entry],
) -> e.Said | None:
    who, other = speaker.profile.id, listener.profile.id
    now = world.genesis.clock.at(world.round, 1.0)
    if isinstance(decision, e.Failed):
        entries.append(e.Entry(decision))
        return None
    assert isinstance(decision, Decision)
    entries += [e.Entry(event) for event in minded(speaker, decision, now)]
    if decision.failure:
        entries.append(e.Entry(e.Failed(who, decision.failure), "", decision.calls))
        return None
    for action in decision.actions:
        if not isinstance(action, (a.Say, a.Leave)):
            entries.append(e.Entry(refuse(speaker, action, "not possible in a conversation")))
    line = next((action for action in decision.actions if isinstance(action, a.Say)), None)
    if line is None:
        return None
    heard_now = {item for said in lines for item in said.items}
    known = tuple(item for item in line.items if item not in heard_now)
    why = speech(world, speaker, a.Say(other, line.text, known, line.stance))
    if line.to != other:
        why = f"{line.to} is not in this conversation"
    if why:
        entries.append(e.Entry(refuse(speaker, line, why), decision.reason, decision.calls))
        return None
    said = e.Said(who, other, line.text, line.items, line.stance, line.voice)
    entries.append(e.Entry(said, decision.reason, decision.calls))
    entries += [e.Entry(strange) for strange in flagged(world, speaker, line.text, lines)]
    return said
