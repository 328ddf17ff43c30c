"""The structured replies of language minds, one per behaviour, and their JSON schemas.

A schema is built from the menu: only items on the page and real friends can be named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from audience.llm import Reply, Unreadable, list_of, object_of, one_of, text_of, whole_of
from audience.world import Friend, Observation, actions as a

WAYS = ("recommender", "search", "social", "nothing")
NEXT = ("next_page", "search", "leave")
AFTER = ("recommender", "leave")
DISTANT = 0.05
"""Closeness below which the model is asked whether to unfollow."""
EMOTION = 200
"""The most characters of an emotion in words."""


class HomeReply(msgspec.Struct, frozen=True):
    """Where the agent goes on waking."""

    do: str
    why: str = ""
    query: str = ""


class PickReply(msgspec.Struct, frozen=True):
    """One item picked from the page."""

    item: int
    watched: float = 100.0
    """Percent."""
    stars: int = 0
    """1 to 5; 0 for no rating."""
    feeling: str = ""


class PageReply(msgspec.Struct, frozen=True):
    """The reaction to a page."""

    picks: tuple[PickReply, ...] = ()
    next: str = "leave"
    why: str = ""
    query: str = ""
    satisfaction: float = 0.0
    """1 to 10; 0 if not given."""
    emotion: str = ""
    """The emotion about the visit, if the agent paused to think about it."""
    also: tuple[tuple[str, int], ...] = ()
    """What else is done with items of the page: (field, item), where a mind offers it."""


class SocialReply(msgspec.Struct, frozen=True):
    """What the agent does among friends."""

    why: str = ""
    post: str = ""
    forward: str = ""
    say_to: int = -1
    say: str = ""
    next: str = "leave"
    follow: int = -1
    """An author to follow; asked if messages of strangers were forwarded."""
    unfollow: int = -1
    """A person to unfollow; asked if there are distant ties."""


class TalkReply(msgspec.Struct, frozen=True):
    """A line in a conversation, or none to end it."""

    say: str = ""
    stance: int = 0
    """-1 against, 0 undecided, 1 for what is discussed."""


AnyReply = HomeReply | PageReply | SocialReply | TalkReply


def kind_of(seen: Observation) -> type[AnyReply]:
    """Return the type of reply that an observation calls for."""
    kinds: dict[str, type[AnyReply]] = {
        "home": HomeReply,
        **dict.fromkeys(a.PAGE_SURFACES, PageReply),
        "social": SocialReply,
        "conversation": TalkReply,
    }
    return kinds[seen.surface]


def in_time(reply: Reply) -> None:
    """Raise TimeoutError as the engine's deadline does, so that stored calls give equal events."""
    if reply.outcome == "timeout":
        raise TimeoutError


def text_in(reply: Reply) -> str | Unreadable:
    """Return the words of a reply, or why there are none."""
    in_time(reply)
    if reply.outcome != "reply" or not reply.text.strip():
        return Unreadable(f"{reply.outcome}: {reply.why or 'empty reply'}")
    return reply.text.strip()


def ways(seen: Observation) -> tuple[str, ...]:
    """Return where the agent may go after a page."""
    return tuple(
        way
        for way, action in zip(NEXT, ("NextPage", "Search", "Leave"), strict=True)
        if action in seen.menu
    )


def schema_of(
    seen: Observation, *, pause: bool = False, also: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the JSON schema of the reply to an observation; on a page somebody may pause."""
    match kind_of(seen).__name__:
        case "HomeReply":
            return object_of(why=text_of(200), do=one_of(WAYS), query=text_of(80))
        case "PageReply":
            free = _free(seen)
            pick = object_of(
                item=one_of(free) if free else {"type": "integer"},
                watched=whole_of(0, 100),
                stars=whole_of(1, 5),
                feeling=text_of(200),
            )
            return object_of(
                why=text_of(200),
                picks=list_of(pick, most=min(3, len(free))),
                satisfaction=whole_of(1, 10),
                next=one_of(ways(seen)),
                query=text_of(80),
                **{field: list_of(one_of(free), most=len(free)) for field in also if free},
                **({"emotion": text_of(EMOTION)} if pause else {}),
            )
        case "SocialReply":
            friends = [friend.id for friend in seen.friends]
            posts = [message.post for message in seen.me.inbox]
            return object_of(
                why=text_of(200),
                post=text_of(280),
                say_to=one_of([-1, *friends]),
                say=text_of(280),
                forward=one_of(("", *posts)),
                next=one_of(AFTER),
                **_turning(seen),
            )
    return object_of(say=text_of(280), stance=one_of((-1, 0, 1)))


def also_line(also: Sequence[str]) -> str:
    """Return how the prompt of a page asks for what else may be done with items."""
    return "".join(f', "{field}": numbers of those to {field}, or []' for field in also)


def distant(seen: Observation) -> tuple[Friend, ...]:
    """Return the distant ties of an agent, except family."""
    return tuple(
        friend for friend in seen.friends if friend.closeness < DISTANT and friend.kind != "family"
    )


def _turning(seen: Observation) -> dict[str, dict[str, Any]]:
    groups = {"follow": seen.strangers, "unfollow": distant(seen)}
    return {
        name: one_of([-1, *(friend.id for friend in people)])
        for name, people in groups.items()
        if people
    }


def _free(seen: Observation) -> list[int]:
    """Return the items of the page not yet picked in this visit."""
    lived = {entry.item for entry in seen.me.lived_now()}
    return [item for item in seen.me.situation.slate if item not in lived]
