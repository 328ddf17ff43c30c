"""Every action that an agent can attempt; engine/rules.py decides what comes of it."""

from __future__ import annotations

import msgspec


class Action(msgspec.Struct, frozen=True, gc=False, tag=True):
    """An attempt, in the imperative. `voice` says who worded a text; see events.Felt."""


class Enter(Action, frozen=True):
    """Go to a surface: `recommender` or `social`."""

    surface: str


class Browse(Action, frozen=True):
    """Ask for the first page of recommendations."""


class NextPage(Action, frozen=True):
    """Turn the page."""


class Search(Action, frozen=True):
    query: str


class Pick(Action, frozen=True):
    """Pick an item of the page and watch `fraction` of it."""

    item: int
    fraction: float = 1.0


class Rate(Action, frozen=True):
    """Give 1 to 5 stars, and optionally a feeling in words, to an item watched in this visit."""

    item: int
    stars: int
    feeling: str = ""
    voice: str = ""


class Post(Action, frozen=True):
    """Write to all followers; `items` are those the text is about, `stance` is -1 to 1."""

    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    voice: str = ""
    topic: int = -1
    """The topic it is about; -1 for none."""


class Forward(Action, frozen=True):
    """Forward a message from the inbox."""

    post: str


class Say(Action, frozen=True):
    """In a visit: ask to talk to someone. In a conversation: say a line."""

    to: int
    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    voice: str = ""


class Follow(Action, frozen=True):
    who: int


class Unfollow(Action, frozen=True):
    who: int


class Shift(Action, frozen=True):
    """A change of taste that the mind makes itself."""

    tag: int
    by: float


class Feel(Action, frozen=True):
    """Change how the agent feels about a topic: 0 calm, 1 moderate, 2 intense."""

    topic: int
    level: int


class Hold(Action, frozen=True):
    """Take a position on a topic: -1 against, 1 for."""

    topic: int
    stance: int


class Leave(Action, frozen=True):
    """End the visit or the conversation, with its satisfaction, 0 to 1, where known."""

    satisfaction: float | None = None
    why: str = ""


class Nothing(Action, frozen=True):
    """Wake up and do nothing."""


AnyAction = (
    Enter | Browse | NextPage | Search | Pick | Rate | Post | Forward | Say | Follow | Unfollow
    | Shift | Feel | Hold | Leave | Nothing
)  # fmt: skip
