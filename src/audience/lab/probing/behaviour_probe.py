"""Behaviour: what people do and say on pages and among friends, beside what is known of people.

The same table is made of a run that exists, or of a battery: visits, pages in several orders, and
pages of what a person likes and hates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import msgspec

from audience.agents import GroundedMind, LLMMind, Mind, RuleMind
from audience.agents.voiced import mood_of
from audience.engine import Activation, Parts, Platform, Rules, Simulation, run
from audience.errors import BadInput
from audience.grounding import grounds_of
from audience.lab.probing.questions import Asker
from audience.lab.probing.result import Answer, Probed, ProbeRow, ProbeTable, row
from audience.lab.probing.town import Town
from audience.lab.probing.visits import KeptChapters, prompts_of
from audience.llm import Counts, together
from audience.log import Log
from audience.memory import Memory, NoMemory, Recollection
from audience.recommenders import Popular
from audience.world import Agent, Thought, World, actions as a, dice, events as e, rng

REAL_STARS = {1: 0.056, 2: 0.108, 3: 0.261, 4: 0.349, 5: 0.226}
"""Shares of stars in MovieLens-1M, a million ratings."""
FINISHED = 0.9
"""The share of an item from which it counts as watched to the end."""
PLACES, PAGES = 5, 3
"""Places of a page, and pages of a visit, that the table has rows for."""
ORDERS = 5
"""Orders in which the same page is shown."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TITLE = re.compile(r"<[^<>]{1,200}>")
_SELF = frozenset("i i'm i've i'd i'll me my mine myself we we're our us".split())
_OTHERS = frozenset("he she his her him hers".split())


class PageSeen(msgspec.Struct, frozen=True):
    """One page that a person decided on."""

    who: int
    number: int
    """From 1, within the visit."""
    places: tuple[int, ...]
    """The places that were picked, from 1."""
    after: str
    """What came next: `page`, `search`, `leave`, or empty."""


class Spoken(msgspec.Struct, frozen=True):
    """A text that a person worded: a feeling, a post or a line."""

    who: int
    kind: str
    text: str
    stars: int = 0


class Deeds(msgspec.Struct):
    """What people did, as far as the table needs it."""

    pages: list[PageSeen] = msgspec.field(default_factory=list)
    stars: list[tuple[int, int]] = msgspec.field(default_factory=list)
    watched: list[tuple[int, float]] = msgspec.field(default_factory=list)
    spoken: list[Spoken] = msgspec.field(default_factory=list)
    repeats: list[Answer] = msgspec.field(default_factory=list)
    """Whether a search repeats one of the same visit."""
    strange: list[Answer] = msgspec.field(default_factory=list)
    """Texts that name a title which the person has neither seen nor heard of."""
    repaired: list[Answer] = msgspec.field(default_factory=list)
    """Decisions by a model, and whether it was asked twice."""
    failed: list[Answer] = msgspec.field(default_factory=list)
    visits: int = 0
    calls: int = 0
    most_calls: int = 0
    """Of one decision."""
    interviewed: bool = False
    """Whether people were asked why they left, which is one more call of a decision."""


def lived_in(chapters: Iterable[e.Chapter]) -> Deeds:
    """Return what people did in some chapters."""
    lived = Deeds()
    calls: set[str] = set()
    for chapter in chapters:
        events = [entry.event for entry in chapter.entries]
        for entry in chapter.entries:
            calls.update(entry.calls)
            if entry.calls and chapter.phase in (e.VISITS, e.CONVERSATIONS):
                # The repair of a reply is the second call of a decision.
                lived.most_calls = max(lived.most_calls, len(entry.calls))
                lived.repaired.append((chapter.agent, float(len(entry.calls) > 1)))
                lived.failed.append((chapter.agent, float(isinstance(entry.event, e.Failed))))
        if chapter.phase == e.VISITS:
            lived.visits += 1
            lived.interviewed |= any(map(_is_interview, events))
            lived.pages += _pages(chapter.agent, events)
            _searches(lived, chapter.agent, events)
            _ratings(lived, events)
        _texts(lived, events)
    lived.calls = len(calls)
    return lived


def _is_interview(event: e.AnyEvent) -> bool:
    return isinstance(event, e.Left) and event.satisfaction is not None and bool(event.why)


