"""The fields of minds' replies, and the ways that lead on from a place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from audience.llm.fields import Table, agreed, shown, squash
from audience.llm.scan import Broken

_WHY = ("why", "reason", "reasoning", "thought", "thoughts", "thinking", "explanation", "rationale")
_QUERY = ("query", "search", "searchquery", "searchfor", "keywords")
_NEXT = ("next", "nextaction", "nextstep", "then", "action", "do")
HOME: Table = {"do": ("do", "action", "choice", "next"), "query": _QUERY, "why": _WHY}
PICK: Table = {
    "item": ("item", "id", "itemid", "title", "number", "movie"),
    "watched": ("watched", "watchedpercent", "percent", "percentage", "fraction", "completion"),
    "stars": ("stars", "star", "rating", "rated"),
    "feeling": ("feeling", "feelings", "felt", "comment", "review"),
}
PAGE: Table = {
    "picks": ("picks", "pick", "picked", "watch", "items", "chosen", "choice", "choices"),
    "next": _NEXT,
    "query": _QUERY,
    "satisfaction": ("satisfaction", "satisfied", "satisfactionscore"),
    "emotion": ("emotion", "emotions"),
    "why": _WHY,
}
SOCIAL: Table = {
    "post": ("post", "posttext", "publicpost"),
    "forward": ("forward", "forwardpost", "repost"),
    "say_to": ("sayto", "to", "friend", "friendid", "recipient", "talkto"),
    "say": ("say", "message", "text", "line"),
    "follow": ("follow", "followid", "followauthor"),
    "unfollow": ("unfollow", "unfollowid", "stopfollowing"),
    "next": _NEXT,
    "why": _WHY,
}
TALK: Table = {
    "say": ("say", "reply", "answer", "response", "line", "message", "text"),
    "stance": ("stance", "opinion", "attitude"),
    "why": _WHY,
}
WAYS_SAID: Table = {
    "recommender": ("recommender", "recommendations", "browse", "entertherecommender"),
    "social": ("social", "socialmedia", "socialnetwork", "friends"),
    "nothing": ("nothing", "donothing"),
    "next_page": ("nextpage", "next", "more", "continue", "turnpage", "turnthepage"),
    "search": ("search", "searchfor", "find"),
    "leave": ("leave", "exit", "quit", "stop", "end", "logout"),
}
"""What each way may be called."""

_SEVERAL = re.compile(r"[|/,;]|\bor\b|\band\b|\bthen\b")


def way(fields: Mapping[str, list[Any]], name: str, menu: Sequence[str]) -> str:
    """Return where somebody goes. Nothing said is nowhere to go."""
    known = {said: to for to, names in WAYS_SAID.items() for said in names}

    def read(value: Any) -> str:  # noqa: ANN401
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
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
