"""Consolidating by rule: importance by learned weights, insights and reflections by template.

The weights are fitted by tools/fit_importance.py to examples (tests/memory/importance.tsv) that we
labelled by our own judgement of how important each would be to a person; nobody was surveyed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec

from audience.memory.consolidation import Due, Insight, Observed, Sensed, Taken
from audience.memory.memory import Life
from audience.memory.sentences import DROPPED, KINDS, fitting, listed, title_of
from audience.world import Agent, Catalogue, Dice, Thought

MARKS = tuple(
    """rated extreme loved felt felt_at_length said_at_length strong fraction moved named items
    liked""".split()
)
"""The features of an observation besides its kind; see `marks`."""
LEAST, MOST = 1, 10
_SPOKEN = frozenset({"talked", "posted", "heard", "announced", "forwarded"})
_LONG, _STRONG, _MANY = 30, 3, 3
"""Counts of words, strong words and items at which their features saturate."""
_FIVE = 5
_TITLES = re.compile(r"<[^<>]*>")
_WORDS = re.compile(r"[^\W\d_]+")
STRONG = frozenset(
    """absolutely admire adore adored afraid angry awful beautiful best brilliant broke
    congratulations cried cruel cry crying deeply devastating died disappointed disappoints
    disgusted disgusting fantastic favourite favorite forgive furious gorgeous grief happiest
    happy hate hated haunts heart horrible hurts incredible incredibly insult insulting love
    loved masterpiece miss moved moving never obsessed outraged perfect proud racing ruined
    sad shaken shaking shattered shocked sick sorry stunned stunning tears terrible terribly
    terrified thrilled unbearable unforgettable weep wept wonderful worst""".split()
)
"""Words of strong feelings."""


class ImportanceWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contribution of each kind and each mark to the importance."""

    start: float
    kinds: dict[str, float]
    marks: dict[str, float]


@lru_cache(maxsize=1)
def weights() -> ImportanceWeights:
    """Return the packaged weights."""
    packed = files("audience.memory").joinpath("importance.toml").read_text("utf-8")
    return msgspec.toml.decode(packed, type=ImportanceWeights)


@lru_cache(maxsize=1)
def _by_mark() -> tuple[float, ...]:
    learnt = weights().marks
    return tuple(learnt[mark] for mark in MARKS)


def importance(seen: Observed, me: Agent, catalogue: Catalogue) -> int:
    """Return the importance of an observation to this agent, 1 to 10."""
    learnt = weights()
    score = learnt.start + learnt.kinds.get(seen.kind, 0.0)
    given = marks(seen, liked(seen, me, catalogue))
    for weight, mark in zip(_by_mark(), given, strict=True):
        score += weight * mark
    return degree(score)


def degree(score: float) -> int:
    """Return a score rounded to one of the ten degrees."""
    return min(MOST, max(LEAST, int(score + 0.5)))


def liked(seen: Observed, me: Agent, catalogue: Catalogue) -> bool:
    """Return True if an item of the observation has a tag among the agent's interests."""
    interests = me.profile.interests
    return any(tag in interests for item in seen.items for tag in catalogue[item].tags)


def marks(seen: Observed, liked: bool) -> tuple[float, ...]:
    """Return the marks of an observation, each 0 to 1, in the order of `MARKS`."""
    said = seen.feeling or (seen.text if seen.kind in _SPOKEN else "")
    words = _WORDS.findall(_TITLES.sub(" ", said).lower()) if said else []
    length = min(len(words), _LONG) / _LONG
    strong = sum(word in STRONG for word in words)
    told, count = seen.satisfaction, len(seen.items)
    return (
        1.0 if seen.stars else 0.0,
        abs(seen.stars - 3) / 2.0 if seen.stars else 0.0,
        1.0 if seen.stars == _FIVE else 0.0,
        1.0 if seen.feeling else 0.0,
        length if seen.feeling else 0.0,
        0.0 if seen.feeling else length,
        min(strong, _STRONG) / _STRONG,
        seen.fraction,
        0.0 if told is None else abs(2.0 * told - 1.0),
        1.0 if count and seen.kind in _SPOKEN else 0.0,
        min(count, _MANY) / _MANY,
        1.0 if liked else 0.0,
    )


def features(seen: Observed, liked: bool) -> list[float]:
    """Return an observation as numbers: one for each of `KINDS`, then its marks."""
    return [float(seen.kind == kind) for kind in KINDS] + list(marks(seen, liked))


