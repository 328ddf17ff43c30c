"""From replies to actions: resolving the items, people and values that a reply names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from audience.agents.language.reply_schema import (
    OPINIONS,
    SHARES,
    AnyReply,
    HomeReply,
    PageReply,
    SocialReply,
    TalkReply,
    listed_posts,
)
from audience.agents.rule import stance_on
from audience.llm import NOTHING, Broken, number_of, plain_value, shown
from audience.world import Friend, Observation, actions as a, mentioned, same

NOBODY = -1
_NOBODY = NOTHING | {"nobody", "no one", "noone", "-1", "0"}
_LONGEST = 300
_AROUND = "\"'`“”„‘’«»"
_ID = re.compile(r"(?:item|id|no\.?)?\s*[#:]?\s*[\[(]?\s*(\d{1,9})\s*[\])]?\.?", re.I)
_ID_AND_NAME = re.compile(
    r"[#\[(]?(\d{1,9})[\])]?\s*[:.)–-]?\s+(\D.*)|(.*\S)\s*[\[(#](\d{1,9})[\])]?"
)


def item_of(seen: Observation, values: Sequence[Any]) -> int:
    """Return the item on the page that all values name, by place (1 is the first) or title."""
    page = dict(enumerate(seen.me.situation.slate, 1))
    titles = {place: _titles(seen, item) for place, item in page.items()}
    on_page = (f"{place} <{seen.catalogue[item].title}>" for place, item in page.items())
    listed = ", ".join(on_page) or "no items"
    meant = set(page)
    for value in values:
        named = _named(value, titles, "place")
        if not named:
            raise Broken(f"not on the page: {shown(value)}; on the page are {listed}")
        meant &= named
    if not meant:
        raise Broken(f"contradiction: {shown(values)} name different items; there are {listed}")
    if len(meant) > 1:
        raise Broken(f"ambiguous: {shown(values[0])} names several; give the place of {listed}")
    return page[meant.pop()]


def friend_of(friends: Sequence[Friend], value: Any) -> int:  # noqa: ANN401
    """Return the person named by number (1 is the first) or unique name; -1 for nobody."""
    names = {place: {_same(friend.name)} for place, friend in enumerate(friends, 1)}
    if value is False or value in (NOBODY, 0):
        return NOBODY
    found = _named(value, names, "person")
    if len(found) == 1:
        return friends[found.pop() - 1].id
    if not found and isinstance(value, str) and value.strip().casefold() in _NOBODY:
        return NOBODY
    listed = ", ".join(f"{place} {friend.name}" for place, friend in enumerate(friends, 1))
    if found:
        raise Broken(f"ambiguous: {shown(value)} names several; give the number of {listed}")
    raise Broken(f"unknown person: {shown(value)}; there are {listed or 'none'}")


def post_of(seen: Observation, value: Any) -> str:  # noqa: ANN401
    """Return the id of the listed message that a value names by number; empty for none."""
    posts = listed_posts(seen)
    said = str(value).strip().strip(_AROUND)
    if value is False or value in (NOBODY, 0) or said.casefold() in _NOBODY:
        return ""
    number = _ID.fullmatch(said)
    if number and 1 <= int(number[1]) <= len(posts):
        return posts[int(number[1]) - 1].post
    raise Broken(f"not among the posts: {shown(value)}; their numbers are 1 to {len(posts)}")


def speakable(seen: Observation) -> dict[str, set[int]]:
    """Return the items that may be mentioned, by title: watched, heard of, remembered or shown."""
    me = seen.me
    known = set(me.situation.shown) | {entry.item for entry in me.history}
    known |= {mention.item for mention in me.heard} | {
        item for line in seen.lines for item in line.items
    }
    known |= {item for thought in me.thoughts for item in thought.items}
    by_title: dict[str, set[int]] = {}
    for item in known:
        by_title.setdefault(_same(seen.catalogue[item].title), set()).add(item)
    return by_title


def items_in(seen: Observation, text: str) -> tuple[int, ...]:
    """Return the items whose whole `<title>` is in a text, in order, each once.

    A title shared by two items names neither.
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
    title, year = _same(seen.catalogue[item].title), seen.catalogue[item].year
    return {title, f"{title} ({year})"} if year is not None else {title}


