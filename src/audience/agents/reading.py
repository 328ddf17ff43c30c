"""Reading what a model answered: strict about what it means, lenient about how it is written.

A reply becomes what it says, or `Unreadable` with a reason that the model can be told; nothing is
filled in that was not said. Reasons begin with their class: `cut off: …`, `not on the page: …`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from audience.agents import _fields as tables
from audience.agents._attempts import actions_of
from audience.agents._naming import NOBODY, friend_of, item_of, items_in, post_of
from audience.agents._numbers import percent_of, satisfaction_of, stance_of, stars_of
from audience.agents.replies import (
    AFTER,
    EMOTION,
    WAYS,
    AnyReply,
    HomeReply,
    PageReply,
    PickReply,
    SocialReply,
    TalkReply,
    kind_of,
    ways,
)
from audience.llm import fields as f
from audience.llm.loose import Unreadable, answer_in
from audience.llm.prompts import plain
from audience.llm.scan import Broken, cleaned
from audience.world.observe import Observation

__all__ = ["LONGEST_QUERY", "LONGEST_TEXT", "actions_of", "items_in", "read"]

LONGEST_TEXT = 2_000
"""What the world lets somebody say at once."""
LONGEST_QUERY = 200
_REFUSAL = re.compile(
    r"\bi(?:'m| am|’m) (?:very |so |really )?sorry\b[\s,.]*(?:but )?(?:i |as )"
    r"|\bi (?:can(?:no|'|’)t|can not|am (?:not able|unable)|won['’]t) "
    r"(?:assist|help|fulfil|comply|provide|do|engage|participate|watch|role)"
    r"|\blo siento,? (?:pero )?no puedo|\bes tut mir leid,? (?:aber )?ich kann"
    r"|\bje suis désolée?,? (?:mais )?je ne p|(?:对不起|抱歉|很抱歉)[，,]?\s*(?:但)?我(?:不能|无法)"
    r"|申し訳(?:ありません|ございません)"
    r"|(?:عذرًا|عذراً|آسف)[،,]?\s*(?:لكنني\s*)?لا (?:أستطيع|يمكنني)",
    re.I,
)
_REFUSING = ("error", "refusal")


def read(seen: Observation, text: str) -> AnyReply | Unreadable:
    """Return what a model's answer to an observation says, or why it cannot be read."""
    value = answer_in(text)
    if isinstance(value, Unreadable):
        return _refused(text) or value if value.why.startswith("no JSON") else value
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return Unreadable(f"two answers: there is a list of {len(value)}; give one object")
    if not isinstance(value, dict):
        return _refused(text) or Unreadable("no JSON: a JSON object is wanted, nothing else")
    try:
        return _READERS[kind_of(seen)](seen, value)
    except Broken as broken:
        if broken.why.startswith("no ") and (refused := _refusing(value)):
            return refused
        return Unreadable(broken.why)


def _refused(text: str) -> Unreadable | None:
    start = " ".join(cleaned(text[:2_000]).split())[:400]
    if _REFUSAL.search(start) or f.as_ai(start):
        return Unreadable(f"refused: {start[:100]}")
    return None


def _refusing(value: Mapping[str, Any]) -> Unreadable | None:
    said = (value.get(key) for key in _REFUSING)
    return next((Unreadable(f"refused: {one[:100]}") for one in said if isinstance(one, str)), None)


def _home(seen: Observation, value: Mapping[str, Any]) -> HomeReply:
    fields = f.sort_out(value, tables.HOME)
    do = tables.way(fields, "do", WAYS)
    return HomeReply(do, f.aside(fields), _query(fields, do))


def _page(seen: Observation, value: Mapping[str, Any]) -> PageReply:
    fields = f.sort_out(value, {**tables.PAGE, **_pick_table(seen)})
    to = tables.way(fields, "next", ways(seen))
    satisfaction = f.agreed(fields, "satisfaction", satisfaction_of, 0.0)
    picks, query = _picks(seen, fields), _query(fields, to)
    return PageReply(picks, to, f.aside(fields), query, satisfaction, _emotion(fields))


def _emotion(fields: Mapping[str, list[Any]]) -> str:
    """Return how the visit feels, as far as it is told; it decides nothing."""
    said = next((value for value in fields.get("emotion", ()) if isinstance(value, str)), "")
    line = plain(cleaned(said), EMOTION)
    return "" if line.casefold() in f.NOTHING or f.as_ai(line) else line


