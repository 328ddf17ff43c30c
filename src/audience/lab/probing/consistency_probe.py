"""Consistency probe: do people answer the same again and later, and how do they rate?"""

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
from audience.lab.probing.result import (
    Answer,
    ProbeRow,
    ProbeTable,
    difference,
    mean_of,
    row,
    statistic_row,
)
from audience.lab.probing.town import QUESTIONS, REPUTE, Town, invented
from audience.llm import TEXT, object_of, one_of, together
from audience.world import Agent, Ints, rng

PART = "persona"
ASKED = 2
"""How often each question is asked in a round."""
LIVED = 2
"""Items that a person consumes from one round to the next."""
_MOST = {"stars": 5, "age": 120}


class PersonaAnswer(msgspec.Struct, frozen=True):
    """One answer to one question; None if it could not be read."""

    who: int
    question: str
    round: int
    nth: int
    answer: str | None


def enough(me: Agent, rounds: int) -> bool:
    """Return True if a person has a history in the first round already."""
    return len(me.history) > LIVED * (rounds - 1)


def as_of(me: Agent, round_: int, rounds: int) -> Agent:
    """Return a person as they were in a round, without what came later."""
    if not enough(me, rounds):
        return me
    return replace(me, history=me.history[: len(me.history) - LIVED * (rounds - 1 - round_)])


async def repeated(asker: Asker, town: Town, rounds: int) -> list[ProbeRow]:
    """Return how often people answer as before, and as their profile and history say."""
    answers = await together(
        _say(asker, town, who, question, (round_, nth), rounds)
        for who in town.people
        for question in QUESTIONS
        if question != "stars" or enough(town.person(who), rounds)
        for round_ in range(rounds)
        for nth in range(ASKED)
    )
    return [*agreement(answers, asker.seed), *_true(town, answers, rounds, asker.seed)]


def rated_before(me: Agent, rounds: int) -> tuple[int, int]:
    """Return the newest item that was rated before the first round, with its stars.

    If none was, the newest item and 0.
    """
    history = as_of(me, 0, rounds).history
    rated = [(lived.item, lived.stars) for lived in history if lived.stars]
    return rated[-1] if rated else (history[-1].item, 0)


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
    reply = await asker.read(
        PART,
        asker.prompt("probe_ask", holes, rules=("rules",)),
        f"persona/{question}/{who}/{round_}/{nth}",
        object_of(answer=schema),
        temperature=MINDED,
    )
    value = reply.get("answer") if isinstance(reply, dict) else None
    return PersonaAnswer(who, question, round_, nth, _read(value, question, town, titles))


def _form(town: Town, question: str, titles: Sequence[str]) -> tuple[str, dict[str, Any]]:
    if question in _MOST:
        most = _MOST[question]
        return f"1-{most}", one_of(range(1, most + 1))
    if question == "rather":
        return "one of the two titles", one_of(titles)
    tags = list(town.genesis.catalogue.tags)
    return f"one of {', '.join(tags)}", one_of(tags)


def _read(value: object, question: str, town: Town, titles: Sequence[str]) -> str | None:
    if question in _MOST:
        number = whole(value, 1, _MOST[question])
        return None if number is None else str(number)
    options = town.genesis.catalogue.tags if question == "kind" else titles
    answer = str(value).strip().strip("<>").casefold()
    return next((option for option in options if option.casefold() == answer), None)


def agreement(answers: Sequence[PersonaAnswer], seed: int) -> list[ProbeRow]:
    """Return how often a person gives the same answer: at once, and rounds later."""
    rows = []
    for question in QUESTIONS:
        some = [answer for answer in answers if answer.question == question]
        lost = sum(answer.answer is None for answer in some)
        # Everybody is asked about two items of their own, so strangers cannot be compared.
        chance = 0.5 if question == "rather" else _between_strangers(some)
        for what, is_later in (("at once", False), ("rounds later", True)):
            pairs = [
                (first.who, float(first.answer == second.answer))
                for first, second in combinations(some, 2)
                if first.who == second.who
                and (first.round != second.round) == is_later
                and None not in (first.answer, second.answer)
            ]
            made = row(PART, f"{question}: same answer {what}", pairs, seed=seed, chance=chance)
            rows.append(replace(made, unreadable=lost))
    return rows


