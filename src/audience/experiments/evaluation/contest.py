"""Letting contestants answer the same cases, each once, whatever was answered before."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from audience.experiments.evaluation.baselines import Ground
from audience.experiments.evaluation.cases import Arena, Case, Contestant, Task
from audience.experiments.evaluation.keeping import Keeper, Kept, joined, task_digest
from audience.experiments.evaluation.mixing import Flat, folds_of, mixed
from audience.llm import Counts
from audience.world.rng import Floats

Progress = Callable[[str, int, int], None]
"""Told who answers, how many of its cases are done, and how many there are."""
Make = Callable[[Ground], Awaitable[Contestant]]
MIX, CONTENT_MIX = "logistic mix", "content and popularity"
_WITHOUT_OTHERS = ("popularity", "text embedding", "genre profile", "recsim", "recent")
"""What the mix without a collaborative signal is made of, by how the names begin."""


class Entry(msgspec.Struct, frozen=True, eq=False):
    """Somebody who takes part."""

    name: str
    make: Make
    kind: str = "baseline"
    """`baseline`, `mind`, `people`, or `feature`: only seen in the mixes."""
    recipe: str = ""
    """What else its answers depend on, such as a model and a prompt."""
    practises: bool = True
    """Whether it answers practice too: those whose scores are put to further use."""


@runtime_checkable
class PaidContestant(Contestant, Protocol):
    """Somebody whose answers cost something."""

    spent: Counts
    """What it asked for since this was last set to nothing."""


class Played(msgspec.Struct, frozen=True, eq=False):
    """All answers of one arena."""

    arena: Arena
    answers: dict[tuple[str, str], Kept]
    """By contestant and task."""
    practice: dict[tuple[str, str], Kept]


def quiet(name: str, done: int, total: int) -> None:
    """Tell nobody."""


async def play(
    arena: Arena,
    entries: Sequence[Entry],
    keeper: Keeper,
    progress: Progress = quiet,
    *,
    mixes: bool = True,
) -> Played:
    """Return everybody's answers to the arena's tasks; what was kept is not asked again."""
    played = Played(arena, {}, {})
    ground = Ground(arena.lives, arena.seed, arena.weighed)
    earlier = ground if arena.before is arena.lives else Ground(arena.before, arena.seed)
    sides = (
        (False, ground, arena.tasks, played.answers),
        (True, earlier, arena.practice, played.practice),
    )
    for is_practice, ground, tasks, found in sides:
        digests = {task.name: task_digest(task, ground.lives) for task in tasks}
        for entry in entries:
            if entry.practises or not is_practice:
                await _answer(entry, ground, tasks, digests, keeper, found, progress)
    if mixes:
        _mix(played, entries)
    return played


async def _answer(
    entry: Entry,
    ground: Ground,
    tasks: Sequence[Task],
    digests: Mapping[str, str],
    keeper: Keeper,
    found: dict[tuple[str, str], Kept],
    progress: Progress,
) -> None:
    missing = []
    for task in tasks:
        digest = joined(digests[task.name], entry.name, entry.recipe)
        kept = keeper.find(task.name, entry.name, digest)
        if kept is None:
            missing.append((task, digest))
        else:
            found[entry.name, task.name] = kept
    total = sum(len(task.cases) for task, _ in missing)
    progress(entry.name, 0, total)
    if not missing:
        return
    contestant = await made_on(ground, entry)
    place = 0
    async for answers in _each(contestant, [task for task, _ in missing]):
        task, digest = missing[place]
        found[entry.name, task.name] = answers
        keeper.keep(task.name, entry.name, digest, answers)
        place += 1
    progress(entry.name, total, total)


async def _each(contestant: Contestant, tasks: Sequence[Task]) -> AsyncIterator[Kept]:
    """Yield the answers to several tasks; who costs something is asked task by task."""
    if isinstance(contestant, PaidContestant):
        for task in tasks:
            contestant.spent = Counts()
            scores = await contestant.score(task.cases)
            yield Kept(scores, contestant.spent)
        return
    every: list[Case] = [case for task in tasks for case in task.cases]
    together, start = list(await contestant.score(every)), 0
    for task in tasks:
        yield Kept(together[start : start + len(task.cases)])
        start += len(task.cases)


async def made_on(ground: Ground, entry: Entry) -> Contestant:
    """Return a contestant on some ground, fitted once."""
    if entry.name not in ground.made:
        ground.made[entry.name] = await entry.make(ground)
    return ground.made[entry.name]


def spent_by(contestant: Contestant) -> Counts:
    """Return what a contestant spent since it was made."""
    return contestant.spent if isinstance(contestant, PaidContestant) else Counts()


def mixed_in(entries: Sequence[Entry]) -> list[str]:
    """Return the names of those whose scores are mixed."""
    names = [one.name for one in entries if one.kind in ("baseline", "feature")]
    return [name for name in names if name != "random"]


def _mix(played: Played, entries: Sequence[Entry]) -> None:
    """Add the mixes of all baselines, and of those that know nothing of other people."""
    names = mixed_in(entries)
    some = [name for name in names if name.startswith(_WITHOUT_OTHERS)]
    seed = played.arena.seed
    for label, chosen in ((CONTENT_MIX, some), (MIX, names)):
        if len(chosen) < 2:
            continue
        pairs = zip(played.arena.tasks, played.arena.practice, strict=True)
        for task, before in pairs:
            now = Flat(task.cases, features(played.answers, chosen, task.name))
            earlier = Flat(before.cases, features(played.practice, chosen, before.name))
            told, asked = folds_of(before.cases, seed), folds_of(task.cases, seed)
            practised, scores = mixed(earlier, told, now, asked)
            played.practice[label, before.name] = Kept(practised)
            played.answers[label, task.name] = Kept(scores)


def features(
    answers: Mapping[tuple[str, str], Kept], names: Sequence[str], task: str
) -> dict[str, Sequence[Floats]]:
    """Return the scores of some contestants in one task."""
    return {name: answers[name, task].scores for name in names}
