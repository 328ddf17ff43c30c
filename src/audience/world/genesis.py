"""The genesis: everything that is true before the first event, checked and packed."""

from __future__ import annotations

import zlib
from functools import cached_property
from hashlib import blake2b

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.world.clock import Clock
from audience.world.graph import Ties
from audience.world.items import Catalogue, Item
from audience.world.profile import Profile


class Domain(msgspec.Struct, frozen=True):
    """The words for items of a domain, such as films or books."""

    noun: str = "film"
    plural: str = "films"
    past: str = "watched"


class Past(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An interaction from a dataset, before the run."""

    agent: int
    item: int
    at: int
    fraction: float = 1.0
    stars: int = 0


class _Stored(msgspec.Struct, frozen=True, omit_defaults=True):
    items: tuple[Item, ...]
    tags: tuple[str, ...]
    profiles: tuple[Profile, ...]
    clock: Clock
    domain: Domain
    past: msgspec.Raw
    starts: bytes
    others: bytes
    kinds: bytes
    closeness: bytes
    kind_names: tuple[str, ...]
    outside: tuple[Past, ...] = ()


class Genesis:
    """Catalogue, people, ties and clock: all of a run that is not an event."""

    def __init__(
        self,
        catalogue: Catalogue,
        profiles: tuple[Profile, ...],
        ties: Ties,
        clock: Clock | None = None,
        domain: Domain | None = None,
        past: tuple[Past, ...] | msgspec.Raw = (),
        others: tuple[Past, ...] = (),
    ) -> None:
        """`others`: interactions of people outside the run, for minds, never for recommenders.

        A raw `past` was checked when it was stored; it is read when it is asked for.
        """
        self.catalogue = catalogue
        self.profiles = profiles
        self.ties = ties
        self.clock = clock or Clock()
        self.domain = domain or Domain()
        self._past = past
        self.others = others
        _check(self)
        if not isinstance(past, msgspec.Raw):
            _check_past(self, past)

    @cached_property
    def past(self) -> tuple[Past, ...]:
        """What people did before the run: millions of rows where there are a million people."""
        past, self._past = self._past, ()
        if isinstance(past, msgspec.Raw):
            return msgspec.msgpack.decode(past, type=tuple[Past, ...])
        return past

    @property
    def evidence(self) -> tuple[Past, ...]:
        """What minds may learn from: the interactions of others if there are any, else the past."""
        return self.others or self.past

    @cached_property
    def packed(self) -> bytes:
        """The genesis as bytes, compressed."""
        stored = _Stored(
            self.catalogue.items,
            self.catalogue.tags,
            self.profiles,
            self.clock,
            self.domain,
            msgspec.Raw(msgspec.msgpack.encode(self.past)),
            self.ties.starts.astype("<i4").tobytes(),
            self.ties.others.astype("<i4").tobytes(),
            self.ties.kinds.tobytes(),
            self.ties.closeness.astype("<f4").tobytes(),
            self.ties.names,
            self.others,
        )
        whole = msgspec.msgpack.encode(stored)
        self.__dict__["digest"] = blake2b(whole, digest_size=16).hexdigest()
        return zlib.compress(whole, 1)

    @cached_property
    def digest(self) -> str:
        return blake2b(zlib.decompress(self.packed), digest_size=16).hexdigest()

    @classmethod
    def unpack(cls, packed: bytes) -> Genesis:
        """Return the genesis that `packed` stored."""
        stored = msgspec.msgpack.decode(zlib.decompress(packed), type=_Stored)
        ties = Ties(
            np.frombuffer(stored.starts, "<i4"),
            np.frombuffer(stored.others, "<i4"),
            np.frombuffer(stored.kinds, np.uint8),
            np.frombuffer(stored.closeness, "<f4"),
            stored.kind_names,
        )
        catalogue = Catalogue(stored.items, stored.tags)
        past = (stored.past.copy(), stored.outside)
        return cls(catalogue, stored.profiles, ties, stored.clock, stored.domain, *past)


def _check(genesis: Genesis) -> None:
    if not len(genesis.catalogue):
        raise BadInput("the catalogue is empty; add at least one item")
    if not genesis.profiles:
        raise BadInput("there are no people; set agents to at least 1")
    for place, item in enumerate(genesis.catalogue.items):
        if item.id != place:
            raise BadInput(
                f"item {item.id} ({item.title!r}) is at index {place}; ids must be 0, 1, 2, …"
            )
    for place, profile in enumerate(genesis.profiles):
        if profile.id != place:
            raise BadInput(
                f"person {profile.id} ({profile.name!r}) is at index {place}; ids must be 0, 1, …"
            )
    people, tied = len(genesis.profiles), len(genesis.ties.starts) - 1
    if tied != people:
        raise BadInput(f"the ties cover {tied} people, but there are {people}; both must agree")
    _check_ties(genesis.ties, people)


def _check_past(genesis: Genesis, past: tuple[Past, ...]) -> None:
    people, items = len(genesis.profiles), len(genesis.catalogue)
    for lived in past:
        if not (0 <= lived.agent < people and 0 <= lived.item < items):
            raise BadInput(
                f"past interaction of person {lived.agent} with item {lived.item}: "
                "one of them does not exist"
            )
    for lived in genesis.others:
        if not 0 <= lived.item < items:
            raise BadInput(
                f"past interaction of others with item {lived.item}, which does not exist"
            )


def _check_ties(ties: Ties, people: int) -> None:
    others = ties.others
    if not len(others):
        return
    if others.max() >= people or others.min() < 0:
        stranger = int(others.max()) if others.max() >= people else int(others.min())
        raise BadInput(f"a tie leads to person {stranger}, who does not exist")
    own = np.flatnonzero(np.repeat(np.arange(people), np.diff(ties.starts)) == others)
    if len(own):
        raise BadInput(f"person {int(others[own[0]])} has a tie to themselves; remove it")
