"""Interventions: checking and applying changes from outside, and starting topics."""

from __future__ import annotations

import msgspec
import numpy as np

from audience.engine.activation import Activation
from audience.engine.rules import LONGEST_TEXT, is_text
from audience.engine.simulation import Simulation
from audience.errors import BadInput, unknown
from audience.world import (
    INTENSE,
    SYSTEM,
    Floats,
    Ints,
    Profile,
    Topic,
    View,
    World,
    changes as c,
    dice,
    events as e,
    post_id,
)


def reached(
    world: World, activation: Activation, chosen: Ints, places: Floats
) -> tuple[Ints, Floats, frozenset[int]]:
    """Return all visitors with those brought by news, their moments, and who comes for news only.

    A message waits until it is read; `attention` is the chance of that per round.
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
    """Return the events that start a topic: its seeds feel it, have an opinion and post it.

    One that is raised again has a second wave: its new seeds post it anew.
    Their posts are delivered like any other, at the end of the round.
    """
    number = world.spread.topics.index(change.topic)
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
    """Return a text of at most `longest` characters, with a note if it was cut."""
    if len(text) <= longest:
        return text
    note = f" … (cut here: {len(text):,} characters in all)"
    return text[: longest - len(note)] + note


_REFITTED = (c.SwapRecommender, c.AddItem, c.AddPerson)
"""Changes after which the recommender is refitted, so that a resume finds the same state."""


def opened(sim: Simulation, round_: int) -> list[e.AnyEvent]:
    """Open a round: apply its start, its interventions and the first fit; return the events."""
    world = sim.world
    events: list[e.AnyEvent] = []

    def happen(event: e.AnyEvent) -> None:
        events.append(event)
        world.apply(event)

    happen(e.RoundStarted(round_, world.genesis.clock.at(round_)))
    swapped = False
    queued = sim.control.open(round_, sim.keep) if sim.control else ()
    for number, change in enumerate((*sim.parts.changes.get(round_, ()), *queued)):
        if why := objection(world, change):
            raise BadInput(f"intervention {number + 1} of round {round_}: {why}")
        happen(e.Intervened(change))
        swapped = swapped or isinstance(change, _REFITTED)
        if isinstance(change, (c.Announce, c.Advertise)):
            readers = audience_of(world, change)
            if readers:
                post = post_id(round_, SYSTEM, number)
                happen(e.Delivered(post, SYSTEM, readers, change.text, change.items, change.stance))
        if isinstance(change, c.Raise):
            for event in begun(world, change, round_):
                happen(event)
    if world.fitted is None or swapped:
        happen(sim.fit())
    return events


def audience_of(world: World, change: c.Announce | c.Advertise) -> tuple[int, ...]:
    """Return who receives an announcement or an advertisement."""
    everybody = range(len(world.agents))
    if isinstance(change, c.Announce):
        return tuple(everybody)
    chosen = change.agents or everybody
    return tuple(who for who in chosen if is_meant(change, world.profile(who)))


def is_meant(change: c.Advertise, who: Profile) -> bool:
    """Return True if a person is in the target group of an advertisement."""
    if change.interest and change.interest not in who.interests:
        return False
    if change.gender and change.gender.casefold() != who.gender.casefold():
        return False
    if change.career and change.career.casefold() != who.career.casefold():
        return False
    if change.trait and change.trait.casefold() not in map(str.casefold, who.traits):
        return False
    if not change.ages:
        return True
    youngest, oldest = change.ages
    return who.age is not None and youngest <= who.age <= oldest


def objection(world: View, change: c.AnyChange) -> str:
    """Return why a change cannot be made, or empty if it can."""
    people, items = len(world.agents), len(world.catalogue)
    match change:
        case c.ChangeProfile(agent, fields):
            return _stranger(people, agent) or _fields(world.agents[agent].profile, fields)
        case c.AddPerson(profile, friends):
            taken = _taken("person", people, profile.id) or _leaning(world, profile)
            return taken or _stranger(people, *friends)
        case c.AddItem(item):
            return _taken("item", items, item.id) or _tags(world, item.tags)
        case c.AddTie(agent, other) | c.CutTie(agent, other):
            return _stranger(people, agent, other) or ("a tie needs two people" * (agent == other))
        case c.Silence(agent) | c.Remind(agent):
            return _stranger(people, agent)
        case c.Raise(topic, seeds, stance):
            return _topic(topic) or _stranger(people, *seeds) or _stance(stance)
        case c.Announce() | c.Advertise():
            return _message(change, people, items)
    return ""


def _message(change: c.Announce | c.Advertise, people: int, items: int) -> str:
    """Return why a message cannot be sent, or empty if it can."""
    wrong = _missing(items, change.items) or _stance(change.stance) or _words(change.text)
    if wrong or isinstance(change, c.Announce):
        return wrong
    return _stranger(people, *change.agents) or _ages(change.ages)


def _stance(stance: float) -> str:
    return "" if -1.0 <= stance <= 1.0 else f"stance {stance} is not in [-1, 1]"


def _topic(topic: Topic) -> str:
    """Return why a topic cannot be raised, or nothing when it can."""
    if not topic.name.strip() or not topic.text.strip():
        return "a topic needs a name and a text"
    if not is_text(topic.text + topic.about + topic.name):
        return f"the words of topic {topic.name!r} are no text"
    shares = {"favour": topic.favour, "decay": topic.decay, **topic.favour_of}
    for name, share in shares.items():
        if not 0.0 <= share <= 1.0:
            return f"{name} is {share}; give a share from 0 to 1"
    if topic.half_life <= 0.0 or topic.keep < 1:
        return f"half_life {topic.half_life} and keep {topic.keep} must be above 0"
    return ""


def _words(text: str) -> str:
    return "" if is_text(text) else "the text holds a lone surrogate and cannot be written down"


def _ages(ages: tuple[int, ...]) -> str:
    if not ages or (len(ages) == 2 and ages[0] <= ages[1]):
        return ""
    return f"ages {list(ages)} are no range; give the youngest and the oldest, as in [30, 45]"


def _leaning(world: View, profile: Profile) -> str:
    tags = len(world.catalogue.tags)
    if len(profile.leaning) in (0, tags):
        return ""
    return f"leaning has {len(profile.leaning)} numbers; give one for each of the {tags} tags"


def _taken(what: str, free: int, wanted: int) -> str:
    return "" if wanted == free else f"the next free {what} id is {free}, not {wanted}"


def _stranger(people: int, *agents: int) -> str:
    for agent in agents:
        if not 0 <= agent < people:
            return f"person {agent} does not exist; there are {people}, from 0 to {people - 1}"
    return ""


def _missing(items: int, mentioned: tuple[int, ...]) -> str:
    for item in mentioned:
        if not 0 <= item < items:
            return f"item {item} does not exist; there are {items}, from 0 to {items - 1}"
    return ""


def _fields(profile: Profile, fields: dict[str, object]) -> str:
    for name in fields:
        if name == "id" or name not in Profile.__struct_fields__:
            allowed = [field for field in Profile.__struct_fields__ if field != "id"]
            return str(unknown("profile field", name, allowed))
    try:
        msgspec.convert(msgspec.to_builtins(profile) | fields, Profile, strict=False)
    except msgspec.ValidationError as error:
        return f"a profile cannot have this: {error}"
    return ""


def _tags(world: View, tags: tuple[str, ...]) -> str:
    for tag in tags:
        if tag not in world.catalogue.tag_ids:
            return str(unknown("tag", tag, world.catalogue.tags))
    return ""