def _between_strangers(answers: Sequence[PersonaAnswer]) -> float | None:
    """Return how often different people give equal answers when first asked."""
    first = [answer.answer for answer in answers if (answer.round, answer.nth) == (0, 0)]
    readable = [answer for answer in first if answer is not None]
    return mean_of(float(mine == theirs) for mine, theirs in combinations(readable, 2))


def _true(town: Town, answers: Sequence[PersonaAnswer], rounds: int, seed: int) -> list[ProbeRow]:
    """Return how often an answer is what the profile or the history says."""
    right: dict[str, list[Answer]] = {"kind": [], "age": [], "stars": []}
    for answer in answers:
        true = _truth(town.person(answer.who), answer.question, rounds)
        if true:
            hit = None if answer.answer is None else float(answer.answer in true)
            right[answer.question].append((answer.who, hit))
    tags = max(len(town.genesis.catalogue.tags), 1)
    own = mean_of(len(town.person(who).profile.interests) / tags for who in town.people)
    return [
        row(PART, "kind: one of its own", right["kind"], seed=seed, chance=own),
        row(PART, "age: its own", right["age"], seed=seed, chance=1 / _MOST["age"]),
        row(PART, "stars: as it gave them", right["stars"], seed=seed, chance=0.2),
    ]


def _truth(me: Agent, question: str, rounds: int) -> tuple[str, ...]:
    """Return the right answers; none if nothing is known."""
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
    """Stars for one item; None if they could not be read."""

    who: int
    repute: str
    kind: str
    stars: int | None