def _query(fields: Mapping[str, list[Any]], way: str) -> str:
    if way != "search":
        return ""
    query = f.words(fields, "query", LONGEST_QUERY)
    if not query:
        raise Broken("no query: a search needs words; give them in query")
    return query


def _pick_table(seen: Observation) -> f.Table:
    """Return the fields of a pick; an item may also go by the domain's noun."""
    noun = f.squash(seen.domain.noun)
    return {**tables.PICK, "item": (*tables.PICK["item"], noun, f"{noun}id", f"{noun}title")}


def _picks(seen: Observation, fields: Mapping[str, list[Any]]) -> tuple[PickReply, ...]:
    """Return what was picked; a single pick may also stand in the reply itself."""
    loose = [name for name in ("item", "stars", "watched") if f.told(fields, name)]
    given = [one for value in fields.get("picks", ()) for one in _listed(value)]
    if given and loose:
        raise Broken(f"contradiction: {loose[0]} stands beside picks; put it into the pick")
    picks = [_pick(seen, one) for one in given]
    if loose:
        picks = [_picked(seen, fields)]
    found: dict[int, PickReply] = {}
    for pick in picks:
        if found.setdefault(pick.item, pick) != pick:
            raise Broken(f"contradiction: item {pick.item} is picked twice and differs")
    return tuple(found.values())


def _listed(value: Any) -> Sequence[Any]:  # noqa: ANN401
    """Return the picks that a value holds, however they are listed."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value = answer_in(value)
        if isinstance(value, Unreadable):
            raise Broken(value.why)
    if isinstance(value, list):
        return value
    none = isinstance(value, str) and value.strip().casefold() in f.NOTHING
    return () if value is None or value is False or value == {} or none else (value,)


def _pick(seen: Observation, value: Any) -> PickReply:  # noqa: ANN401
    value = f.plain(value)
    if isinstance(value, dict):
        return _picked(seen, f.sort_out(value, _pick_table(seen)))
    return PickReply(item_of(seen, [value]))


def _picked(seen: Observation, fields: Mapping[str, list[Any]]) -> PickReply:
    named = f.told(fields, "item")
    if not named:
        raise Broken("no item: a pick names none; give its id in item")
    item = item_of(seen, named)
    watched = f.agreed(fields, "watched", percent_of, 100.0)
    stars = f.agreed(fields, "stars", stars_of, 0)
    return PickReply(item, watched, stars, f.words(fields, "feeling", LONGEST_TEXT))


def _social(seen: Observation, value: Mapping[str, Any]) -> SocialReply:
    fields = f.sort_out(value, tables.SOCIAL)
    to = tables.way(fields, "next", AFTER if "Enter" in seen.menu else AFTER[1:])
    friend = f.agreed(fields, "say_to", lambda one: friend_of(seen.friends, one), NOBODY)
    say = f.words(fields, "say", LONGEST_TEXT)
    if say and not f.told(fields, "say_to"):
        raise Broken("no friend: there are words but nobody to hear them; give say_to")
    forward = f.agreed(fields, "forward", lambda one: post_of(seen, one), "")
    post = f.words(fields, "post", LONGEST_TEXT)
    # Whoever is told that nobody is spoken to says nothing, whatever else stands there.
    spoken = friend != NOBODY and say != ""
    follow = f.agreed(fields, "follow", lambda one: friend_of(seen.strangers, one), NOBODY)
    unfollow = f.agreed(fields, "unfollow", lambda one: friend_of(seen.friends, one), NOBODY)
    return SocialReply(
        f.aside(fields),
        post,
        forward,
        friend if spoken else NOBODY,
        say if spoken else "",
        to,
        follow,
        unfollow,
    )


def _talk(seen: Observation, value: Mapping[str, Any]) -> TalkReply:
    fields = f.sort_out(value, tables.TALK)
    if "say" not in fields:
        raise Broken("no say: give your line in say, or an empty one to end the talk")
    say = f.words(fields, "say", LONGEST_TEXT)
    if len(say.split()) > 3 and f.squash(say) in {f.squash(line.text) for line in seen.lines}:
        raise Broken("echo: this was said already; say something of your own")
    return TalkReply(say, f.agreed(fields, "stance", stance_of, 0))


_READERS: dict[type[AnyReply], Callable[[Observation, Mapping[str, Any]], AnyReply]] = {
    HomeReply: _home,
    PageReply: _page,
    SocialReply: _social,
    TalkReply: _talk,
}
