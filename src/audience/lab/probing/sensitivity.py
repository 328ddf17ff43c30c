"""Pages shown in other orders and asked for in other words: what is picked all the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec

from audience.agents.language import PageReply, holes_of, item_line, read, schema_of
from audience.lab.probing.questions import MINDED, Asker
from audience.lab.probing.result import Answer, ProbeRow, ProbeTable, difference, mean_of, row
from audience.lab.probing.town import Town
from audience.lab.probing.visits import ACTIONS, Steps, walked
from audience.llm import Request, ask_for, together, unanswered

PAGE = 5
"""Items on a page."""
TOKENS = 400
"""As many as a mind may answer with."""
OWN = "page"
WORDINGS = ("probe_page_1", "probe_page_2", "probe_page_3")
"""Prompt files that ask for the same as the minds' own in other words."""
LETTERS = "ABCDE"
PLACES = ("first", "second", "third", "fourth", "fifth")


class PagePick(msgspec.Struct, frozen=True):
    """What was picked of a page."""

    who: int
    order: tuple[int, ...]
    items: frozenset[int] | None
    """None where the answer could not be read."""
    stars: tuple[int, ...] = ()


def page_of(town: Town, who: int, turn: int = 0) -> tuple[int, ...]:
    """Return somebody's page, turned by so many places."""
    items = town.unknown(who, PAGE, "page")
    return tuple(items[turn:] + items[:turn])


async def pick(
    asker: Asker, town: Town, who: int, *, turn: int = 0, wording: str = OWN, nth: int = 0
) -> PagePick:
    """Return what a model picks for somebody, asked as a mind asks, once."""
    order = page_of(town, who, turn)
    seen = town.at(town.person(who), 0, order)
    request = Request(
        "page",
        asker.prompt(wording, holes_of(seen, (), "page"), rules="rules"),
        asker.model,
        schema=schema_of(seen),
        max_tokens=TOKENS,
        temperature=MINDED,
        salt=f"{asker.seed}/page/{wording}/{who}/{turn}/{nth}",
    )
    answer = await ask_for(
        asker, request, lambda reply: unanswered(reply) or read(seen, reply.text)
    )
    found = answer.value
    if not isinstance(found, PageReply):
        return PagePick(who, order, None)
    stars = tuple(one.stars for one in found.picks if one.stars)
    return PagePick(who, order, frozenset(one.item for one in found.picks), stars)


