"""The people and items that a model is probed with, and the words of the questions."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.datasets.loaders import options_for
from audience.errors import BadInput
from audience.scenario import Part, made
from audience.world import (
    MENUS,
    Agent,
    Clock,
    Genesis,
    Heard,
    Item,
    Observation,
    Situation,
    World,
    rng,
)

DRESSES = ("real", "masked", "invented")
"""How a title is shown: as it is, as a number, or as an invented title."""
PATTERNS = (
    "The {s} {t} of {p}",
    "{n} and the {s} {t}",
    "{s} {t} at {p}",
    "The {t} Keepers of {p}",
    "{n} {p}'s {s} {t}",
)
SIGHTS = (
    *("Copper", "Hollow", "Silent", "Crooked", "Amber", "Borrowed", "Sunken", "Paper", "Ninth"),
    *("Velvet", "Distant", "Broken", "Winter", "Painted", "Salted", "Lesser", "Woven", "Tin"),
)
THINGS = (
    *("Lantern", "Orchard", "Ferry", "Archive", "Comet", "Staircase", "Harvest", "Mirror"),
    *("Signal", "Carousel", "Tide", "Ledger", "Sparrow", "Kiln", "Almanac", "Causeway"),
)
NAMES = (
    *("Odile", "Tamsin", "Ruprecht", "Ysolde", "Barnaby", "Ingeborg", "Leopold", "Mireille"),
    *("Cosima", "Anselm", "Philippa", "Dragomir"),
)
PLACES = (
    *("Vestby", "Quillmoor", "Harrowick", "Tolmassa", "Brennegard", "Oskarhaven", "Lyndmere"),
    *("Castrovel", "Dunmarrow", "Pellworth", "Ivarsund", "Galdermouth"),
)
SPEECH = (
    "What did you like best lately, and what would you tell a friend to leave alone?",
    "Which {plural} would you talk about with somebody you have just met, and why?",
)
"""Questions with free answers that should name titles."""
QUESTIONS = {
    "kind": "Which kind of {plural} do you like most?",
    "age": "How old are you?",
    "stars": "How many stars out of 5 do you give <{title}>?",
    "rather": "Which of these two would you rather have on a free evening: <{title}> or <{other}>?",
}
"""Questions that are asked repeatedly."""
REPUTE = {
    "bad": "It is not of the kinds that $name likes. Nearly everybody who has $past it was let "
    "down: 1.5 of 5 stars on average, called dull, clumsy and far too long.",
    "middling": "Opinions are divided: 3.0 of 5 stars on average, called fair in parts.",
    "good": "It is of the kinds that $name likes best. Nearly everybody who has $past it was "
    "delighted: 4.7 of 5 stars on average, called moving, clever and beautifully made.",
}
"""What is known of an invented item, from bad to good."""


REAL, MASKED, INVENTED = DRESSES


def invented(item: Item, seed: int) -> str:
    """Return an invented title, always the same for an item."""
    draws = rng(seed, "probe", "invented", item.id)
    words = {
        name: some[int(draws.integers(len(some)))]
        for name, some in (("s", SIGHTS), ("t", THINGS), ("n", NAMES), ("p", PLACES))
    }
    return PATTERNS[int(draws.integers(len(PATTERNS)))].format(**words)


def dressed(item: Item, dress: str, seed: int, noun: str) -> str:
    """Return the title under which an item is shown; everything else about it stays."""
    if dress == MASKED:
        return f"<{noun} {item.id + 1}>"
    return f"<{invented(item, seed)}>" if dress == INVENTED else f"<{item.title}>"


def listed(item: Item) -> str:
    """Return an item as a line of movies.dat: id, title with its article last, kinds."""
    title = item.title
    first, _, rest = title.partition(" ")
    if rest and first in ("The", "A", "An"):
        title = f"{rest}, {first}"
    year = f" ({item.year})" if item.year else ""
    return f"{item.key}::{title}{year}::{'|'.join(item.tags)}"


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
    """Some people of a dataset with their histories."""

    name: str
    genesis: Genesis
    world: World
    seed: int
    is_real: bool = False
    """Whether the people and their histories come from data; otherwise they are drawn."""

    @property
    def people(self) -> range:
        return range(len(self.genesis.profiles))

    @property
    def words(self) -> dict[str, str]:
        """The domain's words, as prompts use them."""
        domain = self.genesis.domain
        return {"noun": domain.noun, "plural": domain.plural, "past": domain.past}

    def person(self, who: int) -> Agent:
        return self.world.agents[who]

    def item(self, number: int) -> Item:
        return self.genesis.catalogue[number]

    def unknown(self, who: int, count: int, *names: str | int) -> list[int]:
        """Return items by a named draw that a person never consumed."""
        lived = [entry.item for entry in self.person(who).history]
        free = np.setdiff1d(np.arange(len(self.genesis.catalogue)), lived)
        if len(free) < count:
            raise BadInput(f"person {who} consumed nearly every item: {count} others are needed")
        drawn: list[int] = rng(self.seed, "probe", *names, who).choice(free, count, False).tolist()
        return drawn

    def at(self, me: Agent, day: int = 0, slate: tuple[int, ...] = ()) -> Observation:
        """Return what a person sees on a day: a page of items, or nothing special."""
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
        """Return a person who was told of some items they do not know."""
        items = self.unknown(who, count, "heard")
        news = tuple(Heard(item, -1, 1.0 - 2.0 * (n % 2)) for n, item in enumerate(items))
        return replace(self.person(who), heard=news)


def town_of(source: str, people: int, seed: int) -> Town:
    """Return people of a dataset, given by path or name."""
    if people < 1:
        raise BadInput(f"--agents {people}: give at least 1")
    part = options_for(source)
    options = {} if isinstance(part, str) else dict(part)
    kind = part if isinstance(part, str) else options.pop("kind")
    name = options.get("name") or Path(options.get("path", kind)).name
    genesis = made("datasets", Part(kind, dict(options))).genesis(people, seed, Clock())
    shown = _PUBLISHED.get(name, name)
    return Town(shown, genesis, World(genesis), seed, is_real=bool(options))
