"""Table 2: what a person recalls for a behaviour, with all of their memory and without parts."""

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
"""Long-term thoughts recalled at most, as for a mind that is a language model."""
_MEMORY_KINDS = ("choosing", "talking", "posting")
_OPTIONS = ("decay", "budget", "embedder")


class Behaviour(msgspec.Struct, frozen=True):
    """A moment in which a person needed memories."""

    kind: str
    me: Agent
    """As the person was before."""
    cue: str
    lines: tuple[str, ...]
    now: int
    rank: tuple[int, int]
    """Those with more kinds of thoughts first, then by a named draw."""


def scores(log: Log, *, cases: int, seed: int) -> Iterator[tuple[Score, ScoredKey]]:
    """Yield some behaviours of a run, each with every variant of the memory."""
    part = parse(log.scenario, str(log.folder)).memory
    if part.kind != "recagent":
        raise BadInput(
            f"--run {log.folder}: its memory is {part.kind!r}; only RecAgent's memory with its "
            "three stores can be scored: run with --memory recagent"
        )
    memory = _memory(part)
    for behaviour in _spread(_behaviours(log, seed), cases):
        for variant in VARIANTS:
            case = f"{behaviour.me.profile.id}-{behaviour.now}-{behaviour.kind}"
            came = recalled(memory, behaviour, variant)
            yield Score("", person(behaviour.me), behaviour.lines, came), ScoredKey(case, variant)


def _memory(part: Part) -> Memory:
    options = {name: part.options[name] for name in _OPTIONS if name in part.options}
    if options.get("embedder") == "openai":
        del options["embedder"]
    return RecAgentMemory(consolidation="rule", **options)


def recalled(memory: Memory, behaviour: Behaviour, variant: str) -> tuple[str, ...]:
    """Return what is recalled when a part of the memory is taken away."""
    lacking = variant.partition("no-")[2]
    left = tuple(
        thought
        for thought in behaviour.me.thoughts
        if thought.store != lacking and (lacking != "reflection" or thought.kind != "reflection")
    )
    texts: list[str] = []

    async def work() -> None:
        me = replace(behaviour.me, thoughts=left)
        came = await memory.recall(me, behaviour.cue, behaviour.now, LIMIT)
        texts.extend(thought.text for thought in came.thoughts)

    run_sync(work)
    return tuple(texts)


def _spread(behaviours: Iterable[Behaviour], cases: int) -> list[Behaviour]:
    """Return the best behaviours, each kind in turn, no person twice while there are others."""
    kinds: dict[str, list[Behaviour]] = {kind: [] for kind in _MEMORY_KINDS}
    for behaviour in sorted(behaviours, key=lambda behaviour: behaviour.rank):
        kinds[behaviour.kind].append(behaviour)
    chosen: list[Behaviour] = []
    people: set[int] = set()
    again: list[Behaviour] = []
    while any(kinds.values()):
        for left in kinds.values():
            if left:
                behaviour = left.pop(0)
                (again if behaviour.me.profile.id in people else chosen).append(behaviour)
                people.add(behaviour.me.profile.id)
    return (chosen + again)[:cases]


def _behaviours(log: Log, seed: int) -> Iterator[Behaviour]:
    world = World(log.genesis())
    for chapter in log.chapters():
        if chapter.phase in (e.VISITS, e.CONVERSATIONS):
            for kind, agent, cue, lines in _in_chapter(world, chapter):
                me = world.agents[agent]
                stores = {thought.store for thought in me.thoughts}
                reflects = any(thought.kind == "reflection" for thought in me.thoughts)
                richness = len(stores) + reflects
                if stores:
                    drawn = key(seed, "judging", kind, agent, chapter.round)
                    now = _moment(world, chapter)
                    yield Behaviour(kind, me, cue, lines, now, (-richness, drawn))
        for entry in chapter.entries:
            world.apply(entry.event)


def _moment(world: World, chapter: e.Chapter) -> int:
    woke = (entry.event.at for entry in chapter.entries if isinstance(entry.event, e.Woke))
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
        f"{_name(world, post.author)} posted: {post.text}" if post.author >= 0 else post.text
        for post in me.inbox[-3:]
    )
    return cue, (f"{_name(world, me.profile.id)} is about to write a post for friends.", *seen)


def _talk(world: World, event: e.Said, before: Sequence[e.AnyEvent]) -> tuple[str, tuple[str, ...]]:
    speech = [line for line in before if isinstance(line, e.Said)][-2:]
    head = f"{_name(world, event.agent)} talks with {_name(world, event.to)} and is about to speak."
    lines = tuple(f"{_name(world, line.agent)} said: {line.text}" for line in speech)
    return " ".join(line.text for line in speech), (head, *lines)


def _name(world: World, agent: int) -> str:
    return world.profile(agent).name or f"person {agent}"