async def rated(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return the stars for bad, middling and good items, by Critics and by others."""
    ratings = await together(
        _give(asker, town, who, repute, kind)
        for who in town.people
        for repute in REPUTE
        for kind in (CRITIC, OTHER)
    )
    return [*positivity(ratings, asker.seed), *scale(ratings, _real(town), asker.seed)]


def _dressed(me: Agent, kind: str) -> Agent:
    habits = replace(me.profile.habits, critic=1.0 if kind == CRITIC else 0.0)
    return replace(me, profile=replace(me.profile, habits=habits))


async def _give(asker: Asker, town: Town, who: int, repute: str, kind: str) -> GivenStars:
    me = _dressed(town.person(who), kind)
    holes = holes_of(town.at(me), (), "page")
    likes = set(me.profile.interests)
    # Its kinds are those of a real item that suits the repute; everything else is invented.
    suiting = [
        item
        for item in town.genesis.catalogue.items
        if item.tags and bool(likes & set(item.tags)) == (repute == "good")
    ] or list(town.genesis.catalogue.items)
    draws = rng(town.seed, "probe", "rate", repute, who)
    like = suiting[int(draws.integers(len(suiting)))]
    holes["item"] = f"<{invented(like, town.seed)}> ({', '.join(like.tags)})"
    holes["repute"] = Template(REPUTE[repute]).substitute(holes)
    reply = await asker.read(
        RATING_PART,
        asker.prompt("probe_rate", holes, rules=("rules",)),
        f"rate/{repute}/{kind}/{who}",
        object_of(
            feeling=TEXT,
            stars=one_of(range(1, 6)),
        ),
        temperature=MINDED,
    )
    stars = whole(reply.get("stars"), 1, 5) if isinstance(reply, dict) else None
    return GivenStars(who, repute, kind, stars)


def positivity(ratings: Sequence[GivenStars], seed: int) -> list[ProbeRow]:
    """Return mean stars and low ratings by repute and habit, and the paired differences."""
    rows = []
    for repute in REPUTE:
        for kind in (CRITIC, OTHER):
            some = [own for own in ratings if (own.repute, own.kind) == (repute, kind)]
            means: list[Answer] = [(own.who, own.stars) for own in some]
            low = [
                (own.who, None if own.stars is None else float(own.stars <= _LOW)) for own in some
            ]
            label = f"{repute} item, {kind}"
            rows.append(row(RATING_PART, f"{label}: mean stars", means, seed=seed, unit="stars"))
            rows.append(row(RATING_PART, f"{label}: 1 or 2 stars", low, seed=seed))
    for what, first, second in (
        ("bad item: Critic less no Critic", ("bad", CRITIC), ("bad", OTHER)),
        ("Critic: good less bad item", ("good", CRITIC), ("bad", CRITIC)),
        ("no Critic: good less bad item", ("good", OTHER), ("bad", OTHER)),
    ):
        gaps = _gaps(ratings, first, second)
        rows.append(row(RATING_PART, what, gaps, seed=seed, chance=0.0, unit="difference"))
    return rows


def _gaps(
    ratings: Sequence[GivenStars], minuend: tuple[str, str], subtrahend: tuple[str, str]
) -> list[Answer]:
    by = {(rating.who, rating.repute, rating.kind): rating.stars for rating in ratings}
    gaps: list[Answer] = []
    for who in dict.fromkeys(rating.who for rating in ratings):
        gaps.append((who, difference(by[(who, *minuend)], by[(who, *subtrahend)])))
    return gaps


def scale(ratings: Sequence[GivenStars], real: Sequence[int], seed: int) -> list[ProbeRow]:
    """Return how the stars are distributed over the scale, beside those of real people."""
    rows = []
    for star in range(1, 6):
        some = [
            (rating.who, None if rating.stars is None else float(rating.stars == star))
            for rating in ratings
        ]
        share = real.count(star) / len(real) if real else None
        made = row(SCALE, f"{star} star{'s' if star > 1 else ''}", some, seed=seed, chance=share)
        rows.append(made)
    stars = {
        who: [rating.stars for rating in ratings if rating.who == who and rating.stars]
        for who in dict.fromkeys(rating.who for rating in ratings)
    }
    heaps = [heap for heap in stars.values() if heap]

    def evenness(people: Ints) -> float:
        return spread([star for person in people.tolist() for star in heaps[person]])

    what = "evenness of the five stars (1: all alike)"
    count = sum(map(len, heaps))
    rows.append(statistic_row(SCALE, what, evenness, len(heaps), seed=seed, count=count))
    return rows


def spread(stars: Sequence[int]) -> float:
    """Return the entropy of stars over the five of the scale, 0 to 1; NaN without stars."""
    if not stars:
        return math.nan
    shares = [stars.count(star) / len(stars) for star in range(1, 6)]
    return abs(sum(share * math.log(share) for share in shares if share)) / math.log(5)


def _real(town: Town) -> list[int]:
    """Return the stars that real people gave; none if people are drawn."""
    return [lived.stars for lived in town.genesis.past if lived.stars] if town.is_real else []


async def consistency(asker: Asker, town: Town, *, rounds: int = 3) -> ProbeTable:
    """Return how often people answer as before, and how they use the scale of stars."""
    if rounds < 2:
        raise BadInput(f"--rounds {rounds}: give at least 2, to compare with a later one")
    same, stars = await together((repeated(asker, town, rounds), rated(asker, town)))
    asked = sum(enough(town.person(who), rounds) for who in town.people)
    notes = (
        f"persona: each question {ASKED} times in each of {rounds} rounds, with "
        f"{LIVED} items consumed between two rounds; {asked} of {len(town.people)} people "
        "have enough history to be asked about stars. Chance: how often two different people "
        "give the same answer; to answer like everybody is not consistent but constant.",
        "stars: for invented items of a stated repute, by the same person with and without the "
        "habit of a Critic. scale: over all of these; chance: what real people "
        "gave in the dataset. Unreadable answers are counted, left out and never repaired.",
    )
    return ProbeTable((*same, *stars), notes)
