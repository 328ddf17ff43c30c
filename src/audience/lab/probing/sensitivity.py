"""Prompt probe: how picks change with the order of a page and the words of a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec

from audience.agents.language import LLMMind, PageReply, holes_of, item_line, read, schema_of
from audience.lab.probing.questions import MINDED, Asker
from audience.lab.probing.result import Answer, ProbeRow, ProbeTable, difference, mean_of, row
from audience.lab.probing.town import Town
from audience.lab.probing.visits import ACTIONS, Steps, prompts_of, walked
from audience.llm import Request, ask_for, together, unanswered

PAGE = 5
"""Items on a page."""
TOKENS = 400
"""As many as a mind may answer with."""
OWN = "page"
WORDINGS = ("probe_page_1", "probe_page_2", "probe_page_3")
"""Prompt files that ask the same as the minds' own in other words."""
LETTERS = "ABCDE"
PLACES = ("first", "second", "third", "fourth", "fifth")


class PagePick(msgspec.Struct, frozen=True):
    """What was picked from a page."""

    who: int
    order: tuple[int, ...]
    items: frozenset[int] | None
    """None if the answer could not be read."""
    stars: tuple[int, ...] = ()


def page_of(town: Town, who: int, turn: int = 0) -> tuple[int, ...]:
    """Return a person's page, rotated by `turn` places."""
    items = town.unknown(who, PAGE, "page")
    return tuple(items[turn:] + items[:turn])


async def pick(
    asker: Asker, town: Town, who: int, *, turn: int = 0, wording: str = OWN, nth: int = 0
) -> PagePick:
    """Return what a model picks for a person, asked once as a mind asks."""
    order = page_of(town, who, turn)
    seen = town.at(town.person(who), 0, order)
    mind = LLMMind(asker, model=asker.model, prompts=prompts_of(asker))
    rules, user = mind.messages(seen, (), "page")
    if wording != OWN:
        user = asker.prompt(wording, holes_of(seen, (), "page"))[-1]
    request = Request(
        "page",
        (rules, user),
        asker.model,
        schema=schema_of(seen),
        max_tokens=TOKENS,
        temperature=MINDED,
        salt=f"{asker.seed}/page/{wording}/{who}/{turn}/{nth}",
    )
    answer = await ask_for(
        asker, request, lambda reply: unanswered(reply) or read(seen, reply.text)
    )
    page_reply = answer.value
    if not isinstance(page_reply, PageReply):
        return PagePick(who, order, None)
    stars = tuple(picked.stars for picked in page_reply.picks if picked.stars)
    return PagePick(who, order, frozenset(picked.item for picked in page_reply.picks), stars)


