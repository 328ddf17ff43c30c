"""Contestants answer the tasks; answers are kept, so that nothing is computed or paid twice."""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.files import replace_all
from audience.grounding import Lives
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import Case, Contestant, Task, TaskSet
from audience.lab.evaluation.mixes import (
    BOOSTED,
    CONTENT_MIX,
    MIX,
    WITHOUT_TREES,
    BoostedTrees,
    Flat,
    MixWeights,
    Weigh,
    folds_of,
    has_trees,
    mixed,
)
from audience.llm import Counts
from audience.world import Floats

VERSION = 2
"""Raised when a contestant or a protocol changes, so that stored scores are not reused."""


class StoredAnswers(msgspec.Struct, frozen=True, eq=False):
    """The answers of one contestant to one task."""

    scores: Sequence[Floats]
    spent: Counts = msgspec.field(default_factory=Counts)
    seconds: float = 0.0
    """Wall time of asking a model; 0 for those who ask none."""

    @property
    def unreadable(self) -> int:
        """Cases without a usable answer."""
        return sum(bool(np.isnan(scores).any()) for scores in self.scores)

    @property
    def decided(self) -> float:
        """Cases decided in `seconds`: those whose calls were stored take no time."""
        asked = self.spent.calls
        return len(self.scores) * (1.0 - self.spent.reused / asked) if asked else 0.0


class AnswerStore:
    """Answers by task and contestant. Without a folder nothing is kept; `fresh` ignores it."""

    def __init__(self, folder: Path | None, *, fresh: bool = False) -> None:
        self.folder = folder / "scores" if folder else None
        self.fresh = fresh

    def find(self, task: str, contestant: str, digest: str) -> StoredAnswers | None:
        """Return stored answers; a file that cannot be read counts as none."""
        if self.folder is None or self.fresh:
            return None
        try:
            content = io.BytesIO(self._path(task, contestant, digest).read_bytes())
            with np.load(content, allow_pickle=False) as held:
                sizes, values = held["sizes"], held["values"]
                spent = msgspec.json.decode(held["spent"].tobytes(), type=Counts)
                seconds = float(held["seconds"]) if "seconds" in held else 0.0
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, msgspec.MsgspecError):
            return None
        return StoredAnswers(np.split(values, np.cumsum(sizes)[:-1].tolist()), spent, seconds)

    def keep(
        self,
        task: str,
        contestant: str,
        digest: str,
        kept: StoredAnswers,
        cases: Sequence[Case] = (),
    ) -> None:
        """Store the answers, with whom and what they are about."""
        if self.folder is None:
            return
        out = io.BytesIO()
        sizes = np.array([len(scores) for scores in kept.scores], np.int64)
        values = np.concatenate(list(kept.scores)) if len(sizes) else np.empty(0)
        spent = np.frombuffer(msgspec.json.encode(kept.spent), np.uint8)
        asked: dict[str, Any] = {
            "user": np.repeat([case.user for case in cases], [len(c.candidates) for c in cases]),
            "candidate": np.array([item for case in cases for item in case.candidates], np.int64),
            "truth": np.array([taken for case in cases for taken in case.truth], np.bool_),
        }
        asked["seconds"] = np.array(kept.seconds)
        np.savez_compressed(out, sizes=sizes, values=values, spent=spent, **asked)
        replace_all({self._path(task, contestant, digest): out.getvalue()})

    def _path(self, task: str, contestant: str, digest: str) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", f"{task} {contestant}".lower()).strip("-")
        return (self.folder or Path()) / f"{slug[:80]}-{digest[:16]}.npz"


def task_digest(task: Task, lives: Lives) -> str:
    """Return the hash of all that a contestant gets to see: the cases and the training part."""
    digest = blake2b(f"{VERSION}/{task.name}".encode(), digest_size=16)
    digest.update(msgspec.json.encode(task.cases))
    for column in (lives.users, lives.items, lives.at, lives.stars):
        digest.update(np.ascontiguousarray(column).tobytes())
    for item in lives.catalogue.items:
        digest.update(f"{item.title}/{item.tags}/{item.year}".encode())
    return digest.hexdigest()


