"""What a human player says: which items their words are about, and for or against them."""

from __future__ import annotations

import re

from audience.agents.language import items_in
from audience.agents.rule import stance_on
from audience.agents.voiced import mood_of
from audience.world import Catalogue, Lived, Observation, mentioned, same, titled

_SIDES = {"+": 1.0, "-": -1.0}
_PER_WORD = 0.6
"""The stance of one word of praise."""
_SHORTEST = 6
"""Letters of a title that is recognised without brackets."""


def understood(seen: Observation, typed: str) -> tuple[str, tuple[int, ...], float]:
    """Return a text without its sign, the items it is about, and its stance, -1 to 1.

    A leading `+` or `-` is the stance. Otherwise words of praise and blame say it, or else the
    opinion of the first of the items that was watched.
    """
    sign, _, rest = typed.partition(" ")
    given = _SIDES.get(sign) if rest.strip() else None
    text = typed if given is None else rest.strip()
    items = items_in(seen, text) or named_in(seen.catalogue, text)
    if given is not None:
        return text, items, given
    return text, items, stance_of(text) or _lived_stance(seen.me.history, items)


def stance_of(text: str) -> float:
    """Return what words of praise and blame say, -1 to 1; titles do not count."""
    mood = mood_of(re.sub(r"<[^<>]*>", " ", text))
    return max(-1.0, min(1.0, round(_PER_WORD * mood, 2)))


def named_in(catalogue: Catalogue, text: str) -> tuple[int, ...]:
    """Return the items of the whole catalogue that a text names, each once.

    A title is named in brackets, `<Heat>`, or, if it has several words, as it is written. A title
    shared by two items names neither.
    """
    plain = [item.title for item in catalogue.items if _stands_in(item.title, text)]
    titles = [*mentioned(text), *sorted(plain, key=text.find)]
    whole = [
        title for title in titles if not any(title in other for other in titles if other != title)
    ]
    by_title = titled(catalogue)
    found = (by_title.get(same(title), ()) for title in whole)
    return tuple(dict.fromkeys(items[0] for items in found if len(items) == 1))


def _stands_in(title: str, text: str) -> bool:
    if " " not in title or len(title) < _SHORTEST or title not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(title)}(?!\w)", text) is not None


def _lived_stance(history: tuple[Lived, ...], items: tuple[int, ...]) -> float:
    for item in items:
        for lived in reversed(history):
            if lived.item == item:
                return stance_on(lived)
    return 0.0