def _pages(who: int, events: Sequence[e.AnyEvent]) -> Iterator[PageSeen]:
    places: list[int] = []
    number, is_open = 0, False
    for event in events:
        if isinstance(event, e.Picked):
            places.append(event.position + 1)
        if not (after := _AFTER.get(type(event), "")):
            continue
        if is_open:
            yield PageSeen(who, number, tuple(places), after)
        is_open = after == "page"
        number += is_open
        places = []


_AFTER: Mapping[type, str] = {e.SlateShown: "page", e.Searched: "search", e.Left: "leave"}


def _searches(lived: Deeds, who: int, events: Sequence[e.AnyEvent]) -> None:
    said: set[str] = set()
    for event in events:
        if isinstance(event, e.Searched):
            query = " ".join(event.query.casefold().split())
            lived.repeats.append((who, float(query in said)))
            said.add(query)


def _ratings(lived: Deeds, events: Sequence[e.AnyEvent]) -> None:
    stars: dict[int, int] = {}
    for event in events:
        match event:
            case e.Watched(agent, _, fraction):
                lived.watched.append((agent, fraction))
            case e.Rated(agent, item, given):
                lived.stars.append((agent, given))
                stars[item] = given
            case e.Felt(agent, item, text):
                lived.spoken.append(Spoken(agent, "feeling", text, stars.get(item, 0)))


def _texts(lived: Deeds, events: Sequence[e.AnyEvent]) -> None:
    for event, after in pairwise([*events, None]):
        if isinstance(event, e.Posted | e.Said):
            kind = "post" if isinstance(event, e.Posted) else "line"
            lived.spoken.append(Spoken(event.agent, kind, event.text))
            lived.strange.append((event.agent, float(isinstance(after, e.Unfounded))))


def behaviour_rows(lived: Deeds, seed: int, who: str = "") -> list[ProbeRow]:
    """Return the rows of what people did and said; `who` heads them where several are compared."""
    made = _Rows(seed, f"{who}: " if who else "")
    for each in (_of_pages, _of_steps, _of_ratings, _of_words, _of_asking):
        each(made, lived)
    return made.rows


class _Rows:
    """Rows in the making."""

    def __init__(self, seed: int, head: str) -> None:
        self.seed = seed
        self.head = head
        self.rows: list[ProbeRow] = []

    def add(
        self, part: str, what: str, answers: Iterable[Answer], known: float | None = None
    ) -> None:
        """Add the share of answers; `known` is what is known of people."""
        self.rows.append(row(part, self.head + what, answers, seed=self.seed, chance=known))


def _of_pages(made: _Rows, lived: Deeds) -> None:
    nothing = [(page.who, float(not page.places)) for page in lived.pages]
    made.add("pages", "nothing is picked", nothing)
    picks = [(page.who, place) for page in lived.pages for place in page.places]
    curve = [1.0 / (1.0 + place) ** 0.5 for place in range(PLACES)]
    for place in range(1, PLACES + 1):
        share = [(who, float(at == place)) for who, at in picks]
        made.add("pages", f"of picks, at place {place}", share, curve[place - 1] / sum(curve))


def _of_steps(made: _Rows, lived: Deeds) -> None:
    for number in range(1, PAGES + 1):
        here = [page for page in lived.pages if page.number == number]
        left = [(page.who, float(page.after == "leave")) for page in here]
        made.add("steps", f"leave after page {number}", left)
    searched = [(page.who, float(page.after == "search")) for page in lived.pages]
    made.add("steps", "search after a page", searched)
    made.add("steps", "of searches, repeated in the visit", lived.repeats, 0.0)


def _of_ratings(made: _Rows, lived: Deeds) -> None:
    for stars, known in REAL_STARS.items():
        share = [(who, float(given == stars)) for who, given in lived.stars]
        made.add("ratings", f"{stars} star{'s' if stars > 1 else ''}", share, known)
    made.add("ratings", "mean share watched", lived.watched)
    ended = [(who, float(fraction >= FINISHED)) for who, fraction in lived.watched]
    made.add("ratings", "watched to the end", ended)