def joined(*parts: str) -> str:
    """Return one hash of several texts."""
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


Progress = Callable[[str, int, int], None]
"""Called with who answers, how many of their cases are done, and how many there are."""
Make = Callable[[Ground], Awaitable[Contestant]]
_WITHOUT_OTHERS = ("popularity", "text embedding", "genre profile", "recsim", "recent")
"""Name prefixes of what the mix without a collaborative signal is made of."""


class Entrant(msgspec.Struct, frozen=True, eq=False):
    """A participant, not yet fitted."""

    name: str
    make: Make
    kind: str = "baseline"
    """`baseline`, `mind`, `people`, or `feature`: only part of the mixes."""
    recipe: str = ""
    """What else its answers depend on, such as a model and a prompt."""
    practises: bool = True
    """Whether it answers practice too: where its scores are calibrated or mixed."""
    parts: tuple[str, ...] = ()
    """Those whose scores it weighs, by weights learnt from other people's practice."""


@runtime_checkable
class PaidContestant(Contestant, Protocol):
    """A contestant whose answers cost something."""

    spent: Counts
    """What was spent since this was last reset."""


class ContestAnswers(msgspec.Struct, frozen=True, eq=False):
    """All answers to one task set."""

    arena: TaskSet
    answers: dict[tuple[str, str], StoredAnswers]
    """By contestant and task."""
    practice: dict[tuple[str, str], StoredAnswers]
    aside: dict[str, str] = {}
    """Baselines that cannot take part on these data, and why."""


def quiet(name: str, done: int, total: int) -> None:
    """Ignore the progress."""


async def play(
    arena: TaskSet,
    entries: Sequence[Entrant],
    keeper: AnswerStore,
    progress: Progress = quiet,
    *,
    mixes: bool = True,
    grounds: tuple[Ground, Ground] | None = None,
    done: ContestAnswers | None = None,
) -> ContestAnswers:
    """Return everybody's answers to the tasks; stored answers are not asked for again.

    `grounds` are those of an earlier call for the same training parts; `done`: what other
    processes answered.
    """
    played = ContestAnswers(arena, {}, {}, {})
    done = done or ContestAnswers(arena, {}, {}, {})
    sides = (
        (False, arena.tasks, played.answers, done.answers),
        (True, arena.practice, played.practice, done.practice),
    )
    both = grounds or grounds_for(arena)
    for ground, (is_practice, tasks, answers, others) in zip(both, sides, strict=True):
        digests = {task.name: task_digest(task, ground.lives) for task in tasks}
        for entry in entries:
            if entry.name in played.aside or (is_practice and not entry.practises):
                continue
            try:
                await _answer(entry, ground, tasks, digests, keeper, answers, others, progress)
            except BadInput as error:
                if entry.kind not in ("baseline", "feature"):
                    raise
                played.aside[entry.name] = f"{entry.name} steps aside: {error}."
    for answers in (played.answers, played.practice):
        for name, task in [key for key in answers if key[0] in played.aside]:
            del answers[name, task]
    _mix(played, entries if mixes else (), done)
    _stack(played, entries)
    return played


def grounds_for(arena: TaskSet) -> tuple[Ground, Ground]:
    """Return the training parts of the tasks and of the practice, with nothing fitted yet."""
    ground = Ground(arena.lives, arena.seed, arena.weighed)
    return ground, ground if arena.before is arena.lives else Ground(arena.before, arena.seed)


async def _answer(
    entry: Entrant,
    ground: Ground,
    tasks: Sequence[Task],
    digests: Mapping[str, str],
    keeper: AnswerStore,
    answers: dict[tuple[str, str], StoredAnswers],
    others: Mapping[tuple[str, str], StoredAnswers],
    progress: Progress,
) -> None:
    missing = []
    for task in [] if entry.parts else tasks:
        digest = joined(digests[task.name], entry.name, entry.recipe)
        kept = keeper.find(task.name, entry.name, digest)
        if kept is None and (kept := others.get((entry.name, task.name))):
            keeper.keep(task.name, entry.name, digest, kept, task.cases)
        if kept is None:
            missing.append((task, digest))
        else:
            answers[entry.name, task.name] = kept
    total = sum(len(task.cases) for task, _ in missing)
    progress(entry.name, 0, total)
    if not missing:
        return
    contestant = await made_on(ground, entry)
    place = 0
    async for stored in _each(contestant, [task for task, _ in missing]):
        task, digest = missing[place]
        answers[entry.name, task.name] = stored
        keeper.keep(task.name, entry.name, digest, stored, task.cases)
        place += 1
    progress(entry.name, total, total)


