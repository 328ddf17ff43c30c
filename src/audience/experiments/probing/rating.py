"""Stars that a model lets people give: can a Critic dislike, and is the whole scale used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import Template

import msgspec
from msgspec.structs import replace

from audience.agents.prompting import holes_of
from audience.experiments.probing.asking import MINDED, Asker, whole
from audience.experiments.probing.measures import Answer, ProbeRow, row, statistic_row
from audience.experiments.probing.titles import invented
from audience.experiments.probing.town import Town
from audience.experiments.probing.words import REPUTE
from audience.llm.structured import object_of, text_of, whole_of
from audience.llm.together import together
from audience.world.agent import Agent
from audience.world.rng import Ints, rng

PART, SCALE = "stars", "scale"
CRITIC, OTHER = "Critic", "no Critic"
_LOW = 2


class Given(msgspec.Struct, frozen=True):
    """Stars for one item; None where they could not be read."""

    who: int
    repute: str
    kind: str
    stars: int | None


async def rated(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return the stars for bad, middling and good items, by Critics and by others."""
    given = await together(
        _give(asker, town, who, repute, kind)
        for who in town.people
        for repute in REPUTE
        for kind in (CRITIC, OTHER)
    )
    return [*positivity(given, asker.seed), *scale(given, _real(town), asker.seed)]


def _dressed(me: Agent, kind: str) -> Agent:
    habits = replace(me.profile.habits, critic=1.0 if kind == CRITIC else 0.0)
    return replace(me, profile=replace(me.profile, habits=habits))


async def _give(asker: Asker, town: Town, who: int, repute: str, kind: str) -> Given:
    me = _dressed(town.person(who), kind)
    holes = holes_of(town.at(me), (), "page")
    likes = set(me.profile.interests)
    # Its kinds are those of an item that suits its repute; title and all else are invented.
    suiting = [
        item
        for item in town.genesis.catalogue.items
        if item.tags and bool(likes & set(item.tags)) == (repute == "good")
    ] or list(town.genesis.catalogue.items)
    draws = rng(town.seed, "probe", "rate", repute, who)
    like = suiting[int(draws.integers(len(suiting)))]
    holes["item"] = f"<{invented(like, town.seed)}> ({', '.join(like.tags)})"
    holes["repute"] = Template(REPUTE[repute]).substitute(holes)
    found = await asker.read(
        PART,
        asker.prompt("probe_rate", holes, rules="rules"),
        f"rate/{repute}/{kind}/{who}",
        object_of(
            feeling=text_of(200),
            stars=whole_of(1, 5),
        ),
        temperature=MINDED,
    )
    stars = whole(found.get("stars"), 1, 5) if isinstance(found, dict) else None
    return Given(who, repute, kind, stars)


def positivity(given: Sequence[Given], seed: int) -> list[ProbeRow]:
    """Return mean stars and low ratings by repute and habit, and the paired differences."""
    found = []
    for repute in REPUTE:
        for kind in (CRITIC, OTHER):
            some = [one for one in given if (one.repute, one.kind) == (repute, kind)]
            means: list[Answer] = [(one.who, one.stars) for one in some]
            low = [
                (one.who, None if one.stars is None else float(one.stars <= _LOW)) for one in some
            ]
            label = f"{repute} item, {kind}"
            found.append(row(PART, f"{label}: mean stars", means, seed=seed, unit="stars"))
            found.append(row(PART, f"{label}: 1 or 2 stars", low, seed=seed))
    for what, one, other in (
        ("bad item: Critic less no Critic", ("bad", CRITIC), ("bad", OTHER)),
        ("Critic: good less bad item", ("good", CRITIC), ("bad", CRITIC)),
        ("no Critic: good less bad item", ("good", OTHER), ("bad", OTHER)),
    ):
        gaps = _gaps(given, one, other)
        found.append(row(PART, what, gaps, seed=seed, chance=0.0, unit="difference"))
    return found


def _gaps(given: Sequence[Given], one: tuple[str, str], other: tuple[str, str]) -> list[Answer]:
    by = {(each.who, each.repute, each.kind): each.stars for each in given}
    found: list[Answer] = []
    for who in dict.fromkeys(each.who for each in given):
        first, second = by[(who, *one)], by[(who, *other)]
        found.append((who, None if first is None or second is None else float(first - second)))
    return found


def scale(given: Sequence[Given], real: Sequence[int], seed: int) -> list[ProbeRow]:
    """Return how the stars spread over the scale, beside those that real people gave."""
    found = []
    for star in range(1, 6):
        some = [(one.who, None if one.stars is None else float(one.stars == star)) for one in given]
        share = real.count(star) / len(real) if real else None
        made = row(SCALE, f"{star} star{'s' if star > 1 else ''}", some, seed=seed, chance=share)
        found.append(made)
    stars = {
        who: [one.stars for one in given if one.who == who and one.stars]
        for who in dict.fromkeys(one.who for one in given)
    }
    heaps = [heap for heap in stars.values() if heap]

    def evenness(people: Ints) -> float:
        return spread([star for person in people.tolist() for star in heaps[person]])

    what = "evenness of the five stars (1: all alike)"
    count = sum(map(len, heaps))
    found.append(statistic_row(SCALE, what, evenness, len(heaps), seed=seed, count=count))
    return found


def spread(stars: Sequence[int]) -> float:
    """Return the entropy of stars over the five of the scale, 0 to 1; of nothing, not a number."""
    if not stars:
        return math.nan
    shares = [stars.count(star) / len(stars) for star in range(1, 6)]
    return abs(sum(share * math.log(share) for share in shares if share)) / math.log(5)


def _real(town: Town) -> list[int]:
    """Return the stars that real people gave; none where people are drawn."""
    return [one.stars for one in town.genesis.past if one.stars] if town.is_real else []