_PERSON = re.compile(
    r"(?:More than once I talked with|I (?:talked with|read a post by|passed on a post by|"
    r"began to follow|stopped following|keep hearing from|keep reading what comes from))"
    r" (.+?)(?= about <| that (?:praises|warns against) <|[;:] |\.$)"
)
_TALK = re.compile(r"(?:More than once )?I talked with ")
_WORD = re.compile(r"[^\W\d_]{5,}")
_PLAIN = frozenset(
    """about after again against announcement badly because before began being could disappointed
    everybody films found lately looked neither nothing other passed pleased posted praises
    really recommended satisfied searched should somebody someone spoke stars still stopped
    talked their there these thing things those warns watched which would wrote""".split()
)
_DOINGS = {
    "I searched for ": "Lately I have searched for things again and again.",
    "I wrote a post": "Lately I have told others much of what is on my mind.",
    "I passed on ": "Lately I have passed on much of what I read.",
    "I talked with ": "Lately talking with others has mattered to me.",
    "I read ": "Lately what others write has mattered to me.",
    "I left": "Lately it has mattered to me how my visits ended.",
}
"""Reflections on activities, by how their sentences begin."""
_LIKED, _TWICE = 0.25, 2
"""How far from 0 a mean counts as an opinion, and how often counts as repeated."""
_SAMPLE = 3
"""The most titles that a sentence names."""


class RuleWay:
    """Consolidates by templates and weights, without a model."""

    foresees = False

    async def take_in(self, life: Life, seen: Sequence[Observed], due: Due, dice: Dice) -> Taken:
        """Return a sentence for each observation, and the insights and reflections that are due."""
        del dice
        me, catalogue = life.me, life.catalogue
        sensed = tuple(
            [
                Sensed(observation, observation.short, importance(observation, me, catalogue))
                for observation in seen
            ]
        )
        insights = {about[0].id: insight_of(life, about) for about in due.insights if about}
        reflected = (reflection_of(life, due.reflection),) if due.reflection else ()
        return Taken(sensed, insights, reflected)

    async def insight(self, life: Life, about: Sequence[Thought], dice: Dice) -> Taken:
        """Return the insight into what repeats in these thoughts."""
        del dice
        return Taken(insights={about[0].id: insight_of(life, about)} if about else {})


def insight_of(life: Life, about: Sequence[Thought]) -> Insight:
    """Return one sentence on what a thought and its enhancers have in common."""
    sources = tuple(thought.id for thought in about)
    return Insight(fitting(_repeating(life, about)), sources)


def _repeating(life: Life, about: Sequence[Thought]) -> Iterable[str]:
    """Yield wordings of what repeats, the most informative first and the shortest last."""
    items = _items(life, about)
    person, times = _most(_people(about))
    if person and times >= _TWICE:
        way = _meeting(about, person)
        shared = _items(life, [thought for thought in about if _person(thought) == person])
        yield from (f"{way} about {titles}." for titles in _lists(life, shared))
        yield f"{way}."
    if len(items) == 1:
        yield _of_item(title_of(life.catalogue[items[0]].title), _opinion(life, items))
    tag, times = _most(_tags(life, about, items))
    if tag and times >= _TWICE:
        kind, opinion = f"{tag.lower()} {life.domain.plural}", _opinion(life, items, tag)
        yield from (_of_tag(kind, titles, opinion) for titles in _lists(life, items, tag))
    for titles in _lists(life, items):
        yield f"What keeps coming up for me: {titles}."
    if word := _word(about):
        yield f'Again and again I meet "{word}".'
    yield f"More than once: {about[0].text}"


def _of_item(title: str, opinion: int) -> str:
    if opinion > 0:
        return f"I keep coming back to {title}, which I like."
    if opinion < 0:
        return f"{title} keeps coming up, though I do not like it."
    return f"{title} keeps coming up for me."


def _of_tag(kind: str, titles: str, opinion: int) -> str:
    if opinion > 0:
        return f"I keep enjoying {kind} such as {titles}."
    if opinion < 0:
        return f"I keep being disappointed by {kind} such as {titles}."
    return f"I keep coming back to {kind} such as {titles}."


def _meeting(about: Sequence[Thought], person: str) -> str:
    """Return how a person keeps coming up."""
    texts = [thought.text for thought in about if _person(thought) == person]
    talks = sum(bool(_TALK.match(text)) for text in texts)
    if talks == len(texts):
        return f"More than once I talked with {person}"
    return f"I keep {'hearing from' if talks else 'reading what comes from'} {person}"