async def _each(contestant: Contestant, tasks: Sequence[Task]) -> AsyncIterator[StoredAnswers]:
    """Yield the answers task by task; those that cost nothing are computed together."""
    if isinstance(contestant, PaidContestant):
        for task in tasks:
            contestant.spent, began = Counts(), time.monotonic()
            scores = await contestant.score(task.cases)
            yield StoredAnswers(scores, contestant.spent, time.monotonic() - began)
        return
    every: list[Case] = [case for task in tasks for case in task.cases]
    together, start = list(await contestant.score(every)), 0
    for task in tasks:
        yield StoredAnswers(together[start : start + len(task.cases)])
        start += len(task.cases)


async def made_on(ground: Ground, entry: Entrant) -> Contestant:
    """Return the contestant fitted on a training part, once."""
    if entry.name not in ground.made:
        ground.made[entry.name] = await entry.make(ground)
    return ground.made[entry.name]


def spent_by(contestant: Contestant) -> Counts:
    """Return what a contestant has spent since it was made."""
    return contestant.spent if isinstance(contestant, PaidContestant) else Counts()


def mixed_in(entries: Sequence[Entrant], played: ContestAnswers) -> list[str]:
    """Return the names of the contestants whose scores are mixed."""
    names = [entry.name for entry in entries if entry.kind in ("baseline", "feature")]
    return [name for name in names if name != "random" and name not in played.aside]


def _mix(played: ContestAnswers, entries: Sequence[Entrant], done: ContestAnswers) -> None:
    """Add the mixes of all baselines, and of those that ignore other people."""
    names = mixed_in(entries, played)
    if not names:
        return
    some = [name for name in names if name.startswith(_WITHOUT_OTHERS)]
    kinds: list[tuple[str, list[str], Weigh]] = [
        (CONTENT_MIX, some, MixWeights),
        (MIX, names, MixWeights),
    ]
    if has_trees():
        kinds.append((BOOSTED, names, BoostedTrees))
    else:
        played.aside[BOOSTED] = WITHOUT_TREES
    for label, chosen, weigh in kinds:
        if len(chosen) >= 2:
            _mix_of(played, label, chosen, weigh, done)


def _stack(played: ContestAnswers, entries: Sequence[Entrant]) -> None:
    """Add those that weigh the scores of others."""
    for entry in entries:
        if entry.parts:
            _mix_of(played, entry.name, entry.parts, MixWeights)


def _mix_of(
    played: ContestAnswers,
    label: str,
    names: Sequence[str],
    weigh: Weigh,
    done: ContestAnswers | None = None,
) -> None:
    seed = played.arena.seed
    for task, before in zip(played.arena.tasks, played.arena.practice, strict=True):
        if done and (label, task.name) in done.answers:
            played.practice[label, before.name] = done.practice[label, before.name]
            played.answers[label, task.name] = done.answers[label, task.name]
            continue
        now = Flat(task.cases, features(played.answers, names, task.name))
        earlier = Flat(before.cases, features(played.practice, names, before.name))
        before_folds, folds = folds_of(before.cases, seed), folds_of(task.cases, seed)
        practised, scores = mixed(earlier, before_folds, now, folds, weigh)
        played.practice[label, before.name] = StoredAnswers(practised)
        played.answers[label, task.name] = StoredAnswers(scores)


def features(
    answers: Mapping[tuple[str, str], StoredAnswers], names: Sequence[str], task: str
) -> dict[str, Sequence[Floats]]:
    """Return the scores of some contestants in one task; where one has none, all are equal."""
    return {name: [np.nan_to_num(own) for own in answers[name, task].scores] for name in names}