def _of_words(made: _Rows, lived: Deeds) -> None:
    felt = [each for each in lived.spoken if each.kind == "feeling"]
    words = [(each, _words(each.text)) for each in felt]
    mine = [(each.who, float(bool(_SELF & set(said)))) for each, said in words]
    made.add("feelings", "in the first person", mine)
    theirs = [
        (each.who, float(bool(_OTHERS & set(said)) and not _SELF & set(said)))
        for each, said in words
    ]
    made.add("feelings", "of he or she alone", theirs)
    made.add(
        "feelings", "one or two words", [(each.who, float(len(said) < 3)) for each, said in words]
    )
    made.add("feelings", "said for the first time", _first(felt))
    made.add("feelings", "distinct pairs of words", new_pairs(felt))
    moods = [(each, mood_of(_TITLE.sub("", each.text))) for each in felt if each.stars]
    against = [
        (each.who, float(mood < 0 if each.stars > 3 else mood > 0))
        for each, mood in moods
        if each.stars != 3 and mood
    ]
    made.add("feelings", "contradict the stars", against)
    made.add("talk", "name a title not met", lived.strange, 0.0)
    said = [each for each in lived.spoken if each.kind != "feeling"]
    made.add("talk", "said for the first time", _first(said))
    made.add("talk", "distinct pairs of words", new_pairs(said))


def _of_asking(made: _Rows, lived: Deeds) -> None:
    if lived.calls:
        # Faithful prompting asks several questions a decision and repairs none.
        if lived.most_calls <= 2 and not lived.interviewed:
            made.add("asking", "decisions repaired", lived.repaired, 0.0)
        made.add("asking", "decisions unreadable", lived.failed, 0.0)


def _words(text: str) -> list[str]:
    plain = _TITLE.sub(" ", text).replace("’", "'")
    return [word.casefold() for word in _WORD.findall(plain)]


def _first(spoken: Sequence[Spoken]) -> list[Answer]:
    """Return for each text whether nobody said it before."""
    seen: set[str] = set()
    fresh: list[Answer] = []
    for each in spoken:
        text = " ".join(_words(each.text))
        fresh.append((each.who, float(text not in seen)))
        seen.add(text)
    return fresh


def new_pairs(spoken: Sequence[Spoken]) -> list[Answer]:
    """Return for each two words in a row whether nobody said them before (distinct-2)."""
    seen: set[tuple[str, str]] = set()
    fresh: list[Answer] = []
    for each in spoken:
        for pair in pairwise(_words(each.text)):
            fresh.append((each.who, float(pair not in seen)))
            seen.add(pair)
    return fresh


