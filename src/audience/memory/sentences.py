"""Observations: the events of a round as sentences in the first person, kept short."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from audience.memory.consolidation import Observed
from audience.memory.memory import Life
from audience.world import events as e

SENTENCE = 30
"""The most tokens of a remembered sentence."""
_BYTES = 4


@lru_cache(maxsize=65_536)
def tokens(text: str) -> int:
    """Return the approximate tokens of a text: one per four bytes, at least one per word."""
    return max(-(-len(text.encode()) // _BYTES), len(text.split()))


def shortened(text: str, most: int = SENTENCE) -> str:
    """Return a text on one line, cut at a word boundary to at most `most` tokens."""
    # A very long text is cut before it is split into words.
    flat = " ".join(text[: 16 * most * _BYTES].split())
    if tokens(flat) <= most and len(text) <= 16 * most * _BYTES:
        return flat
    words = flat.split(" ")[:most]
    while len(words) > 1 and tokens(" ".join(words) + "…") > most:
        words.pop()
    cut = " ".join(words).encode()[: most * _BYTES].decode(errors="ignore")
    while tokens(cut + "…") > most:
        cut = cut[:-1]
    return cut.rstrip(" ,;:.") + "…"


LONGEST = 2_000
"""The most characters of one feeling, line or post."""
_TITLE = 64
"""Bytes of a title in a sentence."""
_SENTENCES = re.compile(r"[.!?…]+[\"'”’)]*(?=\s|$)")
_CLAUSES = re.compile(
    r"(?:[,;:–—]|\s[–—-])(?=\s)(?!\s(?:but|though|although|yet|however|except|until|if|and)\b)"
)
"""Where a quote may be cut without turning its sense."""
_ENDS = tuple(".!?…\"'”’)")


def title_of(title: str) -> str:
    """Return an item's title as sentences name it, shortened if long."""
    return f"<{clipped(flat(title), _TITLE)}>"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: `a, b and c`."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def fitting(wordings: Iterable[str]) -> str:
    """Return the first wording that is short enough, else the last one, shortened."""
    last = ""
    for wording in wordings:
        if wording and tokens(wording) <= SENTENCE:
            return wording
        last = wording or last
    return shortened(last)


def flat(text: str) -> str:
    """Return a text on one line, shortened if very long."""
    cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return " ".join(cut.split())


def clipped(text: str, most: int) -> str:
    """Return a text of at most `most` bytes."""
    packed = text.encode()
    if len(packed) <= most:
        return text
    return packed[: most - 3].decode(errors="ignore").rstrip() + "…"


def ended(text: str) -> str:
    """Return a text that ends like a sentence."""
    return text if text.endswith(_ENDS) else text.rstrip(" ,;:–—-") + "."


def begun(head: str, quote: str) -> str:
    """Return `head` with as much of a quote as fits, up to a full stop or comma; or empty."""
    for ends in (_SENTENCES, _CLAUSES):
        best = ""
        for found in ends.finditer(quote[: 8 * SENTENCE]):
            end = found.end() if ends is _SENTENCES else found.start()
            wording = head + ended(quote[:end])
            if tokens(wording) > SENTENCE:
                break
            # Two words before a comma ("Oh well,") say nothing by themselves.
            if ends is _SENTENCES or quote[:end].count(" ") > 1:
                best = wording
        if best:
            return best
    return ""


def untitled(feeling: str, title: str) -> str:
    """Return a feeling with `it` in place of the item that its sentence already names."""
    said = re.sub(r",\s*" + re.escape(title) + r"(?=[.!?…])", "", feeling)
    said = said.replace(f"{title}'s", "its").replace(f"{title}’s", "its").replace(title, "it")
    return said[:1].upper() + said[1:]


_NAME = 32
"""Bytes of a name."""
NAMED = 2
"""Titles that a short sentence names."""
_SOMEBODY = "somebody"


