"""The simulation: a run in progress, its parts and rules, its log and its listeners."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Protocol

import msgspec

from audience.agents import BatchMind, JointMind, Mind
from audience.agents.human import MixedMind
from audience.engine.activation import Activation
from audience.engine.consolidation import LivedRound
from audience.engine.control import Control, Keep, MakeMind
from audience.engine.drivers import DriverStage, shared_mind
from audience.engine.groups import Groups
from audience.engine.keepers import Keeper, Measures, RowKeeper
from audience.engine.own_clock import Timetable
from audience.engine.platform import Platform, RecommenderFault, name_of
from audience.engine.shards import LEAST, Crew, Forks
from audience.engine.ties import TieRules
from audience.memory import Memory, is_idle
from audience.recommenders import (
    Ranker,
    Recommender,
    UserTable,
    impressions_seen,
    learnt_by,
    seen_by_recommender,
)
from audience.user_code import LONGEST, PASSING, said, within
from audience.world import AnyChange, SwapRecommender, View, World, events as e, rng

TOGETHER = "together"
ORDERS = (TOGETHER, "one-by-one")
DIALOGUES = ("turns", "joint")


class Rules(msgspec.Struct, frozen=True):
    """The settings of a run that are not parts."""

    rounds: int = 10
    order: str = TOGETHER
    max_turns: int = 12
    max_lines: int = 3
    """The most lines of a conversation, the opening included."""
    dialogue: str = "turns"
    """Conversations proceed in `turns`, or are written in one `joint` call."""
    refit: int = 1
    """Rounds between refits of the recommender; 0 disables refitting."""
    drift: float = 0.05
    concurrency: int = 0
    """Visits at a time, for minds that decide one by one; 0: as many as suit the models."""
    deadline: float = 240.0
    """Seconds a mind may take for one decision; 0 disables the timeout."""
    part_deadline: float = LONGEST
    """Seconds that one call of a part may work without waiting; 0 disables the limit."""
    wave: int = 1_000
    """How many visits are driven in step before they are committed."""
    batched: bool = True
    """Drive batch minds in waves; otherwise one coroutine per visit."""


class Parts(msgspec.Struct, frozen=True):
    """What a run is assembled from."""

    mind: Mind
    memory: Memory
    recommender: Callable[[SwapRecommender | None], tuple[str, Recommender]]
    """Returns the current recommender and its name: the scenario's, or one swapped in."""
    platform: Platform
    activation: Activation
    changes: dict[int, tuple[AnyChange, ...]]
    """Interventions by round."""
    present: frozenset[int] = frozenset()
    """Agents that come every round regardless of activation: those played by people."""
    ties: TieRules = TieRules()
    groups: Groups = Groups()
    time: Timetable = Timetable()


class PlayedRounds(Protocol):
    """Which agents were played by people, by round."""

    def of(self, round_: int) -> Mapping[int, MakeMind]: ...
    def note(self, round_: int, playing: Collection[int]) -> None: ...


Listener = Callable[[e.Chapter, View], None]
"""Called with each chapter after it was applied, in the order of the log."""


