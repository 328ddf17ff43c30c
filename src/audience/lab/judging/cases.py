"""The cases that are judged: texts of memories from a log, choices, and pairs of sequences."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.engine import LivedRound
from audience.errors import BadInput
from audience.lab.evaluation import (
    SHAPES,
    UNIFORM,
    Case,
    GeneratedSteps,
    Real,
    arenas,
    shape_name,
    stars_given,
)
from audience.lab.judging.tasks import VERSION, WRITTEN, Choose, Chosen, Pair, Paired, Shown
from audience.log import Log
from audience.memory import Life, is_telling, observations
from audience.world import Agent, Catalogue, World, events as e, key, rng

_KINDS = {"insight": "T2", "reflection": "T3"}
_LONGER = 1.25
"""How much longer than its summary an observation must be to be worth summarising."""


class Made(msgspec.Struct, frozen=True):
    """One text of an agent's memory and what it was made from."""

    what: str
    """T1, T2 or T3."""
    case: str
    person: str
    lines: tuple[str, ...]
    text: str


def made_in(log: Log, *, cases: int, seed: int) -> dict[str, list[Made]]:
    """Return up to `cases` summaries, insights and reflections each, by a named draw."""
    texts: dict[str, list[tuple[int, Made]]] = {what: [] for what in WRITTEN}
    for made in _all(log):
        drawn = texts[made.what]
        drawn.append((key(seed, "judging", made.case), made))
        if len(drawn) > 8 * cases + 256:
            drawn.sort(key=lambda pair: pair[0])
            del drawn[cases:]
    return {
        what: [made for _, made in sorted(drawn, key=lambda pair: pair[0])[:cases]]
        for what, drawn in texts.items()
    }


def _all(log: Log) -> Iterable[Made]:
    world, lives = World(log.genesis()), LivedRound()
    texts: dict[int, dict[int, str]] = defaultdict(dict)
    names: dict[int, str] = {}
    for chapter in log.chapters():
        for other in range(len(names), len(world.agents)):
            names[other] = world.profile(other).name
        if chapter.phase == e.MEMORY:
            lived = tuple(lives.events.get(chapter.agent, ()))
            end, me = world.genesis.clock.at(world.round, 1.0), world.agents[chapter.agent]
            life = Life(me, lived, world.catalogue, world.genesis.domain, names, end)
            yield from _consolidated(life, chapter, texts[chapter.agent])
        for entry in chapter.entries:
            world.apply(entry.event)
        lives.add(chapter)


def _consolidated(life: Life, chapter: e.Chapter, texts: dict[int, str]) -> Iterable[Made]:
    """Yield what one memory made at the end of a round; `texts`: what it made before."""
    events = [entry.event for entry in chapter.entries]
    yield from _summaries(life, [event for event in events if isinstance(event, e.Remembered)])
    for event in events:
        if isinstance(event, e.Remembered | e.Reflected | e.Merged):
            texts[event.thought] = event.text
        if isinstance(event, e.Reflected) and event.kind in _KINDS:
            lines = tuple(dict.fromkeys(texts[id_] for id_ in event.sources if id_ in texts))
            if len(lines) > 1:
                case = f"{event.agent}-{event.thought}"
                yield Made(_KINDS[event.kind], case, person(life.me), lines, event.text)


def _summaries(life: Life, taken: Sequence[e.Remembered]) -> Iterable[Made]:
    """Yield the summary of each observation, provided that none is missing."""
    seen = observations(life)
    if len(seen) != len(taken):
        return
    for observation, event in zip(seen, taken, strict=True):
        same = observation.at == event.at and observation.items[: len(event.items)] == event.items
        if same and is_telling(observation) and len(observation.text) >= _LONGER * len(event.text):
            case = f"{event.agent}-{event.thought}"
            yield Made("T1", case, person(life.me), (observation.text,), event.text)


def person(me: Agent) -> str:
    """Return who a person is, in one line."""
    who = me.profile
    parts = [who.name or f"Person {who.id}"]
    if who.age:
        parts.append(f"{who.age} years old")
    if who.career:
        parts.append(who.career)
    if who.traits:
        parts.append(", ".join(who.traits))
    if who.interests:
        parts.append("likes " + ", ".join(who.interests))
    return "; ".join(parts) + "."


