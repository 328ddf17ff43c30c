"""News of topics: who comes because of it, and how a topic begins."""

from __future__ import annotations

import numpy as np

from audience.engine.activation import Activation
from audience.engine.rules import LONGEST_TEXT
from audience.world import changes as c
from audience.world import events as e
from audience.world.rng import Floats, Ints, dice
from audience.world.topics import INTENSE
from audience.world.world import World


def reached(
    world: World, activation: Activation, chosen: Ints, places: Floats
) -> tuple[Ints, Floats, frozenset[int]]:
    """Return who comes with those whom news brings, their moments, and who comes for news alone.

    A message waits until it is read; `attention` is the chance that this happens in a round.
    """
    waiting = world.spread.waiting()
    if not len(waiting):
        return chosen, places, frozenset()
    draws = dice(world.seed, "wake", waiting, world.round)
    if activation.attention < 1.0:
        heeding = draws.uniform("heed") < activation.attention
        waiting, draws = waiting[heeding], draws.pick(np.flatnonzero(heeding))
    new = ~np.isin(waiting, [*chosen.tolist(), *world.silent])
    waiting, moments = waiting[new], draws.uniform("moment")[new]
    everybody = np.concatenate([chosen, waiting])
    order = np.argsort(everybody, kind="stable")
    both = np.concatenate([places, moments])[order]
    return everybody[order], both, frozenset(waiting.tolist())


def begun(world: World, change: c.Raise, round_: int) -> list[e.AnyEvent]:
    """Return how a topic begins: those who know it first feel it, have a view and tell it.

    What they tell is delivered as every post, at the end of the round.
    """
    number = len(world.spread.topics) - 1
    text = cut(change.topic.text)
    events: list[e.AnyEvent] = []
    for seed in change.seeds:
        stance = world.spread.standing(number, seed).leaning
        post = f"{round_}.{seed}.t{number}"
        events.append(e.MoodShifted(seed, number, INTENSE, "told it first"))
        events.append(e.AttitudeShifted(seed, number, stance, "told it first"))
        events.append(e.Posted(seed, post, text, (), change.stance, "", number))
    return events


def cut(text: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text of no more than `longest` characters, with a note of what is left out."""
    if len(text) <= longest:
        return text
    note = f" … (cut here: {len(text):,} characters in all)"
    return text[: longest - len(note)] + note
