"""Demographics guessed from what people wrote in a run, against what their profiles say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from audience.errors import BadInput
from audience.lab.probing.questions import Asker
from audience.lab.probing.result import Answer, ProbeRow, ProbeTable, row
from audience.llm import ChatMessage, bounded, object_of, one_of, plain, together
from audience.log import Log
from audience.world import Profile, events as e, rng

PART = "demographics"
BANDS = ("under 18", "18-24", "25-34", "35-44", "45-54", "55 or older")
_STARTS = (18, 25, 35, 45, 55)
"""The ages at which the next band begins."""
OCCUPATIONS = 20
"""The most occupations that a guess is made among, the commonest first."""
LEAST = 3
"""Texts of a person from which anything is guessed."""
TEXTS, LONGEST = 600, 240
"""The token budget of the texts, and the most characters of one."""


class Author(msgspec.Struct, frozen=True):
    """A person of a run with what they wrote, oldest first."""

    profile: Profile
    texts: tuple[str, ...]


class Authors(msgspec.Struct, frozen=True):
    """The people of a run who wrote enough, and what may be guessed about them."""

    people: tuple[Author, ...]
    options: Mapping[str, tuple[str, ...]]
    """The possible values of each field that varies."""
    plural: str
    left_out: int
    """People who wrote too little."""


def authors_in(folder: Path, agents: int, seed: int) -> Authors:
    """Return people of a run who wrote enough to be guessed, `agents` of them by a named draw."""
    texts: dict[int, list[str]] = {}
    with Log.open(folder) as log:
        genesis = log.genesis()
        for chapter in log.chapters():
            for entry in chapter.entries:
                if isinstance(entry.event, e.Felt | e.Posted | e.Said) and entry.event.text:
                    texts.setdefault(entry.event.agent, []).append(entry.event.text)
    known = genesis.profiles
    wrote = [who for who in known if len(texts.get(who.id, ())) >= LEAST]
    if not wrote:
        raise BadInput(
            f"{folder}: nobody wrote {LEAST} texts; give a run of minds that speak, such as llm"
        )
    drawn = rng(seed, PART).permutation(len(wrote))[:agents].tolist()
    chosen = sorted((wrote[place] for place in drawn), key=lambda who: who.id)
    people = tuple(Author(who, tuple(texts[who.id])) for who in chosen)
    return Authors(people, _options(known), genesis.domain.plural, len(known) - len(wrote))


def _options(profiles: Sequence[Profile]) -> dict[str, tuple[str, ...]]:
    """Return what each field may be, as the people of a run have it; a field of one value is out.

    Values are in the order of the alphabet, so that their order tells nothing.
    """
    values: dict[str, tuple[str, ...]] = {}
    for field in ("gender", "age", "occupation"):
        counts = Counter(filter(None, (truth_of(who, field) for who in profiles)))
        kept = {value for value, _ in counts.most_common(OCCUPATIONS)}
        if len(kept) > 1:
            values[field] = BANDS if field == "age" else tuple(sorted(kept))
    return values


def truth_of(who: Profile, field: str) -> str:
    """Return what a profile says of a field; empty if it does not."""
    if field == "age":
        return "" if who.age is None else BANDS[sum(who.age >= start for start in _STARTS)]
    return who.gender if field == "gender" else who.career


async def demographics(asker: Asker, authors: Authors) -> ProbeTable:
    """Return how often a model guesses a field right, and how much better that is than one guess.

    The one guess is the commonest value among the people who are asked about.
    """
    if not authors.options:
        raise BadInput("the profiles of this run have neither gender, age nor career to be guessed")
    guesses = await together(_guess(asker, authors, author) for author in authors.people)
    rows: list[ProbeRow] = []
    for field in authors.options:
        pairs = [
            (author.profile.id, guess.get(field), truth)
            for author, guess in zip(authors.people, guesses, strict=True)
            if (truth := truth_of(author.profile, field)) in authors.options[field]
        ]
        rows += guess_rows(field, pairs, asker.seed)
    note = (
        "majority: the share of the commonest value, which always guessing it would get right. "
        f"{authors.left_out:,} people with fewer than {LEAST} texts are left out; a guess that "
        "cannot be read is wrong."
    )
    return ProbeTable(tuple(rows), (note,), "majority")


def guess_rows(
    field: str, pairs: Sequence[tuple[int, str | None, str]], seed: int
) -> list[ProbeRow]:
    """Return accuracy, and its difference to always guessing the commonest value.

    A pair is a person, the guess (None: unreadable) and the truth.
    """
    if not pairs:
        return []
    common, count = Counter(truth for _, _, truth in pairs).most_common(1)[0]
    right: list[Answer] = [
        (who, None if guess is None else float(guess == truth)) for who, guess, truth in pairs
    ]
    better: list[Answer] = [
        (who, float(guess == truth) - float(truth == common)) for who, guess, truth in pairs
    ]
    share = count / len(pairs)
    return [
        row(field, "guessed right", right, seed=seed, chance=share, unread=0.0),
        row(field, f"better than always “{common}”", better, seed=seed, unit="difference"),
    ]


async def _guess(asker: Asker, authors: Authors, author: Author) -> dict[str, str]:
    """Return the guessed value of each field that could be read."""
    options = authors.options
    lines = [plain(text, LONGEST) for text in author.texts]
    holes = {
        "plural": authors.plural,
        "texts": bounded("", lines, TEXTS),
        "wanted": " and ".join(options),
        "form": ", ".join(
            f"{json.dumps(field)}: {' | '.join(map(json.dumps, values))}"
            for field, values in options.items()
        ),
    }
    reply = await asker.read(
        PART,
        (ChatMessage("user", asker.pack.fill("probe_demographics", holes)),),
        f"{PART}/{author.profile.id}",
        object_of(**{field: one_of(values) for field, values in options.items()}),
    )
    if not isinstance(reply, dict):
        return {}
    guesses: dict[str, str] = {}
    for field, values in options.items():
        said = str(reply.get(field, "")).strip().casefold()
        match = next((value for value in values if value.casefold() == said), "")
        guesses |= {field: match} if match else {}
    return guesses
