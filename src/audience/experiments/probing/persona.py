"""The same questions to the same person, again and rounds later."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import msgspec
from msgspec.structs import replace

from audience.agents.prompting import holes_of
from audience.experiments.probing.asking import MINDED, Asker, whole
from audience.experiments.probing.measures import Answer, ProbeRow, mean_of, row
from audience.experiments.probing.town import Town
from audience.experiments.probing.words import QUESTIONS
from audience.llm.structured import object_of, one_of, whole_of
from audience.llm.together import together
from audience.world import Agent

PART = "persona"
ASKED = 2
"""How often each question is put in a round."""
LIVED = 2
"""Items that somebody lives from one round to the next."""
_MOST = {"stars": 5, "age": 120}


class Said(msgspec.Struct, frozen=True):
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
) -> Said:
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
    return Said(who, question, round_, nth, _read(value, question, town, titles))


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


def agreement(said: Sequence[Said], seed: int) -> list[ProbeRow]:
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


def _between_strangers(said: Sequence[Said]) -> float | None:
    """Return how often different people give equal answers, all asked for the first time."""
    first = [one.answer for one in said if (one.round, one.nth) == (0, 0)]
    readable = [answer for answer in first if answer is not None]
    return mean_of(float(one == other) for one, other in combinations(readable, 2))


def _true(town: Town, said: Sequence[Said], rounds: int, seed: int) -> list[ProbeRow]:
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