HISTORY = 30
"""Items of a history that are shown; the others are summed up by number and tags."""
_TASTES = 4


def choices(
    real: Real,
    *,
    cases: int,
    seed: int,
    shapes: Sequence[tuple[int, int]] = SHAPES,
    negatives: str = UNIFORM,
) -> Iterator[tuple[Choose, Chosen]]:
    """Yield `cases` choices of each shape, the same as `eval discrimination` makes with this seed.

    No person occurs twice: the history of one shape would give away the truth of another.
    """
    if cases * len(shapes) > real.people:
        raise BadInput(
            f"--cases {cases}: {len(shapes)} shapes need {cases * len(shapes)} people and "
            f"{real.name} has {real.people}; ask for fewer"
        )
    task_sets = arenas(real, shapes=shapes, agents=cases * len(shapes), seed=seed)
    tasks = {task.name: task for arena in task_sets for task in arena.tasks}
    order = rng(seed, "judging", "users").permutation(cases * len(shapes))
    stars = _stars(real)
    for place, (a, b) in enumerate(shapes):
        task = tasks[f"{negatives} {shape_name(a, b)}"]
        for at in np.sort(order[place :: len(shapes)]).tolist():
            yield _choice(real, task.cases[at], stars, (a, b), negatives)


def _choice(
    real: Real,
    case: Case,
    stars: dict[tuple[int, int], float],
    shape: tuple[int, int],
    negatives: str,
) -> tuple[Choose, Chosen]:
    catalogue, user = real.catalogue, case.user
    shown = [
        shown_item(catalogue, item, stars.get((user, item), 0.0))
        for item in reversed(case.history[-HISTORY:])
    ]
    seen = Choose(
        "",
        tuple(shown),
        max(0, len(case.history) - HISTORY),
        tastes(catalogue, case.history),
        tuple(shown_item(catalogue, item) for item in case.candidates),
        sum(case.truth),
    )
    key = real.keys[user] if user < len(real.keys) else ""
    return seen, Chosen(user, key, *shape, negatives, case.candidates, case.truth)


def shown_item(catalogue: Catalogue, item: int, stars: float = 0.0) -> Shown:
    """Return an item as judges see it."""
    entry = catalogue[item]
    return Shown(entry.title, entry.year, entry.tags, stars)


def tastes(catalogue: Catalogue, history: Sequence[int]) -> str:
    """Return the most frequent tags of a history with their shares."""
    counts = Counter(tag for item in history for tag in catalogue[item].tags)
    common = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))[:_TASTES]
    return ", ".join(f"{tag} {100 * many / len(history):.0f} %" for tag, many in common)


def _stars(real: Real) -> dict[tuple[int, int], float]:
    """Return the stars each person gave each item, the first time where there are several."""
    rated = np.flatnonzero(real.stars > 0)[::-1]
    columns = (real.users[rated], real.items[rated], real.stars[rated])
    users, items, stars = (column.tolist() for column in columns)
    return dict(zip(zip(users, items, strict=True), stars, strict=True))


SEQUENCES, REFERENCES = "audience-sequences", "audience-references"
AGENT, PERSON = "agent", "person"
TRUTH = "truth"
"""The key under which a file of sequences holds what a person really did."""

_File = TypeVar("_File", "SequenceFile", "References")


class Walk(msgspec.Struct, frozen=True):
    """How several minds, and the person themselves, went on from the same history."""

    user: int
    steps: int
    history: tuple[Shown, ...]
    """Newest first."""
    ways: dict[str, tuple[Shown, ...]]
    """By the name of the mind, or `truth`."""


class SequenceFile(msgspec.Struct, frozen=True):
    """A file of sequences, as `audience eval generation` exports it."""

    walks: tuple[Walk, ...]
    plural: str = "items"
    format: str = SEQUENCES
    version: int = VERSION


class Reference(msgspec.Struct, frozen=True):
    """A case of T1 to T3 with the texts that people wrote for it."""

    made: Made
    texts: dict[str, str]
    """By judge."""