class Round:
    """The events of a round, indexed so that related ones are told together."""

    __slots__ = ("at", "busy", "company", "feelings", "life", "lines", "stars", "taken")

    def __init__(self, life: Life) -> None:
        self.life = life
        self.at = life.now
        self.busy = False
        """Whether something happened since it woke."""
        self.stars: dict[int, int] = {}
        """By the index of the Watched event, as are feelings and company."""
        self.feelings: dict[int, str] = {}
        self.company: dict[int, tuple[int, ...]] = {}
        """With whom something was watched."""
        self.taken: set[int] = set()
        """The indices of pages from which something was picked."""
        self.lines: dict[int, list[e.Said]] = {}
        """By partner; told at the place of the first line."""
        page, watched = -1, dict[int, int]()
        for place, event in enumerate(life.lived):
            match event:
                case e.SlateShown():
                    page = place
                case e.Watched():
                    watched[event.item] = place
                    self.taken.add(page)
                case e.Rated() if event.item in watched:
                    self.stars[watched[event.item]] = event.stars
                case e.Felt() if event.item in watched:
                    self.feelings[watched[event.item]] = event.text
                case e.Parted() if event.item in watched:
                    self.company[watched[event.item]] = event.company
                case e.Said():
                    self.lines.setdefault(self.partner(event), []).append(event)

    def partner(self, line: e.Said) -> int:
        return line.to if line.agent == self.life.me.profile.id else line.agent

    def name(self, who: int) -> str:
        return clipped(flat(self.life.names.get(who, "")), _NAME) or _SOMEBODY

    def title(self, item: int) -> str:
        return title_of(self.life.catalogue[item].title)

    def titles(self, items: Iterable[int], most: int = NAMED) -> str:
        return listed([self.title(item) for item in list(dict.fromkeys(items))[:most]])


KINDS = tuple(
    """entered browsed searched watched dropped talked posted heard announced forwarded followed
    unfollowed left""".split()
)
REACHED = frozenset({"heard", "announced"})
"""Kinds that merely reached the agent, without a decision of its own."""
DROPPED = 0.3
"""Watching a smaller fraction counts as dropping an item."""
FINISHED = 0.9
_VERDICTS = ("", "disliked it", "did not care for it", "found it all right", "liked it", "loved it")
_SURFACES = {"recommender": "the recommendations", "social": "the posts of my friends"}
_UNSAID = frozenset({"failed", "out of turns"})
"""Reasons of the engine for ending a visit, which the agent does not know."""
_SATISFIED = (
    (0.8, "very satisfied"),
    (0.6, "satisfied"),
    (0.4, "neither pleased nor disappointed"),
    (0.2, "disappointed"),
    (0.0, "very disappointed"),
)


def is_own(seen: Observed) -> bool:
    """Return True if the agent did this itself."""
    return seen.kind not in REACHED


def observations(life: Life) -> list[Observed]:
    """Return the observations of a round, in the order of the log."""
    round_ = Round(life)
    told = []
    for place, event in enumerate(life.lived):
        tell = _TELLERS.get(type(event))
        seen = tell(round_, place, event) if tell else None
        if seen is not None:
            told.append(seen)
    return told


