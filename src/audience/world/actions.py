"""What an agent attempts. The world decides what comes of it (engine/rules.py)."""

from __future__ import annotations

import msgspec


class Action(msgspec.Struct, frozen=True, gc=False, tag=True):
    """An attempt, in the imperative. `voice` says whose words a text is; see events.Felt."""


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
    """Take an item of the page and live `fraction` of it."""

    item: int
    fraction: float = 1.0


class Rate(Action, frozen=True):
    """Give 1 to 5 stars to an item lived in this visit, and a feeling in words if there is one."""

    item: int
    stars: int
    feeling: str = ""
    voice: str = ""


class Post(Action, frozen=True):
    """Tell everybody who listens; `items` are those the text speaks of, `stance` -1 to 1."""

    text: str
    items: tuple[int, ...] = ()
    stance: float = 0.0
    voice: str = ""
    topic: int = -1
    """The topic it speaks of, where it speaks of one."""


class Forward(Action, frozen=True):
    """Pass on a message from the inbox."""

    post: str


class Say(Action, frozen=True):
    """In a visit: wish to talk with somebody. In a conversation: say a line."""

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
    """An inward change of taste that a mind brings about itself."""

    tag: int
    by: float


class Feel(Action, frozen=True):
    """An inward change of how one feels about a topic: 0 calm, 1 moderate, 2 intense."""

    topic: int
    level: int


class Hold(Action, frozen=True):
    """Come to a view of a topic: -1 against, 1 for."""

    topic: int
    stance: int


class Leave(Action, frozen=True):
    """End the visit or the conversation, with how satisfying it was, 0 to 1, if one can tell."""

    satisfaction: float | None = None
    why: str = ""


class Nothing(Action, frozen=True):
    """Wake and go on with one's day."""


AnyAction = (
    Enter
    | Browse
    | NextPage
    | Search
    | Pick
    | Rate
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
