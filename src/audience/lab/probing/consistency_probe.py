"""The same questions to the same person, again and rounds later."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from string import Template
from typing import Any

import msgspec
from msgspec.structs import replace

from audience.agents.language import holes_of
from audience.errors import BadInput
from audience.lab.probing.questions import MINDED, Asker, whole
from audience.lab.probing.result import Answer, ProbeRow, ProbeTable, mean_of, row, statistic_row
from audience.lab.probing.town import QUESTIONS, REPUTE, Town, invented
from audience.llm import object_of, one_of, text_of, together, whole_of
from audience.world import Agent, Ints, rng

PART = "persona"
ASKED = 2
"""How often each question is put in a round."""
LIVED = 2
"""Items that somebody lives from one round to the next."""
_MOST = {"stars": 5, "age": 120}


class PersonaAnswer(msgspec.Struct, frozen=True):
    """One answer to one question; None where it could not be read."""

    who: int
    question: str
    round: int
    nth: int
    answer: str | None


def enough(me: Agent, rounds: int) -> bool:
    """Say whether somebody has a past in the first round already."""
    return len(me.history) > LIVED * (rounds - 1)


def as_of(me: Agent, round_: int, rounds: int) -> Agent:
    """Return somebody as it was in a round: what is lived later is not there yet."""
    if not enough(me, rounds):
        return me
    return replace(me, history=me.history[: len(me.history) - LIVED * (rounds - 1 - round_)])


async def repeated(asker: Asker, town: Town, rounds: int) -> list[ProbeRow]:
    """Return how often people answer as before, and as their profile and history say."""
    said = await together(
        _say(asker, town, who, question, (round_, nth), rounds)
        for who in town.people
        for question in QUESTIONS
        if question != "stars" or enough(town.person(who), rounds)
        for round_ in range(rounds)
        for nth in range(ASKED)
    )
    return [*agreement(said, asker.seed), *_true(town, said, rounds, asker.seed)]


def rated_before(me: Agent, rounds: int) -> tuple[int, int]:
    """Return the newest item that was rated before the first round, with its stars.

    Where none was: the newest, and 0.
    """
    history = as_of(me, 0, rounds).history
    given = [(one.item, one.stars) for one in history if one.stars]
    return given[-1] if given else (history[-1].item, 0)


async def _say(
    asker: Asker, town: Town, who: int, question: str, moment: tuple[int, int], rounds: int
) -> PersonaAnswer:
    round_, nth = moment
    me = town.person(who)
    titles = [town.item(item).title for item in town.unknown(who, 2, "rather")]
    if question == "stars":
        titles[0] = town.item(rated_before(me, rounds)[0]).title
    form, schema = _form(town, question, titles)
    asked = QUESTIONS[question].format(**town.words, title=titles[0], other=titles[1])
    seen = town.at(as_of(me, round_, rounds), round_)
    holes = holes_of(seen, (), "interview") | {"question": asked, "form": form}
    found = await asker.read(
        PART,
        asker.prompt("probe_ask", holes, rules="rules"),
        f"persona/{question}/{who}/{round_}/{nth}",
        object_of(answer=schema),
        temperature=MINDED,
    )
    value = found.get("answer") if isinstance(found, dict) else None
    return PersonaAnswer(who, question, round_, nth, _read(value, question, town, titles))


def _form(town: Town, question: str, titles: Sequence[str]) -> tuple[str, dict[str, Any]]:
    if question in _MOST:
        most = _MOST[question]
        return f"1-{most}", whole_of(1, most)
    if question == "rather":
        return "one of the two titles", one_of(titles)
    tags = list(town.genesis.catalogue.tags)
    return f"one of {', '.join(tags)}", one_of(tags)


def _read(value: object, question: str, town: Town, titles: Sequence[str]) -> str | None:
    if question in _MOST:
        number = whole(value, 1, _MOST[question])
        return None if number is None else str(number)
    options = town.genesis.catalogue.tags if question == "kind" else titles
    said = str(value).strip().strip("<>").casefold()
    return next((option for option in options if option.casefold() == said), None)


def agreement(said: Sequence[PersonaAnswer], seed: int) -> list[ProbeRow]:
    """Return how often the same person gives the same answer: at once, and rounds later."""
    found = []
    for question in QUESTIONS:
        some = [one for one in said if one.question == question]
        lost = sum(one.answer is None for one in some)
        # Everybody is asked about two items of its own, so that strangers cannot be compared.
        chance = 0.5 if question == "rather" else _between_strangers(some)
        for what, is_later in (("at once", False), ("rounds later", True)):
            pairs = [
                (one.who, float(one.answer == other.answer))
                for one, other in combinations(some, 2)
                if one.who == other.who
                and (one.round != other.round) == is_later
                and None not in (one.answer, other.answer)
            ]
            made = row(PART, f"{question}: same answer {what}", pairs, seed=seed, chance=chance)
            found.append(replace(made, unreadable=lost))
    return found


def _between_strangers(said: Sequence[PersonaAnswer]) -> float | None:
    """Return how often different people give equal answers, all asked for the first time."""
    first = [one.answer for one in said if (one.round, one.nth) == (0, 0)]
    readable = [answer for answer in first if answer is not None]
    return mean_of(float(one == other) for one, other in combinations(readable, 2))


def _true(town: Town, said: Sequence[PersonaAnswer], rounds: int, seed: int) -> list[ProbeRow]:
    """Return how often an answer is what the profile or the history says."""
    right: dict[str, list[Answer]] = {"kind": [], "age": [], "stars": []}
    for one in said:
        true = _truth(town.person(one.who), one.question, rounds)
        if true:
            hit = None if one.answer is None else float(one.answer in true)
            right[one.question].append((one.who, hit))
    tags = max(len(town.genesis.catalogue.tags), 1)
    own = mean_of(len(town.person(who).profile.interests) / tags for who in town.people)
    return [
        row(PART, "kind: one of its own", right["kind"], seed=seed, chance=own),
        row(PART, "age: its own", right["age"], seed=seed, chance=1 / _MOST["age"]),
        row(PART, "stars: as it gave them", right["stars"], seed=seed, chance=0.2),
    ]


def _truth(me: Agent, question: str, rounds: int) -> tuple[str, ...]:
    """Return the answers that are right; none where nothing says so."""
    if question == "kind":
        return me.profile.interests
    if question == "age":
        return (str(me.profile.age),) if me.profile.age is not None else ()
    if question == "stars":
        stars = rated_before(me, rounds)[1]
        return (str(stars),) if stars else ()
    return ()


RATING_PART, SCALE = "stars", "scale"
CRITIC, OTHER = "Critic", "no Critic"
_LOW = 2


class GivenStars(msgspec.Struct, frozen=True):
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


async def _give(asker: Asker, town: Town, who: int, repute: str, kind: str) -> GivenStars:
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
        RATING_PART,
        asker.prompt("probe_rate", holes, rules="rules"),
        f"rate/{repute}/{kind}/{who}",
        object_of(
            feeling=text_of(200),
            stars=whole_of(1, 5),
        ),
        temperature=MINDED,
    )
    stars = whole(found.get("stars"), 1, 5) if isinstance(found, dict) else None
    return GivenStars(who, repute, kind, stars)


def positivity(given: Sequence[GivenStars], seed: int) -> list[ProbeRow]:
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
            found.append(row(RATING_PART, f"{label}: mean stars", means, seed=seed, unit="stars"))
            found.append(row(RATING_PART, f"{label}: 1 or 2 stars", low, seed=seed))
    for what, one, other in (
        ("bad item: Critic less no Critic", ("bad", CRITIC), ("bad", OTHER)),
        ("Critic: good less bad item", ("good", CRITIC), ("bad", CRITIC)),
        ("no Critic: good less bad item", ("good", OTHER), ("bad", OTHER)),
    ):
        gaps = _gaps(given, one, other)
        found.append(row(RATING_PART, what, gaps, seed=seed, chance=0.0, unit="difference"))
    return found


def _gaps(
    given: Sequence[GivenStars], one: tuple[str, str], other: tuple[str, str]
) -> list[Answer]:
    by = {(each.who, each.repute, each.kind): each.stars for each in given}
    found: list[Answer] = []
    for who in dict.fromkeys(each.who for each in given):
        first, second = by[(who, *one)], by[(who, *other)]
        found.append((who, None if first is None or second is None else float(first - second)))
    return found


def scale(given: Sequence[GivenStars], real: Sequence[int], seed: int) -> list[ProbeRow]:
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


async def consistency(asker: Asker, town: Town, *, rounds: int = 3) -> ProbeTable:
    """Return how often people answer as before, and how they use the scale of stars."""
    if rounds < 2:
        raise BadInput(f"--rounds {rounds}: give at least 2, so that there is a later one")
    same, stars = await together((repeated(asker, town, rounds), rated(asker, town)))
    asked = sum(enough(town.person(who), rounds) for who in town.people)
    notes = (
        f"persona: each question {ASKED} times in each of {rounds} rounds, with "
        f"{LIVED} items lived between two rounds; {asked} of {len(town.people)} people "
        "have lived enough to be asked about stars. Chance: how often two different people give "
        "the same answer; who answers like everybody is not consistent but constant.",
        "stars: for invented items of a stated repute, by the same person with and without the "
        "habit of a Critic. scale: over all of these; chance: what real people "
        "gave in the dataset. Unreadable answers are counted, left out and never repaired.",
    )
    return ProbeTable((*same, *stars), notes)
