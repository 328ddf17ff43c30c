"""What comes to mind for a behaviour, with all of a memory and without a part of it (table 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from audience.engine import run_sync
from audience.errors import BadInput
from audience.lab.judging.cases import item_line, person, shown_item
from audience.lab.judging.tasks import VARIANTS, Score, ScoredKey
from audience.log import Log
from audience.memory import Memory, RecAgentMemory
from audience.scenario import Part, parse
from audience.world import Agent, World, events as e, key

LIMIT = 5
"""Long-term thoughts that come to mind at most, as for a mind that is a language model."""
_MEMORY_KINDS = ("choosing", "talking", "posting")
_OPTIONS = ("decay", "budget", "embedder")


class Behaviour(msgspec.Struct, frozen=True):
    """A moment in which somebody needed memories."""

    kind: str
    me: Agent
    """As it was before."""
    cue: str
    lines: tuple[str, ...]
    now: int
    rank: tuple[int, int]
    """Those with more kinds of thoughts first, then by a named draw."""


def scores(log: Log, *, cases: int, seed: int) -> Iterator[tuple[Score, ScoredKey]]:
    """Yield each of some behaviours of a run with each variant of its memory."""
    part = parse(log.scenario, str(log.folder)).memory
    if part.kind != "recagent":
        raise BadInput(
            f"--run {log.folder}: its memory is {part.kind!r}; memories are scored for one with "
            "the three stores of RecAgent: run with --memory recagent"
        )
    memory = _memory(part)
    for one in _spread(_behaviours(log, seed), cases):
        for variant in VARIANTS:
            case = f"{one.me.profile.id}-{one.now}-{one.kind}"
            came = recalled(memory, one, variant)
            yield Score("", person(one.me), one.lines, came), ScoredKey(case, variant)


def _memory(part: Part) -> Memory:
    options = {name: part.options[name] for name in _OPTIONS if name in part.options}
    if options.get("embedder") == "openai":
        del options["embedder"]
    return RecAgentMemory(consolidation="rule", **options)


def recalled(memory: Memory, behaviour: Behaviour, variant: str) -> tuple[str, ...]:
    """Return what comes to mind when a part of what is remembered is taken away."""
    lacking = variant.partition("no-")[2]
    left = tuple(
        one
        for one in behaviour.me.thoughts
        if one.store != lacking and (lacking != "reflection" or one.kind != "reflection")
    )
    found: list[str] = []

    async def work() -> None:
        me = replace(behaviour.me, thoughts=left)
        came = await memory.recall(me, behaviour.cue, behaviour.now, LIMIT)
        found.extend(one.text for one in came.thoughts)

    run_sync(work)
    return tuple(found)


def _spread(found: Iterable[Behaviour], cases: int) -> list[Behaviour]:
    """Return the best behaviours, each kind in turn, each person once while there are others."""
    kinds: dict[str, list[Behaviour]] = {kind: [] for kind in _MEMORY_KINDS}
    for one in sorted(found, key=lambda one: one.rank):
        kinds[one.kind].append(one)
    chosen: list[Behaviour] = []
    people: set[int] = set()
    again: list[Behaviour] = []
    while any(kinds.values()):
        for left in kinds.values():
            if left:
                one = left.pop(0)
                (again if one.me.profile.id in people else chosen).append(one)
                people.add(one.me.profile.id)
    return (chosen + again)[:cases]


def _behaviours(log: Log, seed: int) -> Iterator[Behaviour]:
    world = World(log.genesis())
    for chapter in log.chapters():
        if chapter.phase in (e.VISITS, e.CONVERSATIONS):
            for found in _in_chapter(world, chapter):
                kind, agent, cue, lines = found
                me = world.agents[agent]
                stores = {one.store for one in me.thoughts}
                richness = len(stores) + any(one.kind == "reflection" for one in me.thoughts)
                if stores:
                    drawn = key(seed, "judging", kind, agent, chapter.round)
                    now = _moment(world, chapter)
                    yield Behaviour(kind, me, cue, lines, now, (-richness, drawn))
        for entry in chapter.entries:
            world.apply(entry.event)


def _moment(world: World, chapter: e.Chapter) -> int:
    woke = (one.event.at for one in chapter.entries if isinstance(one.event, e.Woke))
    return next(woke, world.genesis.clock.at(chapter.round, 0.5))


def _in_chapter(
    world: World, chapter: e.Chapter
) -> Iterator[tuple[str, int, str, tuple[str, ...]]]:
    """Yield the first behaviour of each kind in a chapter: kind, agent, cue and words."""
    done: set[str] = set()
    events = [entry.event for entry in chapter.entries]
    slate: tuple[int, ...] = ()
    for place, event in enumerate(events):
        if isinstance(event, e.SlateShown):
            slate = event.items
        if isinstance(event, e.Picked) and "choosing" not in done:
            done.add("choosing")
            yield "choosing", event.agent, *_page(world, event.agent, slate)
        if isinstance(event, e.Posted) and "posting" not in done:
            done.add("posting")
            yield "posting", event.agent, *_post(world, world.agents[event.agent])
        if isinstance(event, e.Said) and "talking" not in done and place:
            done.add("talking")
            yield "talking", event.agent, *_talk(world, event, events[:place])


def _page(world: World, agent: int, slate: Sequence[int]) -> tuple[str, tuple[str, ...]]:
    name, words = _name(world, agent), world.genesis.domain
    lines = [item_line(shown_item(world.catalogue, item)) for item in slate]
    head = f"{name} looks at recommended {words.plural} and decides which to take:"
    return " ".join(world.catalogue[item].title for item in slate), (head, *lines)


def _post(world: World, me: Agent) -> tuple[str, tuple[str, ...]]:
    cue = " ".join(message.text for message in me.inbox[-3:]) or " ".join(me.profile.interests)
    seen = tuple(
        f"{_name(world, one.author)} posted: {one.text}" if one.author >= 0 else one.text
        for one in me.inbox[-3:]
    )
    return cue, (f"{_name(world, me.profile.id)} is about to write a post for friends.", *seen)


def _talk(world: World, event: e.Said, before: Sequence[e.AnyEvent]) -> tuple[str, tuple[str, ...]]:
    said = [one for one in before if isinstance(one, e.Said)][-2:]
    head = f"{_name(world, event.agent)} talks with {_name(world, event.to)} and is about to speak."
    lines = tuple(f"{_name(world, one.agent)} said: {one.text}" for one in said)
    return " ".join(one.text for one in said), (head, *lines)


def _name(world: World, agent: int) -> str:
    return world.profile(agent).name or f"person {agent}"
