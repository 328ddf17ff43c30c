"""The people whom a model plays in a probe: their world, and what each sees at a moment."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.datasets import options_for
from audience.errors import BadInput
from audience.experiments.build import made
from audience.experiments.scenario import Part
from audience.world import Agent, Clock, Genesis, World
from audience.world.agent import Heard, Situation
from audience.world.items import Item
from audience.world.observe import MENUS, Observation
from audience.world.rng import rng

DAY = 86_400
_PUBLISHED = {
    "ml-100k": "MovieLens 100K",
    "ml-1m": "MovieLens 1M",
    "ml-10m": "MovieLens 10M",
    "ml-20m": "MovieLens 20M",
    "ml-25m": "MovieLens 25M",
    "ml-latest-small": "MovieLens latest-small",
}


class Town(msgspec.Struct, frozen=True, eq=False):
    """Some people of a dataset, with all that they lived."""

    name: str
    genesis: Genesis
    world: World
    seed: int
    is_real: bool = False
    """Whether the people and what they lived come from data; otherwise they are drawn."""

    @property
    def people(self) -> range:
        return range(len(self.genesis.profiles))

    @property
    def words(self) -> dict[str, str]:
        """The domain's words, as prompts ask for them."""
        domain = self.genesis.domain
        return {"noun": domain.noun, "plural": domain.plural, "past": domain.past}

    def person(self, who: int) -> Agent:
        return self.world.agents[who]

    def item(self, number: int) -> Item:
        return self.genesis.catalogue[number]

    def unknown(self, who: int, count: int, *names: str | int) -> list[int]:
        """Return items by a named draw that somebody never lived."""
        lived = [one.item for one in self.person(who).history]
        free = np.setdiff1d(np.arange(len(self.genesis.catalogue)), lived)
        if len(free) < count:
            raise BadInput(f"person {who} lived nearly every item: {count} others are needed")
        drawn: list[int] = rng(self.seed, "probe", *names, who).choice(free, count, False).tolist()
        return drawn

    def at(self, me: Agent, day: int = 0, slate: tuple[int, ...] = ()) -> Observation:
        """Return what somebody sees on a day: a page of items, or nothing special."""
        moment = self.genesis.clock.at(1) + day * DAY + DAY * 5 // 6
        surface = "recommender" if slate else "home"
        here = Situation(moment, surface, slate, 0 if slate else -1, int(bool(slate)), slate)
        return Observation(
            replace(me, situation=here),
            day + 1,
            0,
            surface,
            MENUS[surface],
            self.genesis.catalogue,
            self.genesis.domain,
        )

    def having_heard(self, who: int, count: int) -> Agent:
        """Return somebody who was told of some items it does not know."""
        items = self.unknown(who, count, "heard")
        news = tuple(Heard(item, -1, 1.0 - 2.0 * (n % 2)) for n, item in enumerate(items))
        return replace(self.person(who), heard=news)


def town_of(wanted: str, people: int, seed: int) -> Town:
    """Return people of a dataset, given by path or name as everywhere."""
    if people < 1:
        raise BadInput(f"--agents {people}: give at least 1")
    found = options_for(wanted)
    options = {} if isinstance(found, str) else dict(found)
    kind = found if isinstance(found, str) else options.pop("kind")
    name = options.get("name") or Path(options.get("path", kind)).name
    genesis = made("datasets", Part(kind, dict(options))).genesis(people, seed, Clock())
    shown = _PUBLISHED.get(name, name)
    return Town(shown, genesis, World(genesis), seed, is_real=bool(options))