class References(msgspec.Struct, frozen=True):
    """A file of references, as `audience eval people import` writes it."""

    cases: tuple[Reference, ...]
    format: str = REFERENCES
    version: int = VERSION


def read_file(path: Path, kind: type[_File], flag: str) -> _File:
    """Return a file of sequences or of references."""
    try:
        file = msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise BadInput(f"{flag} {path} cannot be read: {error.strerror or error}") from error
    except msgspec.MsgspecError as error:
        raise BadInput(f"{flag} {path} is not such a file: {error}") from error
    expected = kind.__struct_defaults__[-2]
    if file.format != expected:
        raise BadInput(f"{flag} {path}: its format is {file.format!r}, not {expected!r}")
    return file


def text_pairs(references: References, seed: int) -> Iterator[tuple[Pair, Paired]]:
    """Yield each text that a person wrote beside the agent's, in a drawn order."""
    for reference in references.cases:
        made = reference.made
        for author, text in sorted(reference.texts.items()):
            case = f"{made.what}/{made.case}/{author}"
            sides: dict[str, tuple[str, ...]] = {AGENT: (made.text,), PERSON: (text,)}
            about = (made.what, made.person, made.lines)
            yield _pair(about, sides, made.what, case, seed, author)


def way_pairs(file: SequenceFile, cases: int, seed: int) -> Iterator[tuple[Pair, Paired]]:
    """Yield every pair of sequences of up to `cases` people for each number of steps."""
    for steps in sorted({walk.steps for walk in file.walks}):
        walks = [walk for walk in file.walks if walk.steps == steps]
        walks.sort(key=lambda walk: key(seed, "judging", "walk", walk.user, walk.steps))
        for walk in walks[:cases]:
            about = ("sequence", "", tuple(item_line(item) for item in walk.history))
            names = sorted(walk.ways, key=lambda name: name == TRUTH)
            for first, second in combinations(names, 2):
                # Stars would give away the sequence that is real.
                sides = {
                    name: tuple(item_line(replace(item, stars=0.0)) for item in walk.ways[name])
                    for name in (first, second)
                }
                yield _pair(about, sides, f"N={steps}", f"N={steps}/{walk.user}", seed)


def _pair(
    about: tuple[str, str, tuple[str, ...]],
    sides: dict[str, tuple[str, ...]],
    table: str,
    case: str,
    seed: int,
    author: str = "",
) -> tuple[Pair, Paired]:
    first, second = sides
    if key(seed, "judging", "side", case, first, second) % 2:
        first, second = second, first
    seen = Pair("", *about, sides[first], sides[second])
    return seen, Paired(table, case, first, second, author)


def item_line(item: Shown) -> str:
    """Return an item on one line, with the stars that the person gave it."""
    year = f" ({item.year})" if item.year else ""
    stars = f" · {item.stars:g} of 5 stars" if item.stars else ""
    return f"{item.title}{year}" + (f" · {', '.join(item.tags)}" if item.tags else "") + stars


FILE = "sequences.json"
"""The file of sequences in the folder of an evaluation of generation."""


def exported(real: Real, generated: Sequence[GeneratedSteps], names: Sequence[str]) -> bytes:
    """Return the file for `audience eval people make` and `judge`: named minds and the truth."""
    stars = stars_given(real)

    def shown(user: int, item: int, *, rated: bool) -> Shown:
        return shown_item(real.catalogue, item, stars.get((user, item), 0.0) if rated else 0.0)

    walks = []
    for steps in generated:
        for place, (user, history) in enumerate(steps.path.histories.items()):
            ways = {
                name: steps.ways[name].scores[place].astype(np.int64).tolist()
                for name in names
                if name in steps.ways
            }
            ways[TRUTH] = list(steps.path.truth[user])
            last = reversed(history[-HISTORY:])
            walks.append(
                Walk(
                    user,
                    steps.path.steps,
                    tuple(shown(user, item, rated=True) for item in last),
                    {
                        name: tuple(shown(user, item, rated=False) for item in way)
                        for name, way in ways.items()
                    },
                )
            )
    return msgspec.json.encode(SequenceFile(tuple(walks), real.domain.plural)) + b"\n"