async def by_place(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how often each place of a page is picked, over all rotations of the same items."""
    picked = await together(
        pick(asker, town, who, turn=turn) for who in town.people for turn in range(PAGE)
    )
    return place_rows(picked, asker.seed)


def place_rows(picked: Sequence[PagePick], seed: int) -> list[ProbeRow]:
    """Return pick rates by place, first less last, and how far picks follow the items."""
    rates = [[(page.who, _at(page, place)) for page in picked] for place in range(PAGE)]
    overall = mean_of(value for each in rates for _, value in each)
    rows = [
        row("place", f"picked at the {PLACES[place]} place", each, seed=seed, chance=overall)
        for place, each in enumerate(rates)
    ]
    gaps = [(page.who, difference(_at(page, 0), _at(page, PAGE - 1))) for page in picked]
    what = "first less last place"
    rows.append(row("place", what, gaps, seed=seed, chance=0.0, unit="difference"))
    alike: list[Answer] = [
        (first.who, overlap(first, second))
        for first, second in combinations(picked, 2)
        if first.who == second.who
    ]
    readable = [each for each in alike if each[1] is not None]
    return [*rows, row("place", "overlap of picks in two orders", readable, seed=seed)]


def _at(page: PagePick, place: int) -> float | None:
    return None if page.items is None else float(page.order[place] in page.items)


def overlap(first: PagePick, second: PagePick) -> float | None:
    """Return the Jaccard overlap of two picks; 1 if both are empty."""
    if first.items is None or second.items is None:
        return None
    either = first.items | second.items
    return len(first.items & second.items) / len(either) if either else 1.0


async def by_letter(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how often each letter is chosen where one must be, over all rotations."""
    asks = [(who, turn) for who in town.people for turn in range(PAGE)]
    choices = await together(_letter(asker, town, who, turn) for who, turn in asks)
    rows = []
    for place, letter in enumerate(LETTERS):
        answers = [
            (who, each[place] if each else None)
            for (who, _), each in zip(asks, choices, strict=True)
        ]
        what = f"{letter} is chosen, of {LETTERS}"
        rows.append(row("letter", what, answers, seed=asker.seed, chance=1 / PAGE))
    return rows


async def _letter(asker: Asker, town: Town, who: int, turn: int) -> list[float]:
    """Return the share of each letter; empty if the answer could not be read."""
    order = page_of(town, who, turn)
    lines = (item_line(town.item(item)).partition("] ")[2] for item in order)
    shown = "\n".join(f"{letter}) {line}" for letter, line in zip(LETTERS, lines, strict=True))
    holes = holes_of(town.at(town.person(who), 0, order), (), "page") | {"options": shown}
    messages = asker.prompt("probe_pick", holes)
    choice = await asker.choose("letter", messages, f"letter/{who}/{turn}", tuple(LETTERS))
    shares = [choice.share(place) for place in range(PAGE)]
    return [share for share in shares if share is not None]


async def by_wording(asker: Asker, town: Town) -> list[ProbeRow]:
    """Return how far picks stay the same when the same page is asked for in other words."""
    # Not what `by_place` has asked already: each question has its own number.
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
    """Return for each wording the overlap with the minds' own, and how much more is picked."""
    same = [(first.who, overlap(first, second)) for first, second in zip(own, again, strict=True)]
    floor = mean_of(value for _, value in same)
    lost = sum(page.items is None for page in own)
    rates = [(page.who, _share(page)) for page in own]
    rows = [row("wording", "own words: share of a page picked", rates, seed=seed)]
    rows.append(row("wording", "own words, asked twice: overlap of picks", same, seed=seed))
    for number, each in enumerate(others.values(), 1):
        pairs = list(zip(own, each, strict=True))
        alike = [(first.who, overlap(first, second)) for first, second in pairs]
        more = [(first.who, difference(_share(second), _share(first))) for first, second in pairs]
        stars = [(first.who, difference(_stars(second), _stars(first))) for first, second in pairs]
        label = f"wording {number}"
        rows.append(row("wording", f"{label}: overlap of picks", alike, seed=seed, chance=floor))
        for what, gaps in (("share picked", more), ("mean stars", stars)):
            title = f"{label}: {what}, less own words"
            kept = [gap for gap in gaps if gap[1] is not None]
            made = row("wording", title, kept, seed=seed, chance=0.0, unit="difference")
            unread = sum(page.items is None for page in each)
            rows.append(msgspec.structs.replace(made, unreadable=unread))
    return [msgspec.structs.replace(rows[0], unreadable=lost), *rows[1:]]


def _share(picks: PagePick) -> float | None:
    return None if picks.items is None else len(picks.items) / PAGE


def _stars(picks: PagePick) -> float | None:
    return sum(picks.stars) / len(picks.stars) if picks.stars else None


async def prompts(asker: Asker, town: Town, real: list[Steps], why_not: str = "") -> ProbeTable:
    """Return how picks depend on places and wordings, and how visits compare with `real` ones.

    `why_not` says why there are no real visits.
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
        f"place: each page in all {PAGE} rotations, so that every item has every place "
        "once. Chance: the rate over all places. letter: a forced choice, by log-probability "
        "where offered.",
        "wording: the same page asked for in other words; chance: the same words asked twice.",
        f"visits: actions are {', '.join(ACTIONS)}; "
        + (
            f"{len(real):,} real ones are compared by their first actions, without pages, which "
            "ratings do not record, and without visits that have no pick, as every real one has "
            "one; chance: one half of the real ones against the other."
            if real
            else f"not compared with real ones: {why_not}."
        ),
        "Unreadable answers are counted, left out and never repaired, except in visits, where a "
        "mind asks once more as it does in a run.",
    ]
    return ProbeTable(tuple(row for part in rows for row in part), tuple(notes))
