"""Speech: does a model that writes whole lines keep to the facts it was given, unaided?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from audience.agents.voiced import Facts, Kind, Titles, facts_about, line_fault, mood_of, say
from audience.errors import BadInput
from audience.lab.probing.behaviour_probe import Spoken, new_pairs
from audience.lab.probing.questions import Asker
from audience.lab.probing.result import ProbeRow, row
from audience.lab.probing.town import Town
from audience.llm import together, unanswered
from audience.world import rng

PART = "speech"
BARS = {"pass": 0.95, "film": 0.99, "mood": 0.90}
"""What lines should reach: the checks passed unaided, the right item named, its rating heard."""
KINDS: tuple[Kind, ...] = ("feeling", "post", "opening", "reply", "interview")
UNHEARD = 0.25
"""Of replies, how many are about something that the person has only heard of."""
DROPPED = 0.3
"""Of items with one or two stars, how many were given up before the end."""
EXAMPLES = 12
QUESTIONS = (
    "What have you {past} lately, and how was it?",
    "Would you recommend it to a friend?",
    "What do you think of it, looking back?",
)


class JudgedLine(msgspec.Struct, frozen=True):
    """A line that a model wrote about given facts, and what is wrong with it."""

    who: int
    facts: Facts
    text: str | None
    """None if there was no reply."""
    fault: str = ""
    """In a word or two; empty if it passes all checks."""
    is_right_film: bool = False
    agrees: bool | None = None
    """Whether its sentiment is that of the rating; None without a clear rating."""


def facts_of(town: Town, number: int) -> tuple[int, Facts]:
    """Return who speaks, and facts drawn by number: person, item, kind, stars and the rest."""
    draws = rng(town.seed, "probe", "facts", number)
    who, friend = (int(draws.integers(len(town.people))) for _ in range(2))
    items = [item for item in town.genesis.catalogue.items if item.about or item.tags]
    if not items:
        raise BadInput("speech needs items with a story or tags; give data that have them")
    item = items[int(draws.integers(len(items)))]
    kind = KINDS[int(draws.integers(len(KINDS)))]
    stars = int(draws.integers(1, 6))
    unheard, dropped, draw = (float(draws.random()) for _ in range(3))
    known: dict[str, object] = {"stars": stars, "dropped": stars <= 2 and dropped < DROPPED}
    if kind == "reply" and unheard < UNHEARD:
        known = {"lived": False, "stance": (stars - 3) / 2.0}
    if kind in ("opening", "reply"):
        known["friend"] = town.genesis.profiles[friend].name.split(" ")[0]
    if kind == "interview":
        known["question"] = QUESTIONS[number % len(QUESTIONS)].format_map(town.words)
    domain = town.genesis.domain
    known |= {"past": domain.past, "plural": domain.plural, "draw": draw}
    return who, facts_about(kind, item, town.genesis.profiles[who], **known)


async def spoken_lines(asker: Asker, town: Town, count: int) -> list[JudgedLine]:
    """Return a line about each of `count` drawn facts, one candidate each."""
    if count < 1:
        raise BadInput(f"--lines {count}: give 1 or more")
    titles = Titles(item.title for item in town.genesis.catalogue.items)

    async def spoken(number: int) -> JudgedLine:
        who, facts = facts_of(town, number)
        request = say(facts, f"{town.seed}/speech/{number}")
        reply = await asker.ask(msgspec.structs.replace(request, model=asker.model))
        if unanswered(reply):
            return JudgedLine(who, facts, None)
        return judged_line(who, facts, reply.text, titles)

    return list(await together(spoken(number) for number in range(count)))


def judged_line(who: int, facts: Facts, text: str, titles: Titles) -> JudgedLine:
    """Return a line with what is wrong with it."""
    line = text.strip().strip('"“”').strip()
    named = f"<{facts.title}>"
    rest = line.replace(named, " ")
    is_right = named in line and not titles.named(rest.replace(facts.about, " "))
    score = mood_of(rest, facts.about.casefold().replace(".", " ").replace(",", " ").split())
    agrees = None if facts.mood == "mixed" else score > 0 if facts.mood == "good" else score < 0
    return JudgedLine(who, facts, line, line_fault(line, facts, titles), is_right, agrees)


def speech_rows(lines: Sequence[JudgedLine], seed: int) -> list[ProbeRow]:
    """Return how well lines keep to their facts, in all and by kind; no reply counts as wrong."""

    def made(what: str, some: Sequence[JudgedLine], bar: float | None = None) -> ProbeRow:
        answers = [(line.who, float(line.text is not None and not line.fault)) for line in some]
        return row(PART, what, answers, seed=seed, chance=bar)

    rows = [made("pass all checks unaided", lines, BARS["pass"])]
    for kind in KINDS:
        some = [line for line in lines if line.facts.kind == kind]
        rows.append(made(f"pass all checks unaided: {kind}", some))
    right = [(line.who, float(line.is_right_film)) for line in lines]
    rows.append(
        row(PART, "name the right one, and no other", right, seed=seed, chance=BARS["film"])
    )
    moods = [
        (line.who, float(bool(line.agrees)))
        for line in lines
        if line.agrees is not None or (line.text is None and line.facts.mood != "mixed")
    ]
    rows.append(row(PART, "sentiment of the rating", moods, seed=seed, chance=BARS["mood"]))
    said = [Spoken(line.who, line.facts.kind, line.text) for line in lines if line.text]
    rows.append(row(PART, "distinct pairs of words", new_pairs(said), seed=seed))
    return rows


def speech_notes(lines: Sequence[JudgedLine]) -> tuple[str, ...]:
    """Return which checks failed, and examples to read: the first ones, good or bad."""
    faults = Counter(line.fault or ("no reply" if line.text is None else "") for line in lines)
    faults.pop("", None)
    listed = ", ".join(f"{name} {count}" for name, count in faults.most_common()) or "none"
    examples = (
        f"{line.facts.kind}, {_rating(line.facts)}: {line.text}"
        + (f" [{line.fault}]" if line.fault else "")
        for line in lines[:EXAMPLES]
    )
    return (f"Speech, faults of {len(lines):,} lines: {listed}. The first lines:", *examples)


def _rating(facts: Facts) -> str:
    return f"{facts.stars} of 5 stars" if facts.stars else f"heard {facts.mood} things"