async def by_place(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how often each place of a page is picked, over all rotations of the same items."""
    picked = await together(
        pick(asker, town, who, turn=turn) for who in town.people for turn in range(PAGE)
    )
    return place_rows(picked, asker.seed)


def place_rows(picked: Sequence[PagePick], seed: int) -> list[ProbeRow]:
    """Return pick rates by place, the first less the last, and how far picks follow the items."""
    rates = [[(one.who, _at(one, place)) for one in picked] for place in range(PAGE)]
    overall = mean_of(value for each in rates for _, value in each)
    found = [
        row("place", f"picked at the {PLACES[place]} place", each, seed=seed, chance=overall)
        for place, each in enumerate(rates)
    ]
    gaps = [(one.who, difference(_at(one, 0), _at(one, PAGE - 1))) for one in picked]
    what = "first less last place"
    found.append(row("place", what, gaps, seed=seed, chance=0.0, unit="difference"))
    alike: list[Answer] = [
        (one.who, overlap(one, other))
        for one, other in combinations(picked, 2)
        if one.who == other.who
    ]
    readable = [each for each in alike if each[1] is not None]
    return [*found, row("place", "overlap of picks in two orders", readable, seed=seed)]


def _at(one: PagePick, place: int) -> float | None:
    return None if one.items is None else float(one.order[place] in one.items)


def overlap(one: PagePick, other: PagePick) -> float | None:
    """Return the share of items in both of all that were picked; 1 where nothing was, twice."""
    if one.items is None or other.items is None:
        return None
    either = one.items | other.items
    return len(one.items & other.items) / len(either) if either else 1.0


async def by_letter(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how often each letter is chosen where one must be, over all rotations."""
    asks = [(who, turn) for who in town.people for turn in range(PAGE)]
    choices = await together(_letter(asker, town, who, turn) for who, turn in asks)
    found = []
    for place, letter in enumerate(LETTERS):
        answers = [
            (who, each[place] if each else None)
            for (who, _), each in zip(asks, choices, strict=True)
        ]
        what = f"{letter} is chosen, of {LETTERS}"
        found.append(row("letter", what, answers, seed=asker.seed, chance=1 / PAGE))
    return found


async def _letter(asker: Asker, town: Town, who: int, turn: int) -> list[float]:
    """Return the share of each letter; nothing where the answer could not be read."""
    order = page_of(town, who, turn)
    lines = (item_line(town.item(item)).partition("] ")[2] for item in order)
    shown = "\n".join(f"{letter}) {line}" for letter, line in zip(LETTERS, lines, strict=True))
    holes = holes_of(town.at(town.person(who), 0, order), (), "page") | {"options": shown}
    messages = asker.prompt("probe_pick", holes)
    found = await asker.choose("letter", messages, f"letter/{who}/{turn}", tuple(LETTERS))
    shares = [found.share(place) for place in range(PAGE)]
    return [share for share in shares if share is not None]


async def by_wording(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how far picks stay the same when the same page is asked for in other words."""
    # Not the asking that `by_place` does: each question is a question of its own.
    ways = [(OWN, 1), (OWN, 2), *((wording, 1) for wording in WORDINGS)]
    picked = await together(
        together([pick(asker, town, who, wording=wording, nth=nth) for who in town.people])
        for wording, nth in ways
    )
    return wording_rows(
        picked[0], picked[1], dict(zip(WORDINGS, picked[2:], strict=True)), asker.seed
    )


def wording_rows(
    own: Sequence[PagePick],
    again: Sequence[PagePick],
    others: dict[str, list[PagePick]],
    seed: int,
) -> list[ProbeRow]:
    """Return for each wording the agreement with the minds' own, and how much more is picked."""
    floor = mean_of(overlap(one, two) for one, two in zip(own, again, strict=True))
    lost = sum(one.items is None for one in own)
    rates = [(one.who, None if one.items is None else len(one.items) / PAGE) for one in own]
    found = [row("wording", "own words: share of a page picked", rates, seed=seed)]
    same = [(one.who, overlap(one, two)) for one, two in zip(own, again, strict=True)]
    found.append(row("wording", "own words, asked twice: overlap of picks", same, seed=seed))
    for number, each in enumerate(others.values(), 1):
        pairs = list(zip(own, each, strict=True))
        alike = [(one.who, overlap(one, two)) for one, two in pairs]
        more = [(one.who, difference(_share(two), _share(one))) for one, two in pairs]
        stars = [(one.who, difference(_stars(two), _stars(one))) for one, two in pairs]
        label = f"wording {number}"
        found.append(row("wording", f"{label}: overlap of picks", alike, seed=seed, chance=floor))
        for what, gaps in (("share picked", more), ("mean stars", stars)):
            told = f"{label}: {what}, less own words"
            kept = [one for one in gaps if one[1] is not None]
            made = row("wording", told, kept, seed=seed, chance=0.0, unit="difference")
            unread = sum(one.items is None for one in each)
            found.append(msgspec.structs.replace(made, unreadable=unread))
    return [msgspec.structs.replace(found[0], unreadable=lost), *found[1:]]


def _share(one: PagePick) -> float | None:
    return None if one.items is None else len(one.items) / PAGE


def _stars(one: PagePick) -> float | None:
    return sum(one.stars) / len(one.stars) if one.stars else None


async def prompts(asker: Asker, town: Town, real: list[Steps], why_not: str = "") -> ProbeTable:
    """Return how picks move with places and wordings, and how visits compare with `real` ones.

    `why_not` says why there are no real ones.
    """
    rows = await together(
        (
            by_place(asker, town),
            by_letter(asker, town),
            by_wording(asker, town),
            walked(asker, town, real),
        )
    )
    notes = [
        f"place: each page in all {PAGE} rotations, so that every item stands everywhere "
        "once. Chance: the rate over all places. letter: a forced choice, by log-probability "
        "where offered.",
        "wording: the same page asked for in other words; chance: the same words asked twice.",
        f"visits: actions are {', '.join(ACTIONS)}; "
        + (
            f"{len(real):,} real ones are compared by their first actions, pages left out since "
            "ratings do not tell of them, and visits without a pick left out as real ones cannot "
            "lack one; chance: one half of the real ones against the other."
            if real
            else f"not compared with real ones: {why_not}."
        ),
        "Unreadable answers are counted, left out and never repaired, except in visits, where a "
        "mind asks once more as it does in a run.",
    ]
    return ProbeTable(tuple(one for part in rows for one in part), tuple(notes))
