"""Reading the replies of language minds: their fields, and where the agent goes next."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from audience.agents.language.reply_actions import (
    NOBODY,
    friend_of,
    item_of,
    percent_of,
    post_of,
    satisfaction_of,
    stance_of,
    stars_of,
)
from audience.agents.language.reply_schema import (
    EMOTION,
    FITS,
    PLAIN_WAYS,
    SAID,
    WAYS,
    AnyReply,
    HomeReply,
    PageReply,
    PickReply,
    SocialReply,
    TalkReply,
    distant,
    kind_of,
    listed_friends,
    listed_posts,
    may_search,
    page_ways,
    social_ways,
)
from audience.llm import (
    NOTHING,
    Broken,
    Table,
    Unreadable,
    agreed,
    answer_in,
    as_ai,
    aside,
    cleaned,
    plain,
    plain_value,
    shown,
    sort_out,
    squash,
    told,
    words,
)
from audience.world import Friend, Observation

_WHY = ("why", "reason", "reasoning", "thought", "thoughts", "thinking", "explanation", "rationale")
_QUERY = ("query", "search", "searchquery", "searchfor", "keywords")
_NEXT = ("next", "nextaction", "nextstep", "then", "action", "do")
HOME: Table = {"do": ("do", "action", "choice", "next"), "query": _QUERY, "why": _WHY}
PICK: Table = {
    "item": ("place", "item", "id", "itemid", "title", "number", "movie"),
    "watched": ("watched", "watchedpercent", "percent", "percentage", "fraction", "completion"),
    "stars": ("stars", "star", "rating", "rated", "opinion", "verdict"),
    "feeling": ("feeling", "feelings", "felt", "comment", "review"),
}
PAGE: Table = {
    "picks": ("picks", "pick", "picked", "watch", "items", "chosen", "choice", "choices"),
    "fits": ("fits", "fit"),
    "next": _NEXT,
    "search": ("search", "searchfor"),
    "query": ("query", "searchquery", "keywords"),
    "satisfaction": ("satisfaction", "satisfied", "satisfactionscore"),
    "emotion": ("emotion", "emotions"),
    "why": _WHY,
}
SOCIAL: Table = {
    "do": ("do", "action", "choice"),
    "text": ("text", "say", "message", "words", "line", "write", "post", "posttext"),
    "why": _WHY,
}
TALK: Table = {
    "say": ("say", "reply", "answer", "response", "line", "message", "text"),
    "stance": ("stance", "opinion", "attitude"),
    "why": _WHY,
}
WAYS_SAID: Table = {
    "browse": ("browse", "recommender", "recommendations", "entertherecommender"),
    "friends": ("friends", "social", "socialmedia", "socialnetwork"),
    "close": ("close", "closeit", "closetheapp", "nothing", "donothing"),
    "next_page": ("nextpage", "next", "more", "continue", "turnpage", "turnthepage"),
    "search": ("search", "searchfor", "find"),
    "leave": ("leave", "exit", "quit", "stop", "end", "logout"),
}
"""The names that each destination may have."""
_SEVERAL = re.compile(r"[|/,;]|\bor\b|\band\b|\bthen\b")


def way(fields: Mapping[str, list[Any]], name: str, menu: Sequence[str]) -> str:
    """Return where the agent goes next; raise Broken if nothing is said."""
    known = {said: to for to, names in WAYS_SAID.items() for said in names}

    def read(value: Any) -> str:  # noqa: ANN401
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            value = ",".join(value)
        if not isinstance(value, str):
            raise Broken(f"not on the menu: {shown(value)}; {name} is one of {', '.join(menu)}")
        to = known.get(squash(value), "")
        if to in menu:
            return to
        parts = {known.get(squash(part), "") for part in _SEVERAL.split(value[:200].lower())}
        if len(parts & set(menu)) > 1:
            raise Broken(f"two answers: {shown(value)}; {name} is only one of {', '.join(menu)}")
        raise Broken(f"not on the menu: {shown(value)}; {name} is one of {', '.join(menu)}")

    found = agreed(fields, name, read, "")
    if not found:
        raise Broken(f"no {name}: say where to go; {name} is one of {', '.join(menu)}")
    return found


LONGEST_TEXT = 2_000
"""The most characters that the rules allow at once."""
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


def read(seen: Observation, text: str, also: Sequence[str] = ()) -> AnyReply | Unreadable:
    """Return what a model's answer to an observation says, or why it cannot be read.

    `also` names the fields that list items of a page besides those picked.
    """
    value = answer_in(text)
    if isinstance(value, Unreadable):
        return _refused(text) or value if value.why.startswith("no JSON") else value
    if isinstance(value, list) and any(isinstance(part, dict) for part in value):
        return Unreadable(f"two answers: there is a list of {len(value)}; give one object")
    if not isinstance(value, dict):
        return _refused(text) or Unreadable("no JSON: a JSON object is wanted, nothing else")
    try:
        kind = kind_of(seen)
        return _page(seen, value, also) if kind is PageReply else _READERS[kind](seen, value)
    except Broken as broken:
        if broken.why.startswith("no ") and (refused := _refusing(value)):
            return refused
        return Unreadable(broken.why)


def refusal_in(text: str) -> bool:
    """Return True if a text refuses to answer."""
    return _REFUSAL.search(text) is not None


def _refused(text: str) -> Unreadable | None:
    start = " ".join(cleaned(text[:2_000]).split())[:400]
    if refusal_in(start) or as_ai(start):
        return Unreadable(f"refused: {start[:100]}")
    return None


def _refusing(value: Mapping[str, Any]) -> Unreadable | None:
    said = (value.get(key) for key in _REFUSING)
    return next(
        (Unreadable(f"refused: {part[:100]}") for part in said if isinstance(part, str)), None
    )


def _home(seen: Observation, value: Mapping[str, Any]) -> HomeReply:
    fields = sort_out(value, HOME)
    do = way(fields, "do", WAYS)
    return HomeReply(do, aside(fields), _query(fields, do))


def _page(seen: Observation, value: Mapping[str, Any], also: Sequence[str]) -> PageReply:
    fields = sort_out(value, {**PAGE, **_pick_table(seen), **{field: (field,) for field in also}})
    satisfaction = agreed(fields, "satisfaction", satisfaction_of, 0.0)
    picks = () if _unfitting(fields) else _picks(seen, fields)
    to, query = _after_page(seen, fields)
    marked = tuple((field, item) for field in also for item in _items(seen, fields, field))
    return PageReply(picks, to, aside(fields), query, satisfaction, _emotion(fields), marked)


def _unfitting(fields: Mapping[str, list[Any]]) -> bool:
    """Return True if nothing on the page fits what the agent likes: then nothing is picked."""
    said = {squash(value) for value in fields.get("fits", ()) if isinstance(value, str)}
    return said == {squash(FITS[0])}


def _after_page(seen: Observation, fields: Mapping[str, list[Any]]) -> tuple[str, str]:
    """Return where the agent goes after a page, and the words it searches for.

    Words in `search` are a search, whatever `next` says. Where an agent cannot search, they are
    not read.
    """
    ways = page_ways(seen)
    if may_search(seen):
        ways = (*ways, "search")
        if query := words(fields, "search", LONGEST_QUERY):
            return "search", query
    if len(ways) == 1 and not told(fields, "next"):
        return ways[0], ""
    to = way(fields, "next", ways)
    return to, _query(fields, to)


def _items(seen: Observation, fields: Mapping[str, list[Any]], field: str) -> list[int]:
    """Return the items of the page that a field lists, each once."""
    values = [item for value in fields.get(field, ()) for item in _listed(value)]
    return list(dict.fromkeys(item_of(seen, [value]) for value in values))


def _emotion(fields: Mapping[str, list[Any]]) -> str:
    """Return the emotion about the visit, if given; nothing depends on it."""
    said = next((value for value in fields.get("emotion", ()) if isinstance(value, str)), "")
    line = plain(cleaned(said), EMOTION)
    return "" if line.casefold() in NOTHING or as_ai(line) else line


def _query(fields: Mapping[str, list[Any]], way: str) -> str:
    if way != "search":
        return ""
    query = words(fields, "query", LONGEST_QUERY)
    if not query:
        raise Broken("no query: a search needs words; give them in query")
    return query


_NOT_OWN = {squash(said) for said in (*SAID, "I ...")}
"""What small models repeat from the form and its examples."""


def _pick_table(seen: Observation) -> Table:
    """Return the fields of a pick; the item may also be named by the domain's noun."""
    noun = squash(seen.domain.noun)
    return {**PICK, "item": (*PICK["item"], noun, f"{noun}id", f"{noun}title")}


