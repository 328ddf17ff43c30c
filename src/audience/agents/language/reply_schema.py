"""The structured replies of language minds: their fields, their JSON schemas and forms in words.

A schema depends on the kind of question and the size of the page alone, so that a server compiles
each of a few once a run. It holds no lengths and no ranges: they would slow the server's masks
down, some providers refuse them, and the reader checks them anyway. Decisive fields come first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from audience.errors import unknown
from audience.llm import TEXT, Reply, Unreadable, list_of, object_of, one_of
from audience.world import (
    NO_HABITS,
    Friend,
    Habits,
    Message,
    Observation,
    actions as a,
)

WAYS = ("browse", "friends", "close", "search")
"""Where an agent may go from home; `search` is for those who look for things they heard of."""
NEXT = ("next_page", "leave")
PLAIN_WAYS = ("read", "post")
"""What an agent may do among friends that concerns nobody in particular."""
FITS = ("not at all", "a little", "well")
"""How well the best of a page fits what the agent likes, said before anything is picked."""
SHARES = {"all": 100.0, "most": 75.0, "half": 50.0, "start": 10.0}
"""How much of an item was watched, in words, and the percent they mean."""
OPINIONS = {"awful": 1, "weak": 2, "all right": 3, "liked it": 4, "loved it": 5, "unrated": 0}
"""Opinions in words, and the stars they mean: small models contradict a number, not a word."""
DISTANT = 0.05
"""Closeness below which the model is asked whether to unfollow."""
EMOTION = 200
"""The most characters of an emotion in words."""
SAID = ("I laughed more than I expected.", "I dozed off after an hour.")
"""The feelings of the examples; whoever repeats one has said nothing of their own."""
FRIENDS, POSTS = 8, 6
"""The most friends and posts that are listed."""
WORDS = ("none", "short", "full")
"""How much a mind says beside its decisions: nothing, feelings, or feelings and reasons."""


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
    """`leave`, `next_page`, or `search` for the words of `query`."""
    why: str = ""
    query: str = ""
    satisfaction: float = 0.0
    """1 to 10; 0 if not given."""
    emotion: str = ""
    """The emotion about the visit, if the agent paused to think about it."""
    also: tuple[tuple[str, int], ...] = ()
    """What else is done with items of the page: (field, item), where a mind offers it."""


class SocialReply(msgspec.Struct, frozen=True):
    """What the agent does among friends: one thing, or only reading."""

    do: str = "read"
    """`read`, `post`, `write to`, `forward`, `follow` or `unfollow`."""
    who: int = -1
    """The person written to, followed or unfollowed."""
    post: str = ""
    """The id of the message that is passed on."""
    text: str = ""
    why: str = ""


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


class Wording(msgspec.Struct, frozen=True):
    """How a mind asks beside what an agent sees: how many words, and for what else."""

    words: str = ""
    """One of `WORDS`; empty: by the agent's habits."""
    also: tuple[str, ...] = ()
    """What may be done with items of a page besides picking them."""
    pause: bool = False
    """The agent pauses on this page and says how it feels."""

    def __post_init__(self) -> None:
        if self.words and self.words not in WORDS:
            raise unknown("words", self.words, WORDS)
        for field in self.also:
            if field not in a.page_fields():
                raise unknown("also", field, a.page_fields())

    def says_feelings(self, seen: Observation) -> bool:
        """Return True if an agent says how it liked what it picked."""
        return self.words != "none" if self.words else has_habit(seen, "watcher")


PLAIN = Wording()


def has_habit(seen: Observation, name: str) -> bool:
    """Return True if an agent has a habit; those without any known habit have them all."""
    habits: Habits = seen.me.profile.habits
    return habits == NO_HABITS or getattr(habits, name) >= 0.5


class Field(msgspec.Struct, frozen=True):
    """One field of a reply: its schema, and what the prompt says of it."""

    name: str
    schema: dict[str, Any]
    words: str


def fields_of(seen: Observation, wording: Wording = PLAIN) -> tuple[Field, ...]:
    """Return the fields of the reply to an observation, the decisive ones first."""
    match kind_of(seen).__name__:
        case "HomeReply":
            fields = _home(seen)
        case "PageReply":
            fields = _page(seen, wording)
        case "SocialReply":
            fields = _social(seen)
        case _:
            return (
                Field("stance", one_of((-1, 0, 1)), "-1 against, 0 neither, 1 for it"),
                Field("say", TEXT, 'your next message, or "" to end the chat'),
            )
    if wording.words == "full":
        fields.append(Field("why", TEXT, "your reason, in at most 12 words"))
    return tuple(fields)


def schema_of(seen: Observation, wording: Wording = PLAIN) -> dict[str, Any]:
    """Return the JSON schema of the reply to an observation."""
    return object_of(**{field.name: field.schema for field in fields_of(seen, wording)})


