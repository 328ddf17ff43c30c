"""Whom and what a reply names: ids, or whole names that are unique where they are said."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from audience.llm.fields import NOTHING, plain, shown
from audience.llm.scan import Broken
from audience.world.observe import Friend, Observation
from audience.world.titles import mentioned, same

NOBODY = -1
_NOBODY = NOTHING | {"nobody", "no one", "noone", "-1"}
_LONGEST = 300
_AROUND = "\"'`“”„‘’«»"
_ID = re.compile(r"(?:item|id|no\.?)?\s*[#:]?\s*[\[(]?\s*(\d{1,9})\s*[\])]?\.?", re.I)
_ID_AND_NAME = re.compile(
    r"[#\[(]?(\d{1,9})[\])]?\s*[:.)–-]?\s+(\D.*)|(.*\S)\s*[\[(#](\d{1,9})[\])]?"
)


def item_of(seen: Observation, values: Sequence[Any]) -> int:
    """Return the id of the item on the page that all values name, by its id or its whole title."""
    page = seen.me.situation.slate
    titles = {item: _titles(seen, item) for item in page}
    listed = ", ".join(f"{item} <{seen.catalogue[item].title}>" for item in page) or "no items"
    meant = set(page)
    for value in values:
        named = _named(value, titles, "item")
        if not named:
            raise Broken(f"not on the page: {shown(value)}; on the page are {listed}")
        meant &= named
    if not meant:
        raise Broken(f"contradiction: {shown(values)} name different items; there are {listed}")
    if len(meant) > 1:
        raise Broken(f"ambiguous: {shown(values[0])} names several; give the id of {listed}")
    return meant.pop()


def friend_of(friends: Sequence[Friend], value: Any) -> int:  # noqa: ANN401
    """Return the id of the friend named by id or by a name no other has; -1 for nobody."""
    names = {friend.id: {_same(friend.name)} for friend in friends}
    if value is False or value == NOBODY:
        return NOBODY
    found = _named(value, names, "friend")
    if len(found) == 1:
        return found.pop()
    if not found and isinstance(value, str) and value.strip().casefold() in _NOBODY:
        return NOBODY
    listed = ", ".join(f"{friend.id} {friend.name}" for friend in friends) or "none"
    if found:
        raise Broken(f"ambiguous: {shown(value)} names several; give the id; friends: {listed}")
    raise Broken(f"unknown friend: {shown(value)}; friends: {listed}")


def post_of(seen: Observation, value: Any) -> str:  # noqa: ANN401
    """Return the id of the message of the inbox that is named by it; empty for none."""
    posts = [message.post for message in seen.me.inbox]
    said = str(value).strip().strip(_AROUND)
    if said in posts:
        return said
    if value is False or value == NOBODY or said.casefold() in _NOBODY:
        return ""
    raise Broken(f"not in the inbox: {shown(value)}; posts: {', '.join(posts) or 'none'}")


def speakable(seen: Observation) -> dict[str, set[int]]:
    """Return what may be spoken of, by title: lived, heard of, remembered, shown, said just now."""
    me = seen.me
    known = set(me.situation.shown) | {one.item for one in me.history}
    known |= {one.item for one in me.heard} | {item for line in seen.lines for item in line.items}
    known |= {item for thought in me.thoughts for item in thought.items}
    found: dict[str, set[int]] = {}
    for item in known:
        found.setdefault(_same(seen.catalogue[item].title), set()).add(item)
    return found


def items_in(seen: Observation, text: str) -> tuple[int, ...]:
    """Return the items whose whole `<title>` stands in a text, in order, each once.

    A title that two items share names neither.
    """
    if not (titles := mentioned(text)):
        return ()
    known = speakable(seen)
    alike: dict[str, set[int]] = {}
    for title, items in known.items():
        alike.setdefault(same(title), set()).update(items)
    named = (known.get(_same(title)) or alike.get(same(title), set()) for title in titles)
    return tuple(dict.fromkeys(next(iter(items)) for items in named if len(items) == 1))


def _titles(seen: Observation, item: int) -> set[str]:
    one = seen.catalogue[item]
    title = _same(one.title)
    return {title, f"{title} ({one.year})"} if one.year is not None else {title}


def _same(name: str) -> str:
    """Return a name as it is compared: whole, in one case, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def _bare(name: str) -> str:
    name = name.strip().strip(_AROUND).strip()
    if name[:1] == "<" and name[-1:] == ">":
        name = name[1:-1]
    return _same(name)


def _named(value: Any, names: Mapping[int, set[str]], what: str) -> set[int]:  # noqa: ANN401
    """Return the ids that a value may stand for: none, one, or several."""
    value = plain(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return {value} & names.keys()
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise Broken(f"no {what}: {shown(value)} names none; give its id")
    found = {one for one, called in names.items() if {_bare(value), _same(value)} & called}
    if number := _ID.fullmatch(value.strip()):
        return found | ({int(number.group(1))} & names.keys())
    if not found and (both := _ID_AND_NAME.fullmatch(value.strip())):
        number_, name = int(both[1] or both[4]), _bare(both[2] or both[3])
        return {number_} if name in names.get(number_, ()) else set()
    return found