def _picks(seen: Observation, fields: Mapping[str, list[Any]]) -> tuple[PickReply, ...]:
    """Return the picks; a single one may also be in the reply itself."""
    loose = [name for name in ("item", "stars", "watched") if told(fields, name)]
    given = [pick for value in fields.get("picks", ()) for pick in _listed(value)]
    if given and loose:
        raise Broken(f"contradiction: {loose[0]} stands beside picks; put it into the pick")
    picks = [_pick(seen, pick) for pick in given]
    if loose:
        picks = [_picked(seen, fields)]
    found: dict[int, PickReply] = {}
    for pick in picks:
        if found.setdefault(pick.item, pick) != pick:
            raise Broken(f"contradiction: item {pick.item} is picked twice and differs")
    return tuple(found.values())


def _listed(value: Any) -> Sequence[Any]:  # noqa: ANN401
    """Return the picks of a value, in whatever form they are listed."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        value = answer_in(value)
        if isinstance(value, Unreadable):
            raise Broken(value.why)
    if isinstance(value, list):
        return value
    none = isinstance(value, str) and value.strip().casefold() in NOTHING
    return () if value is None or value is False or value == {} or none else (value,)


def _pick(seen: Observation, value: Any) -> PickReply:  # noqa: ANN401
    value = plain_value(value)
    if isinstance(value, dict):
        return _picked(seen, sort_out(value, _pick_table(seen)))
    return PickReply(item_of(seen, [value]))


def _picked(seen: Observation, fields: Mapping[str, list[Any]]) -> PickReply:
    named = told(fields, "item")
    if not named:
        raise Broken("no place: a pick names none; give its number on the page in place")
    item = item_of(seen, named)
    watched = agreed(fields, "watched", percent_of, 100.0)
    stars = agreed(fields, "stars", stars_of, 0)
    if stars and not watched:
        raise Broken(f"contradiction: {shown(named[0])} is rated, but nothing of it was watched")
    feeling = words(fields, "feeling", LONGEST_TEXT)
    is_own = squash(feeling) not in _NOT_OWN
    return PickReply(item, watched, stars, feeling if is_own else "")


_SOCIAL_WAYS: Table = {
    "read": ("read", "only read", "just read", "nothing"),
    "post": ("post", "post to all", "write to all", "write to everybody"),
    "write to": ("write to", "write", "say to", "chat with", "talk to", "message"),
    "forward": ("forward", "pass on", "share", "repost"),
    "follow": ("follow",),
    "unfollow": ("unfollow", "stop following"),
}
"""The names of what may be done among friends; the longest that fits counts."""
_PEOPLE: dict[str, Callable[[Observation], Sequence[Friend]]] = {
    "write to": listed_friends,
    "follow": lambda seen: seen.strangers,
    "unfollow": distant,
}
"""Whom an action among friends may concern, in the order of their numbers."""


def _social(seen: Observation, value: Mapping[str, Any]) -> SocialReply:
    fields = sort_out(value, SOCIAL)
    do, whom = agreed(fields, "do", lambda value: _deed(seen, value), ("", ""))
    if not do:
        raise Broken(f"no do: say what you do; {_deeds(seen)}")
    text = words(fields, "text", LONGEST_TEXT) if do in ("post", "write to") else ""
    _own_words(seen, text)
    who, post = NOBODY, ""
    if do in _PEOPLE:
        who = friend_of(_PEOPLE[do](seen), whom)
        if who == NOBODY:
            raise Broken(f"no person: {do} needs a number, as in '{do} 1'")
    elif do == "forward":
        post = post_of(seen, whom)
        if not post:
            raise Broken("no post: forward needs a number, as in 'forward 1'")
    return SocialReply(do, who, post, text, aside(fields))


def _own_words(seen: Observation, text: str) -> None:
    """Raise if what is written is, word for word, a post that was just read."""
    if len(text.split()) <= 3:
        return
    for number, message in enumerate(listed_posts(seen), 1):
        if squash(text) == squash(message.text):
            raise Broken(
                f"echo: post {number} says this already; pass it on by 'forward {number}', or say "
                "something of your own"
            )


def _deed(seen: Observation, value: Any) -> tuple[str, str]:  # noqa: ANN401
    """Return what is done among friends, and the number or name that it concerns."""
    said = " ".join(str(value).replace("_", " ").split())
    names = sorted(
        ((name, deed) for deed, names in _SOCIAL_WAYS.items() for name in names),
        key=lambda pair: -len(pair[0]),
    )
    for name, deed in names:
        rest = said[len(name) :]
        if said.lower().startswith(name) and (not rest or not rest[0].isalnum()):
            if deed not in (*PLAIN_WAYS, *social_ways(seen)):
                break
            return deed, rest.strip(" :#")
    raise Broken(f"not on the menu: {shown(value)}; {_deeds(seen)}")


def _deeds(seen: Observation) -> str:
    numbered = (f"{deed} 1 to {count}" for deed, count in social_ways(seen).items())
    return f"do is one of {', '.join([*PLAIN_WAYS, *numbered])}"


def _talk(seen: Observation, value: Mapping[str, Any]) -> TalkReply:
    fields = sort_out(value, TALK)
    if "say" not in fields:
        raise Broken("no say: give your line in say, or an empty one to end the talk")
    say = words(fields, "say", LONGEST_TEXT)
    if len(say.split()) > 3 and squash(say) in {squash(line.text) for line in seen.lines}:
        raise Broken("echo: this was said already; say something of your own")
    return TalkReply(say, agreed(fields, "stance", stance_of, 0))


_READERS: dict[type[AnyReply], Callable[[Observation, Mapping[str, Any]], AnyReply]] = {
    HomeReply: _home,
    SocialReply: _social,
    TalkReply: _talk,
}
