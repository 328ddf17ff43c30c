"""Every action that an agent can attempt, each declared once.

A class here is the whole declaration of an action: its fields, the surfaces on which it can be
attempted, the events it leads to, and how a language model names it on a page. Its rule is in
engine/rules.py, its events in world/events.py; tests/test_action_tables.py says what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import ClassVar, cast, get_args

import msgspec

PAGE_SURFACES = {
    "recommender": "recommendations",
    "search": "search results",
    "saved": "what was saved for later",
}
"""Surfaces that show a page of items, and what each page is called."""
_PAGES = tuple(PAGE_SURFACES)


class Action(msgspec.Struct, frozen=True, gc=False, tag=True):
    """An attempt, in the imperative. `voice` says who worded a text; see events.Felt."""

    surfaces: ClassVar[tuple[str, ...]] = ()
    """Where it can be attempted."""
    events: ClassVar[tuple[str, ...]] = ()
    """What may come of it besides `Refused`."""
    stays: ClassVar[bool] = False
    """Whether a person who plays goes on with their turn after it."""
    page_field: ClassVar[str] = ""
    """The field in which a language model lists items of the page for it, if there is one."""


class Enter(Action, frozen=True):
    """Go to a surface: `recommender` or `social`."""

    surfaces: ClassVar = ("home", *_PAGES, "social")
    events: ClassVar = ("Entered",)

    surface: str


class Browse(Action, frozen=True):
    """Ask for the first page of recommendations."""

    surfaces: ClassVar = _PAGES
    events: ClassVar = ("SlateShown", "SlateAnnotated", "Failed")


class NextPage(Action, frozen=True):
    """Turn the page."""

    surfaces: ClassVar = _PAGES
    events: ClassVar = ("SlateShown", "SlateAnnotated", "Failed")


class Search(Action, frozen=True):
    """Look for items by words."""

    surfaces: ClassVar = _PAGES
    events: ClassVar = ("Searched", "SlateShown")

    query: str


class Pick(Action, frozen=True):
    """Pick an item of the page and watch `fraction` of it."""

    surfaces: ClassVar = _PAGES
    events: ClassVar = ("Picked", "Watched")
    stays: ClassVar = True

    item: int
    fraction: float = 1.0


class Rate(Action, frozen=True):
    """Give stars, a feeling in words, or both to an item watched in this visit.

    0 stars: only the feeling is told.
    """

    surfaces: ClassVar = _PAGES
    events: ClassVar = ("Rated", "Felt", "Unfounded")
    stays: ClassVar = True

    item: int
    stars: int
    feeling: str = ""
    voice: str = ""


class Save(Action, frozen=True):
    """Keep an item of the page for later; a later visit begins with what was kept."""

    surfaces: ClassVar = ("recommender", "search")
    events: ClassVar = ("Saved",)
    stays: ClassVar = True
    page_field: ClassVar = "save"

    item: int


class Post(Action, frozen=True):
    """Write to all followers; `items` are those the text is about, `stance` is -1 to 1."""

    surfaces: ClassVar = ("social", "news")
    events: ClassVar = ("Posted", "Unfounded")
    stays: ClassVar = True

    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    voice: str = ""
    topic: int = -1
    """The topic it is about; -1 for none."""


class Forward(Action, frozen=True):
    """Forward a message from the inbox."""

    surfaces: ClassVar = ("social", "news")
    events: ClassVar = ("Forwarded",)
    stays: ClassVar = True

    post: str


class Say(Action, frozen=True):
    """In a visit: ask to talk to someone. In a conversation: say a line."""

    surfaces: ClassVar = ("social", "conversation")
    events: ClassVar = ("Wished", "Said", "Unfounded")

    to: int
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    voice: str = ""


class Follow(Action, frozen=True):
    """Listen to somebody from now on."""

    surfaces: ClassVar = ("social",)
    events: ClassVar = ("Followed",)
    stays: ClassVar = True

    who: int


class Unfollow(Action, frozen=True):
    """Listen to somebody no more."""

    surfaces: ClassVar = ("social",)
    events: ClassVar = ("Unfollowed",)
    stays: ClassVar = True

    who: int


class Shift(Action, frozen=True):
    """Change one's own taste, inwardly."""

    surfaces: ClassVar = ("home", *_PAGES, "social")
    events: ClassVar = ("TasteShifted",)

    tag: int
    by: float


class Feel(Action, frozen=True):
    """Change how one feels about a topic: 0 calm, 1 moderate, 2 intense."""

    surfaces: ClassVar = ("news",)
    events: ClassVar = ("MoodShifted",)

    topic: int
    level: int


class Hold(Action, frozen=True):
    """Take a position on a topic: -1 against, 1 for."""

    surfaces: ClassVar = ("news",)
    events: ClassVar = ("AttitudeShifted",)

    topic: int
    stance: int


class Leave(Action, frozen=True):
    """End the visit or the conversation, with its satisfaction, 0 to 1, where known."""

    surfaces: ClassVar = ("home", *_PAGES, "social", "news", "conversation")
    events: ClassVar = ("Left",)

    satisfaction: float | None = None
    why: str = ""


class Nothing(Action, frozen=True):
    """Wake up and do nothing."""

    surfaces: ClassVar = ("home", "news")
    events: ClassVar = ("Left",)


AnyAction = (
    Enter
    | Browse
    | NextPage
    | Search
    | Pick
    | Rate
    | Save
    | Post
    | Forward
    | Say
    | Follow
    | Unfollow
    | Shift
    | Feel
    | Hold
    | Leave
    | Nothing
)

ACTIONS: tuple[type[Action], ...] = get_args(AnyAction)
"""Every action there is."""
PAGE_TURNS = frozenset({Browse, NextPage, Search})
"""Actions that ask the platform for a page; all others are resolved by a rule."""


def menu_of(surface: str, *, without: Collection[type[Action]] = ()) -> tuple[str, ...]:
    """Return the names of the actions that can be attempted on a surface."""
    return tuple(
        action.__name__
        for action in ACTIONS
        if surface in action.surfaces and action not in without
    )


def page_fields() -> dict[str, Callable[[int], AnyAction]]:
    """Return the actions for which a language model lists items of a page, by field."""
    declared = [action for action in ACTIONS if action.page_field]
    return {action.page_field: cast(Callable[[int], AnyAction], action) for action in declared}