def _watched(round_: Round, place: int, event: e.Watched) -> Observed:
    round_.busy = True
    life, title = round_.life, round_.title(event.item)
    whole = f"<{flat(life.catalogue[event.item].title)}>"
    stars, feeling = round_.stars.get(place, 0), flat(round_.feelings.get(place, ""))
    tags = ", ".join(tag.lower() for tag in life.catalogue[event.item].tags[:3])
    others = round_.company.get(place, ())
    company = f" together with {listed([round_.name(other) for other in others])}" if others else ""
    about = (f" ({tags})" if tags else "") + company
    dropped = event.fraction < DROPPED
    past = "gave up on" if dropped else life.domain.past
    rest = "" if dropped else _extent(event.fraction)
    given = f"gave it {stars} star{'' if stars == 1 else 's'}" if stars else ""
    if feeling:
        glue = f", {given} and felt: " if given else " and felt: "
        text = f"I {past} {whole}{about}{glue}{ended(feeling)}"
        short = _short_feeling(f"I {past} {title}{company}", glue, untitled(feeling, whole), stars)
    else:
        told = f", {given} and {_VERDICTS[stars]}." if given else f"{rest}."
        text = f"I {past} {whole}{about}{told}"
        short = fitting((text, f"I {past} {title}{company}{told}", f"I {past} {title}{told}"))
    kind = "dropped" if dropped else "watched"
    item, fraction = (event.item,), event.fraction
    at = life.now if others else round_.at
    return Observed(kind, text, short, at, item, stars, fraction, feeling)


def _extent(fraction: float) -> str:
    return " to the end" if fraction >= FINISHED else " but not to the end"


def _short_feeling(head: str, glue: str, feeling: str, stars: int) -> str:
    whole = f"{head}{glue}{ended(feeling)}"
    if tokens(whole) <= SENTENCE:
        return whole
    verdict = f"{head} and {_VERDICTS[stars]}." if stars else ""
    felt = f"{head} and felt: "
    return fitting((begun(head + glue, feeling), begun(felt, feeling), verdict, felt + feeling))


def _browsed(round_: Round, place: int, event: e.SlateShown) -> Observed | None:
    round_.busy = True
    if place in round_.taken or not event.items:
        return None
    words, count = round_.life.domain, len(event.items)
    noun = words.noun if count == 1 else words.plural
    pages = {"search": f"{count} {noun} from my search", "saved": f"{count} {noun} I had saved"}
    page = pages.get(event.surface, f"{count} recommended {noun}")
    every = round_.titles(event.items, count)
    text = f"I looked at {page}, {every}, and took nothing."
    such = "such as " if count > NAMED else ""
    some = (f", {such}{round_.titles(event.items)},", "")
    short = fitting(f"I looked at {page}{titles} and took nothing." for titles in some)
    return Observed("browsed", text, short, round_.at, event.items)


def _searched(round_: Round, place: int, event: e.Searched) -> Observed:
    round_.busy = True
    words, query = round_.life.domain, flat(event.query)
    noun = words.noun if event.found == 1 else words.plural
    found = f"found {event.found} {noun}" if event.found else "found nothing"
    text = f'I searched for "{query}" and {found}.'
    short = fitting((text, f'I searched for "{clipped(query, 72)}" and {found}.'))
    return Observed("searched", text, short, round_.at)


def _talked(round_: Round, place: int, event: e.Said) -> Observed | None:
    who = round_.partner(event)
    lines = round_.lines[who]
    if lines[0] is not event:
        return None
    me, name = round_.life.me.profile.id, round_.name(who)
    items = tuple(dict.fromkeys(item for line in lines for item in line.items))
    head = f"I talked with {name}"
    about = f"{head} about {round_.titles(items)}" if items else head
    said = " ".join(
        f"{'I' if line.agent == me else name} said: {ended(flat(line.text))}" for line in lines
    )
    heard = [line for line in lines if line.agent != me]
    last = heard[-1] if heard else lines[-1]
    speaker = name if heard else "I"
    quote = f"; {speaker} said: "
    wordings = [
        _stances(about, lines, me, name, "it" if len(items) == 1 else "them") if items else "",
        f"{about}{quote}{ended(flat(last.text))}",
        begun(about + quote, flat(last.text)),
        f"{about}." if items else f"{head}{quote}{flat(last.text)}",
    ]
    if items:
        wordings.append(f"{head} about {round_.title(items[0])}.")
    return Observed("talked", f"{about}. {said}", fitting(wordings), round_.life.now, items)