class _Saying(NoMemory):
    """A memory in which one sentence comes to mind, whatever happens."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def recall(self, me: Agent, cue: str, now: int, limit: int) -> Recollection:
        del me, cue, limit
        return Recollection((Thought(0, self.text, 1.0, now),))


Picks = frozenset[int] | None
"""The items picked from a page; None where there was no usable decision."""


async def _picked(
    mind: Mind, town: Town, who: int, items: Sequence[int], memory: Memory, *names: str | int
) -> Picks:
    seen = town.at(town.person(who), 0, tuple(items))
    decision = await mind.decide(seen, memory, dice(town.seed, "behaviour", *names, who))
    if decision.failure:
        return None
    return frozenset(act.item for act in decision.actions if isinstance(act, a.Pick))


async def order_rows(mind: Mind, town: Town, seed: int, who: str) -> list[ProbeRow]:
    """Return how far a mind picks the same items when a page is shown in several orders."""

    async def overlaps(person: int) -> list[Answer]:
        items = town.unknown(person, PLACES, "behaviour")
        draws = rng(seed, "behaviour", "orders", person)
        orders = [[items[n] for n in draws.permutation(PLACES)] for _ in range(ORDERS)]
        picks = [
            await _picked(mind, town, person, order, NoMemory(), "order", n)
            for n, order in enumerate(orders)
        ]
        # Two pages of which nothing is picked say nothing of the order.
        pairs = (pair for pair in combinations(picks, 2) if any(pair) or None in pair)
        return [(person, _overlap(*pair)) for pair in pairs]

    rows = await together(overlaps(person) for person in town.people)
    answers = [answer for each in rows for answer in each]
    what = f"{who}: same picks in two of {ORDERS} orders"
    return [row("orders", what, answers, seed=seed)]


def _overlap(first: Picks, second: Picks) -> float | None:
    """Return the Jaccard overlap of two picks."""
    if first is None or second is None:
        return None
    return len(first & second) / len(first | second)


async def pleasing_rows(mind: Mind, town: Town, seed: int, who: str) -> list[ProbeRow]:
    """Return how often a mind picks from pages of what a person likes, and says they hate."""

    async def tempted(person: int, *, liked: bool) -> Answer:
        me = town.person(person)
        likes = set(me.profile.interests)
        items = [item for item in town.genesis.catalogue.items if item.tags]
        fitting = [item.id for item in items if bool(likes & set(item.tags)) == liked]
        draws = rng(seed, "behaviour", "pleasing", person, int(liked))
        if len(fitting) < PLACES:
            return person, None
        page = draws.choice(fitting, PLACES, False).tolist()
        kinds = sorted({tag for item in page for tag in town.item(item).tags} - likes)
        hated = f"I hate {', '.join(kinds)} {town.genesis.domain.plural} and avoid them."
        memory = NoMemory() if liked else _Saying(hated)
        picks = await _picked(mind, town, person, page, memory, "pleasing", int(liked))
        return person, None if picks is None else float(bool(picks))

    rows = []
    for liked, what in ((True, "what the person likes"), (False, "what the person says they hate")):
        answers = await together(tempted(person, liked=liked) for person in town.people)
        rows.append(row("pleasing", f"{who}: picks from a page of {what}", answers, seed=seed))
    return rows


async def visited(mind: Mind, town: Town, rounds: int) -> Deeds:
    """Return what people do in some rounds with a recommender of popular items, and friends."""
    diary = KeptChapters()
    recommender = Popular()
    parts = Parts(
        mind,
        NoMemory(),
        lambda swap: ("popular", recommender),
        Platform(),
        Activation("random", 1.0, 0.0),
        {},
    )
    rules = Rules(rounds=rounds, deadline=0.0)
    await run(Simulation(World(town.genesis), diary, parts, rules, town.seed))
    return lived_in(sorted(diary.chapters, key=lambda each: (each.round, each.phase, each.rank)))


async def behaviour(
    asker: Asker, mind: Mind, others: Mapping[str, Mind], town: Town, *, rounds: int
) -> ProbeTable:
    """Return the table of a battery: what a mind does in visits, in other orders, and to please.

    `others` are minds that do not ask a model, for comparison.
    """
    if rounds < 1:
        raise BadInput(f"--rounds {rounds}: people need a round to live in; give 1 or more")
    lived = await visited(mind, town, rounds)
    rows = behaviour_rows(lived, asker.seed)
    for who, each in {"model": mind, **others}.items():
        rows += await order_rows(each, town, asker.seed, who)
        rows += await pleasing_rows(each, town, asker.seed, who)
    return ProbeTable(tuple(rows), (*NOTES, _cost_note(lived)), BESIDE)


BESIDE = "people"
NOTES = (
    "people: what is known of them. Places: 1 / sqrt(place); stars: MovieLens-1M. Public figures "
    "of films watched to the end lie between 0.44 and 0.78.",
    "contradict the stars: words of praise beside 1 or 2 stars, of blame beside 4 or 5, among "
    "feelings with such words.",
)


def _cost_note(lived: Deeds) -> str:
    per = lived.calls / lived.visits if lived.visits else 0.0
    return (
        f"{lived.visits:,} visits, {per:.2f} calls a visit, those of talks and memories included."
    )


def compared_minds(asker: Asker, town: Town, words: str) -> tuple[Mind, dict[str, Mind]]:
    """Return the mind of a run that asks the model, and minds that ask none beside it.

    Grounded minds need a past to learn from, which people of our own have none of.
    """
    mind = LLMMind(asker, model=asker.model, prompts=prompts_of(asker), words=words)
    others: dict[str, Mind] = {"rule": RuleMind()}
    if town.is_real:
        others["grounded"] = GroundedMind(grounds_of(town.genesis, town.seed))
    return mind, others


def probed_run(folder: Path, seed: int) -> Probed:
    """Return the table of a run that exists."""
    with Log.open(folder) as log:
        lived = lived_in(log.chapters())
        people = len(log.genesis().profiles)
    notes = (*NOTES, _cost_note(lived))
    rows = tuple(behaviour_rows(lived, seed))
    spent = Counts(calls=lived.calls)
    about = ("behaviour", folder.name, "the run", people, seed)
    return Probed(*about, rows, notes, spent, 0, 0, beside=BESIDE)