def examples_of(seen: Observation, wording: Wording = PLAIN) -> str:
    """Return some replies at home or to a page, as small models need them.

    Numbers are left out: a small model would repeat them.
    """
    values: dict[str, Sequence[Any]]
    if seen.surface == "home":
        values = {"do": ("browse", "friends", "browse", "close"), "query": ("",) * 4}
    else:
        good: dict[str, Any] = {"place": 2, "watched": "all", "opinion": "liked it"}
        bad: dict[str, Any] = {"place": 4, "watched": "half", "opinion": "weak"}
        if wording.says_feelings(seen):
            good["feeling"], bad["feeling"] = SAID
        values = {
            "fits": (FITS[0], FITS[-1], FITS[-1]),
            "picks": ([], [good], [bad]),
            "next": ("leave",) * 3,
            "search": ("",) * 3,
            **dict.fromkeys(wording.also, ([],) * 3),
        }
    names = [field.name for field in fields_of(seen, wording) if field.name in values]
    replies = [
        json.dumps(dict(zip(names, each, strict=True)))
        for each in zip(*(values[name] for name in names), strict=True)
    ]
    return f"{', '.join(replies[:-1])} or {replies[-1]}"


def form_of(fields: Iterable[Field]) -> str:
    """Return the form of a reply in words."""
    return "{" + ", ".join(f'"{field.name}": {field.words}' for field in fields) + "}"


def _choice(name: str, values: Sequence[str]) -> Field:
    return Field(name, one_of(values), " | ".join(f'"{value}"' for value in values))


def _home(seen: Observation) -> list[Field]:
    ways = home_ways(seen)
    query = Field("query", TEXT, 'the words you search for, else ""')
    return [_choice("do", ways), *([query] if "search" in ways else [])]


def _page(seen: Observation, wording: Wording) -> list[Field]:
    ways = page_ways(seen)
    fields = _taking(seen, wording) if seen.me.situation.slate else []
    if len(ways) > 1:
        fields.append(_choice("next", ways))
    if may_search(seen):
        fields.append(Field("search", TEXT, 'words to search for, mostly ""'))
    fields.append(Field("satisfaction", one_of(range(1, 11)), "1 to 10"))
    if wording.pause:
        fields.append(Field("emotion", TEXT, '"I ..."'))
    return fields


def _taking(seen: Observation, wording: Wording) -> list[Field]:
    """Return the fields of what is done with the items of a page."""
    place = one_of(range(1, len(seen.me.situation.slate) + 1))
    pick = [
        Field("place", place, "number in brackets"),
        _choice("watched", tuple(SHARES)),
        _choice("opinion", tuple(OPINIONS)),
    ]
    if wording.says_feelings(seen):
        pick.append(Field("feeling", TEXT, '"I ..."'))
    schema = object_of(**{field.name: field.schema for field in pick})
    return [
        _choice("fits", FITS),
        Field("picks", list_of(schema), f"[] or [{form_of(pick)}]"),
        *(
            Field(name, list_of(place), f"numbers of those to {name}, or []")
            for name in wording.also
        ),
    ]


def _social(seen: Observation) -> list[Field]:
    offered = social_ways(seen)
    do = [*PLAIN_WAYS, *(f"{way} {n + 1}" for way, count in offered.items() for n in range(count))]
    words = [*PLAIN_WAYS, *(f"{way} NUMBER" for way in offered)]
    return [
        Field("do", one_of(do), " | ".join(f'"{way}"' for way in words)),
        Field("text", TEXT, 'what you write, else ""'),
    ]


def home_ways(seen: Observation) -> tuple[str, ...]:
    """Return where the agent may go from home."""
    return WAYS if looks_for(seen) else WAYS[:-1]


def looks_for(seen: Observation) -> bool:
    """Return True if the agent has the habit of looking for things and heard of one not known."""
    lived = {entry.item for entry in seen.me.history}
    return has_habit(seen, "explorer") and any(each.item not in lived for each in seen.me.heard)


def page_ways(seen: Observation) -> tuple[str, ...]:
    """Return where the agent may go after a page, searching aside."""
    return NEXT if "NextPage" in seen.menu else NEXT[1:]


def may_search(seen: Observation) -> bool:
    """Return True if the agent may search from a page: once a visit, for things it heard of."""
    searched = seen.surface == "search" or bool(seen.me.situation.searched)
    return "Search" in seen.menu and not searched and looks_for(seen)


def social_ways(seen: Observation) -> dict[str, int]:
    """Return what the agent may do with friends and posts, and of how many each is listed."""
    offered = {
        "write to": len(listed_friends(seen)),
        "forward": len(listed_posts(seen)),
        "follow": len(seen.strangers),
        "unfollow": len(distant(seen)),
    }
    return {way: count for way, count in offered.items() if count}


def listed_friends(seen: Observation) -> tuple[Friend, ...]:
    """Return the friends that are listed by number, the closest first."""
    return tuple(sorted(seen.friends, key=lambda friend: -friend.closeness)[:FRIENDS])


def listed_posts(seen: Observation) -> tuple[Message, ...]:
    """Return the newest messages, which are listed by number."""
    return seen.me.inbox[-POSTS:]


def distant(seen: Observation) -> tuple[Friend, ...]:
    """Return the distant ties of an agent, except family."""
    return tuple(
        friend for friend in seen.friends if friend.closeness < DISTANT and friend.kind != "family"
    )[:FRIENDS]