def reflection_of(life: Life, thoughts: Sequence[Thought]) -> Insight:
    """Return what has mattered most lately, with the thoughts about it as sources."""
    items = _items(life, thoughts)
    tag, tag_weight = _heaviest(_tags(life, thoughts, items))
    person, person_weight = _heaviest(_people(thoughts))
    if person and person_weight >= tag_weight:
        sources = [thought for thought in thoughts if _person(thought) == person]
        texts = _mattering(life, f"{person} has mattered to me", _items(life, sources), "")
    elif tag:
        of_tag = set(_with_tag(life, items, tag))
        sources = [thought for thought in thoughts if of_tag.intersection(thought.items)]
        kind, opinion = f"{tag.lower()} {life.domain.plural}", _opinion(life, items, tag)
        felt = "have disappointed me" if opinion < 0 else "have mattered to me"
        texts = _mattering(life, f"{kind} {felt}", items, tag)
    else:
        begins, _ = _heaviest([(thought, _doing(thought)) for thought in thoughts])
        sources = [thought for thought in thoughts if begins and _doing(thought) == begins]
        sources = sources or [
            max(thoughts, key=lambda thought: (thought.weight, thought.touched, thought.id))
        ]
        texts = [_DOINGS[begins] if begins else f"Lately this has mattered: {sources[0].text}"]
    return Insight(fitting(texts), tuple(thought.id for thought in sources))


def _mattering(life: Life, what: str, items: Sequence[int], tag: str) -> list[str]:
    lists = _lists(life, items, tag)
    return [*(f"Lately {what}: {titles}." for titles in lists), f"Lately {what}."]


def _doing(thought: Thought) -> str:
    return next((begins for begins in _DOINGS if thought.text.startswith(begins)), "")


def _items(life: Life, thoughts: Sequence[Thought]) -> list[int]:
    """Return the items that the thoughts name, the most frequent first."""
    counts: dict[int, int] = {}
    for thought in thoughts:
        for item in thought.items:
            if title_of(life.catalogue[item].title) in thought.text:
                counts[item] = counts.get(item, 0) + 1
    return sorted(counts, key=lambda item: -counts[item])


def _lists(life: Life, items: Sequence[int], tag: str = "") -> list[str]:
    """Return lists of titles, each shorter than the last; with a tag, of items that have it."""
    named = [title_of(life.catalogue[item].title) for item in _with_tag(life, items, tag)]
    named = list(dict.fromkeys(named))[:_SAMPLE]
    return [listed(named[:count]) for count in range(len(named), 0, -1)]


def _with_tag(life: Life, items: Sequence[int], tag: str) -> list[int]:
    return [item for item in items if not tag or tag in life.catalogue[item].tags]


Topics = list[tuple[Thought, str]]


def _tags(life: Life, thoughts: Sequence[Thought], named: Sequence[int]) -> Topics:
    """Return pairs of a thought and a tag of the items it names, interests first."""
    interests = life.me.profile.interests
    found = []
    for thought in thoughts:
        of_items = (life.catalogue[item].tags for item in thought.items if item in named)
        tags = {tag for tags in of_items for tag in tags if tag[:1].isalnum()}
        found += [
            (thought, tag) for tag in sorted(tags, key=lambda tag: (tag not in interests, tag))
        ]
    return found


def _person(thought: Thought) -> str:
    found = _PERSON.match(thought.text)
    return found[1] if found and found[1] != "somebody" else ""


def _people(thoughts: Sequence[Thought]) -> Topics:
    return [(thought, _person(thought)) for thought in thoughts]


def _most(topics: Topics) -> tuple[str, float]:
    """Return the topic of the most thoughts, the first among equals, and their number."""
    return _top((topic, 1.0) for _, topic in topics)


def _heaviest(topics: Topics) -> tuple[str, float]:
    """Return the heaviest topic among those that repeat, and its weight."""
    counts: dict[str, int] = {}
    for _, topic in topics:
        counts[topic] = counts.get(topic, 0) + 1
    return _top((topic, thought.weight) for thought, topic in topics if counts[topic] >= _TWICE)


def _top(scored: Iterable[tuple[str, float]]) -> tuple[str, float]:
    totals: dict[str, float] = {}
    for topic, score in scored:
        if topic:
            totals[topic] = totals.get(topic, 0.0) + score
    # Sums are rounded, so that the order of addition does not matter.
    best = max(totals, key=lambda topic: round(totals[topic], 6), default="")
    return best, totals.get(best, 0.0)


def _opinion(life: Life, items: Sequence[int], tag: str = "") -> int:
    """Return the agent's opinion of items, 1, 0 or -1, from stars and watched fractions."""
    wanted = set(_with_tag(life, items, tag))
    last = {lived.item: lived for lived in life.me.history if lived.item in wanted}
    marks = [
        (lived.stars - 3) / 2.0 if lived.stars else -0.5 if lived.fraction < DROPPED else 0.0
        for lived in last.values()
    ]
    mean = sum(marks) / len(marks) if marks else 0.0
    return (mean > _LIKED) - (mean < -_LIKED)


def _word(thoughts: Sequence[Thought]) -> str:
    """Return the longest meaningful word that several thoughts share, or empty."""
    texts = {thought.text for thought in thoughts}
    if len(texts) < _TWICE:
        return ""
    shared = set.intersection(*({word.lower() for word in _WORD.findall(text)} for text in texts))
    return max(sorted(shared - _PLAIN), key=len, default="")