class Simulation:
    """A run in progress, moved by rounds.py; all truth is in the world and the log."""

    def __init__(
        self,
        world: World,
        keeper: Keeper,
        parts: Parts,
        rules: Rules,
        seed: int,
        *,
        measures: Measures | None = None,
        after_round: Callable[[], None] = lambda: None,
        listeners: Sequence[Listener] = (),
        progress: Callable[[int, int, int], None] | None = None,
        stopping: Callable[[], bool] = lambda: False,
        control: Control | None = None,
        keep: Keep = lambda queued: None,
        places: PlayedRounds | None = None,
        workers: int = 1,
        crew: Crew | None = None,
    ) -> None:
        """`control` steers the run; `keep` stores the changes it queued before they happen.

        `after_round` is called when a round is over, before that is committed. `listeners` want to
        know every event, so that this process has to read what others have lived.
        `places` knows which agents were played in which round, and notes those played now.
        `workers` is how many processes live visits at a time, where the parts allow it; a `crew`
        lives them instead.
        """
        self.world = world
        self.keeper = keeper
        self.parts = parts
        self.rules = rules
        self.seed = seed
        self.measures = measures
        self.after_round = after_round
        self.listeners = listeners
        self.lived = None if is_idle(parts.memory) else LivedRound()
        """What the memory consolidates at the end of the round; None if it keeps nothing."""
        self._told = progress
        self.stopping: Callable[[], bool] = stopping
        if control:
            self.stopping = lambda: stopping() or control.stopping
        self.control = control
        self.keep = keep
        self._places = places
        self.crew = crew or (Forks(workers) if workers > 1 else None)
        self.decisions = 0
        self.stage: DriverStage | None = None
        self._unplayed = parts

    def progress(self, round_: int, done: int, total: int) -> None:
        """Report how many visits of a round are done."""
        if self.control:
            self.control.advance(round_, done, total)
        if self._told:
            self._told(round_, done, total)

    def joint(self, wish: e.Wished) -> bool:
        """Return True if a conversation is written in one call: the mind can, and nobody plays."""
        if self.rules.dialogue != "joint" or {wish.agent, wish.to} & self.parts.present:
            return False
        return isinstance(shared_mind(self.parts.mind), JointMind)

    @property
    def in_waves(self) -> bool:
        return self.rules.batched and isinstance(self.parts.mind, BatchMind)

    def in_shards(self, strands: int) -> bool:
        """Return True if so many strands are shared out among processes."""
        if self.crew is None or strands < LEAST or self.stage is None:
            return False
        return self.in_waves and self.control is None and self.crew.can_live(self.stage)

    def is_harvest(self, phase: int) -> bool:
        """Return True if nobody here needs the events of a phase that others live."""
        if phase != e.VISITS or self.listeners or self.control or self.lived is not None:
            return False
        are_counted = self.measures is None or self.measures.is_mergeable
        has_topics = bool(self.world.spread.topics)
        return isinstance(self.keeper, RowKeeper) and are_counted and not has_topics

    def emit(self, phase: int, rank: int, agent: int, entries: Sequence[e.Entry]) -> None:
        """Append a chapter to the log and apply its events."""
        chapter = e.Chapter(self.world.round, phase, rank, agent, tuple(entries))
        self.keeper.append(chapter)
        self.world.apply_all(chapter.entries)
        self.tell(chapter)

    def apply(self, chapter: e.Chapter) -> None:
        """Apply a chapter that is in the log already."""
        self.world.apply_all(chapter.entries)
        self.tell(chapter)

    def tell(self, chapter: e.Chapter) -> None:
        if self.measures is not None:
            self.measures.update_chapter(chapter, self.world)
        if self.lived is not None:
            self.lived.add(chapter)
        for listener in self.listeners:
            listener(chapter, self.world)
        if self.control:
            self.control.tell(chapter, self.world)

    @property
    def is_played(self) -> bool:
        """Whether a person plays, who may take their time."""
        return self.parts is not self._unplayed

    def seat(self) -> None:
        """Give the agents played in this round their players' minds."""
        playing = self.control.seated() if self.control else {}
        before: Mapping[int, MakeMind] = {}
        if self._places:
            self._places.note(self.world.round, playing)
            before = self._places.of(self.world.round)
        seated = {**before, **playing}
        parts = self._unplayed
        if seated:
            own = {agent: make(parts.mind) for agent, make in seated.items()}
            mind = MixedMind(own, parts.mind)
            parts = msgspec.structs.replace(
                parts, mind=mind, present=parts.present | frozenset(seated)
            )
        self.parts = parts
        if self.stage:
            self.stage.mind = parts.mind

    def fit(self) -> e.RecommenderFitted:
        """Fit the current recommender and put its ranker on the stage."""
        name, recommender = self.parts.recommender(self.world.recommender)
        count, shown = len(self.world.interactions), self.world.impressions.count
        ranker = self._fitted(recommender, self.world.round, count, shown)
        learnt = learnt_by(ranker)
        artefact = blake2b(learnt, digest_size=8).hexdigest() if learnt else ""
        return e.RecommenderFitted(name, len(self.world.interactions), artefact)

    def refit(self) -> None:
        """Put the ranker of the last fit back on the stage, as after a restart."""
        if self.world.fitted is None:
            return
        round_, event = self.world.fitted
        _, recommender = self.parts.recommender(self.world.recommender)
        self._fitted(recommender, round_, event.interactions, self.world.fitted_shown)

    def _fitted(self, recommender: Recommender, round_: int, count: int, shown: int) -> Ranker:
        world, parts = self.world, self.parts
        interactions = world.interactions.first(count)
        impressions = impressions_seen(world.impressions, shown)
        seen = seen_by_recommender(interactions, self._users(), impressions)
        try:
            with within(self.rules.part_deadline):
                ranker = recommender.fit(seen, rng(self.seed, "fit", round_))
        except PASSING:
            raise
        except BaseException as error:
            raise RecommenderFault(
                f"{name_of(recommender)}.fit {said(error)} on {count} interactions; "
                "fix it, then run `audience resume`"
            ) from error
        if not hasattr(ranker, "rank"):
            raise RecommenderFault(
                f"{name_of(recommender)}.fit returned {type(ranker).__name__}, which has no `rank`"
            )
        self.stage = DriverStage(
            world, parts.platform, ranker, parts.mind, parts.memory, self.rules.part_deadline
        )
        return ranker

    def _users(self) -> UserTable:
        """Return what recommenders know about users now."""
        first = self.world.genesis.profiles
        changed = {
            id_: me.profile
            for id_, me in self.world.agents.changed.items()
            if id_ >= len(first) or me.profile is not first[id_]
        }
        return self._registered.changed(changed) if changed else self._registered

    @cached_property
    def _registered(self) -> UserTable:
        return UserTable(self.world.genesis.profiles)