def _same(name: str) -> str:
    """Return a name normalised for comparison: in one case, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def _bare(name: str) -> str:
    name = name.strip().strip(_AROUND).strip()
    if name[:1] == "<" and name[-1:] == ">":
        name = name[1:-1]
    return _same(name)


def _named(value: Any, names: Mapping[int, set[str]], what: str) -> set[int]:  # noqa: ANN401
    """Return the ids that a value may refer to: none, one, or several."""
    value = plain_value(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return {value} & names.keys()
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise Broken(f"no {what}: {shown(value)} names none; give its number")
    found = {id_ for id_, called in names.items() if {_bare(value), _same(value)} & called}
    if number := _ID.fullmatch(value.strip()):
        return found | ({int(number.group(1))} & names.keys())
    if not found and (both := _ID_AND_NAME.fullmatch(value.strip())):
        number_, name = int(both[1] or both[4]), _bare(both[2] or both[3])
        return {number_} if name in names.get(number_, ()) else set()
    return found


_SHARES = SHARES | {"whole": 100.0, "full": 100.0, "fully": 100.0, "none": 0.0}
_OPINIONS = OPINIONS | dict.fromkeys(("none", "n/a", "-"), 0)
_STANCES = {"for": 1, "positive": 1, "against": -1, "negative": -1, "neutral": 0, "undecided": 0}


def stars_of(value: Any) -> int:  # noqa: ANN401
    """Return 1 to 5 whole stars, given as a number or an opinion in words, or 0 for no rating."""
    if isinstance(value, str) and value.strip().casefold() in _OPINIONS:
        return _OPINIONS[value.strip().casefold()]
    number = number_of(value, "stars")
    plain = number.of in (None, 5) and number.unit in ("", "star", "stars")
    if not plain or number.value not in range(6):
        raise Broken(f"out of range: stars is {shown(value)}; give 1 to 5 whole stars, or 0")
    return int(number.value)


def percent_of(value: Any) -> float:  # noqa: ANN401
    """Return percent, 0 to 100.

    A number up to 1 written with a decimal point is a fraction: 0.8 is 80, 1.0 is 100. A plain 1
    is one percent, since whole percents are what is asked for. `true` is all of it.
    """
    if value is True or (isinstance(value, str) and value.strip().casefold() == "true"):
        return 100.0
    if isinstance(value, str) and value.strip().casefold() in _SHARES:
        return _SHARES[value.strip().casefold()]
    found = number_of(value, "watched")
    if found.unit not in ("", "%", "percent"):
        raise Broken(f"not a number: watched is {shown(value)}; give a percentage")
    percent = found.value
    if found.of is not None:
        percent = 100.0 * percent / found.of if found.of else -1.0
    elif found.pointed and not found.unit and 0.0 <= percent <= 1.0:
        percent = 100.0 * percent
    if not 0.0 <= percent <= 100.0:
        raise Broken(f"out of range: watched is {shown(value)}; give 0 to 100 percent")
    return round(percent, 3)


def satisfaction_of(value: Any) -> float:  # noqa: ANN401
    """Return 1 to 10."""
    number = number_of(value, "satisfaction")
    if number.of not in (None, 10) or number.unit or not 1.0 <= number.value <= 10.0:
        raise Broken(f"out of range: satisfaction is {shown(value)}; give 1 to 10")
    return number.value


def stance_of(value: Any) -> int:  # noqa: ANN401
    """Return -1, 0 or 1."""
    if isinstance(value, str) and value.strip().casefold() in _STANCES:
        return _STANCES[value.strip().casefold()]
    found = number_of(value, "stance")
    if found.of is not None or found.unit or found.value not in (-1, 0, 1):
        raise Broken(f"out of range: stance is {shown(value)}; give -1, 0 or 1")
    return int(found.value)


_VOICE = "model"
_BROWSE = (a.Enter("recommender"), a.Browse())


def actions_of(seen: Observation, reply: AnyReply) -> tuple[a.AnyAction, ...]:
    """Return the actions that a reply means."""
    if isinstance(reply, HomeReply):
        return _home(reply)
    if isinstance(reply, PageReply):
        return _page(reply)
    if isinstance(reply, SocialReply):
        return _social(seen, reply)
    return _talk(seen, reply)


def _home(reply: HomeReply) -> tuple[a.AnyAction, ...]:
    match reply.do:
        case "browse":
            return _BROWSE
        case "search":
            return (a.Enter("recommender"), a.Search(reply.query))
        case "friends":
            return (a.Enter("social"),)
    return (a.Nothing(),)


def _page(reply: PageReply) -> tuple[a.AnyAction, ...]:
    actions: list[a.AnyAction] = []
    for pick in reply.picks:
        actions.append(a.Pick(pick.item, round(pick.watched / 100.0, 3)))
        if pick.stars or pick.feeling:
            actions.append(
                a.Rate(pick.item, pick.stars, pick.feeling, _VOICE if pick.feeling else "")
            )
    fields = a.page_fields()
    actions += [fields[field](item) for field, item in reply.also]
    if reply.next == "next_page":
        return (*actions, a.NextPage())
    if reply.next == "search":
        return (*actions, a.Search(reply.query))
    told = round((reply.satisfaction - 1.0) / 9.0, 4) if reply.satisfaction else None
    return (*actions, a.Leave(told))


def _social(seen: Observation, reply: SocialReply) -> tuple[a.AnyAction, ...]:
    actions: list[a.AnyAction] = []
    items = items_in(seen, reply.text)
    said = (reply.text, items, stance_in(seen, items), _VOICE)
    match reply.do:
        case "post" if reply.text:
            actions.append(a.Post(*said))
        case "write to" if reply.text:
            actions.append(a.Say(reply.who, *said))
        case "forward":
            actions.append(a.Forward(reply.post))
        case "follow":
            actions.append(a.Follow(reply.who))
        case "unfollow":
            actions.append(a.Unfollow(reply.who))
    return (*actions, a.Leave())


def _talk(seen: Observation, reply: TalkReply) -> tuple[a.AnyAction, ...]:
    if not reply.say:
        return (a.Leave(),)
    items = items_in(seen, reply.say)
    stance = stance_in(seen, items, float(reply.stance))
    return (a.Say(seen.friends[0].id, reply.say, items, stance, _VOICE),)


def stance_in(seen: Observation, items: tuple[int, ...], otherwise: float = 0.0) -> float:
    """Return the stance on the first of the items that was watched."""
    for item in items:
        for lived in reversed(seen.me.history):
            if lived.item == item:
                return stance_on(lived)
    return otherwise