def _stances(about: str, lines: Sequence[e.Said], me: int, name: str, what: str) -> str:
    """Return who took which side, empty if nobody did."""
    sides = {line.agent: _side(line.stance) for line in lines}
    if not any(sides.values()):
        return ""
    ways = {1: f"spoke well of {what}", 0: "took no side", -1: f"spoke badly of {what}"}
    if len(sides) > 1 and len(set(sides.values())) == 1:
        return f"{about}; we both {ways[sides[me]]}."
    said = [f"{'I' if who == me else name} {ways[side]}" for who, side in sides.items()]
    return f"{about}; {', '.join(said)}."


def _side(stance: float) -> int:
    return (stance > 0.2) - (stance < -0.2)


def _message(
    round_: Round, kind: str, head: str, event: e.Posted | e.Forwarded | e.Delivered
) -> Observed:
    """Return a post as an observation; `head` ends with what it is."""
    quote = flat(event.text)
    text = f"{head}: {ended(quote)}"
    wordings = [text]
    if event.items:
        side = {1: "that praises", 0: "about", -1: "that warns against"}[_side(event.stance)]
        first = f"{head} {side} {round_.title(event.items[0])}"
        wordings += [f"{head} {side} {round_.titles(event.items)}."] if _side(event.stance) else []
        wordings += [begun(f"{first}: ", quote), f"{first}."]
    else:
        wordings += [begun(f"{head}: ", quote), f"{head}: {quote}"]
    at = round_.life.now if isinstance(event, e.Delivered) else round_.at
    return Observed(kind, text, fitting(wordings), at, event.items)


def _posted(round_: Round, place: int, event: e.Posted) -> Observed:
    round_.busy = True
    return _message(round_, "posted", "I wrote a post", event)


def _forwarded(round_: Round, place: int, event: e.Forwarded) -> Observed:
    round_.busy = True
    by = "an announcement" if event.author < 0 else f"a post by {round_.name(event.author)}"
    return _message(round_, "forwarded", f"I passed on {by}", event)


def _delivered(round_: Round, place: int, event: e.Delivered) -> Observed:
    if event.author < 0:
        return _message(round_, "announced", "I read an announcement", event)
    return _message(round_, "heard", f"I read a post by {round_.name(event.author)}", event)


def _woke(round_: Round, place: int, event: e.Woke) -> None:
    round_.at = event.at
    round_.busy = False


def _entered(round_: Round, place: int, event: e.Entered) -> Observed:
    round_.busy = True
    text = f"I opened {_SURFACES.get(event.surface, event.surface)}."
    return Observed("entered", text, text, round_.at)


def _followed(round_: Round, place: int, event: e.Followed | e.Unfollowed) -> Observed:
    round_.busy = True
    began = isinstance(event, e.Followed)
    text = f"I {'began to follow' if began else 'stopped following'} {round_.name(event.who)}."
    return Observed("followed" if began else "unfollowed", text, text, round_.at)


def _satisfied(told: float) -> str:
    return next((words for least, words in _SATISFIED if told >= least), _SATISFIED[-1][1])


def _left(round_: Round, place: int, event: e.Left) -> Observed | None:
    told = event.satisfaction
    if told is None and not round_.busy:
        return None
    how = "" if told is None else f", {_satisfied(told)}"
    why = "" if event.why in _UNSAID else flat(event.why)
    text = f"I left{how}: {ended(why)}" if why else f"I left{how}."
    return Observed(
        "left", text, fitting((text, f"I left{how}.")), round_.at, satisfaction=event.satisfaction
    )


_TELLERS: dict[type, Callable[[Round, int, Any], Observed | None]] = {
    e.Woke: _woke,
    e.Entered: _entered,
    e.SlateShown: _browsed,
    e.Searched: _searched,
    e.Watched: _watched,
    e.Said: _talked,
    e.Posted: _posted,
    e.Forwarded: _forwarded,
    e.Delivered: _delivered,
    e.Followed: _followed,
    e.Unfollowed: _followed,
    e.Left: _left,
}
