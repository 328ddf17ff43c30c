"""Prompts are files with named holes; here the holes are filled from an observation.

Parts that stay the same come first, so that prefix caches hit. Each part has a budget in tokens
(four characters to a token) and drops its oldest lines when it is full.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from audience.agents.language.reply_schema import distant, ways
from audience.llm import CHARACTERS, Prompts, bounded, plain, quoted
from audience.world import (
    HABITS,
    Agent,
    Friend,
    Item,
    Lived,
    Observation,
    Thought,
    actions as a,
    moment_of_day,
    shown,
)

__all__ = [
    "CHARACTERS",
    "CONTEXTS",
    "FRIENDS",
    "HEARD",
    "HISTORY",
    "INBOX",
    "MEMORY",
    "NAME",
    "PROMPTS",
    "THOUGHT",
    "TITLE",
    "because",
    "bounded",
    "context",
    "heard",
    "history",
    "holes_of",
    "inbox",
    "item_line",
    "known",
    "mind_prompts",
    "person",
    "plain",
    "quoted",
]

HISTORY, HEARD, INBOX, MEMORY, FRIENDS = 220, 45, 160, 600, 90
"""Token budgets of the parts."""
INBOX_AT_HOME = 30
"""Enough to see whether there is something to read; the social page shows the rest."""
HISTORY_RAW = 400
"""The same for the history where it alone says what somebody likes."""
HISTORY_BESIDE = {"home": 0, "page": 40, "social": 40, "talk": 30}
"""Token budgets of the history where memory tells of it too, by behaviour."""
NAME, TITLE, THOUGHT, REASON = 80, 120, 500, 120
"""Characters of a name, a title, a thought and a reason; what is longer is cut."""
_HABIT_WORDS = {
    "watcher": "rates and comments on what it sees",
    "explorer": "looks for things it heard of",
    "critic": "has high standards",
    "chatter": "likes private talks and trusts friends",
    "poster": "likes to post in public",
}
_BEHAVIOURS = {
    "home": HABITS,
    "page": ("watcher", "explorer", "critic"),
    "social": ("chatter", "poster"),
    "talk": ("chatter", "critic"),
    "interview": HABITS,
}


PROMPTS = Path(__file__).parent / "prompts"
"""Where the prompt files of minds lie."""


def mind_prompts(folder: str = "", model: str = "") -> Prompts:
    """Return the prompt files of minds, laid over by those of a folder."""
    return Prompts(PROMPTS, folder=folder, model=model)


CONTEXTS = ("weekday", "mood", "company")
_COMPANY = ("alone", "alone", "with family around", "with a friend")


def context(seen: Observation, kinds: Sequence[str], draw: float) -> str:
    """Return the moment in words: when it is, and if wanted how one feels and who is around."""
    now = seen.now
    parts = [f"{moment_of_day(now)} ({shown(now)})" if "weekday" in kinds else shown(now)]
    if "mood" in kinds:
        mood = seen.me.satisfaction
        words = (
            "in a good mood"
            if mood > 0.6
            else "in a bad mood"
            if mood < 0.4
            else "in no special mood"
        )
        parts.append(words)
    if "company" in kinds:
        parts.append(_COMPANY[int(draw * len(_COMPANY))])
    return ", ".join(parts)


def holes_of(
    seen: Observation,
    recalled: Sequence[Thought],
    behaviour: str,
    *,
    contexts: Sequence[str] = ("weekday",),
    draw: float = 0.0,
    told: Sequence[str] | None = None,
) -> dict[str, str]:
    """Return everything a prompt of this behaviour may ask for.

    `told` is what is known of each item of the page: with it the raw history says who somebody is.
    """
    me, now = seen.me, seen.me.situation
    words = seen.domain
    return {
        "noun": words.noun,
        "plural": words.plural,
        "past": words.past,
        "name": plain(me.profile.name, NAME) or "this person",
        "person": person(me, behaviour, seen.domain.plural, raw=told is not None),
        "memory": bounded(
            "What comes to mind:", _once(plain(one.text, THOUGHT) for one in recalled), MEMORY
        ),
        "history": history(seen, _room(behaviour, bool(recalled), told)),
        "heard": heard(seen),
        "inbox": inbox(me, INBOX_AT_HOME if behaviour == "home" else INBOX),
        "now": context(seen, contexts, draw),
        "surface": a.PAGE_SURFACES.get(now.surface, "recommendations"),
        "page_number": str(max(now.page, 0) + 1),
        "visit": _visit(me),
        "page": _page(seen, told),
        "ways": ", ".join(way.replace("_", " ") for way in ways(seen)),
        "next": " | ".join(f'"{way}"' for way in ways(seen)),
        "also": "",
        "pause": "",
        "friends": _friends(seen.friends),
        **_turning(seen),
    }


def _room(behaviour: str, remembers: bool, told: Sequence[str] | None) -> int:
    """Return the token budget of the history."""
    if told is not None:
        return HISTORY_RAW
    return HISTORY_BESIDE.get(behaviour, HISTORY) if remembers else HISTORY


def _turning(seen: Observation) -> dict[str, str]:
    """Return whom one may begin or cease to follow, and how to answer; mostly there is nobody."""
    lines, answer = [], ""
    for key, words, people in (
        ("follow", "May follow", seen.strangers),
        ("unfollow", "May stop following", distant(seen)),
    ):
        if people:
            listed = ", ".join(f"[{one.id}] {plain(one.name, NAME)}" for one in people[:5])
            lines.append(f"{words} {listed}.")
            answer += f', "{key}": number or -1'
    return {"turning": " ".join(lines), "turning_answer": answer}


def person(me: Agent, behaviour: str, plural: str, *, raw: bool = False) -> str:
    """Return who somebody is, as far as it matters for a behaviour; `raw`: without its taste."""
    who = me.profile
    parts = [plain(who.name, NAME) or "A person"]
    if who.age is not None:
        parts.append(f"{who.age}")
    parts += [plain(part, NAME) for part in (who.gender, who.career) if part]
    if raw:
        return ", ".join(parts) + "."
    traits = f": {_listed(who.traits)}" if who.traits else ""
    lines = [f"{', '.join(parts)}{traits}."]
    if who.interests:
        lines.append(f"Likes {plural}: {_listed(who.interests)}.")
    habits = [
        _HABIT_WORDS[name] for name in _BEHAVIOURS[behaviour] if getattr(who.habits, name) >= 0.5
    ]
    if habits:
        lines.append(f"Habits: {'; '.join(habits)}.")
    return " ".join(lines)


def _listed(words: Iterable[str]) -> str:
    return plain(", ".join(plain(word, NAME) for word in words), 4 * NAME)


def history(seen: Observation, budget: int = HISTORY) -> str:
    """Return what somebody lived, newest last, as raw facts."""
    lines = [_lived(one, seen.catalogue[one.item].title) for one in seen.me.history]
    return bounded(f"{seen.domain.past.capitalize()} before, newest last:", lines, budget)


def _lived(one: Lived, title: str) -> str:
    stars = f", {one.stars} stars" if one.stars else ""
    dropped = "" if one.fraction > 0.9 else f", left at {one.fraction:.0%}"
    return f"<{plain(title, TITLE)}>{stars}{dropped}"


def heard(seen: Observation) -> str:
    """Return what somebody heard of from others and has not lived yet."""
    lived = {one.item for one in seen.me.history}
    news = {one.item: one for one in seen.me.heard if one.item not in lived}
    lines = [
        f"<{plain(seen.catalogue[item].title, TITLE)}> ({_side(one.stance)})"
        for item, one in news.items()
    ]
    return bounded("Heard of from others:", lines, HEARD)


def _side(stance: float) -> str:
    return "good" if stance > 0.2 else "bad" if stance < -0.2 else "mixed"


def inbox(me: Agent, budget: int = INBOX) -> str:
    """Return the newest posts, quoted as what others wrote."""
    lines = [f"{one.post}: {quoted(one.text)}" for one in me.inbox]
    return bounded("New posts:", lines, budget)


def _page(seen: Observation, told: Sequence[str] | None) -> str:
    """Return the items before somebody's eyes, one a line."""
    lived = {one.item for one in seen.me.lived_now()}
    lines = [
        item_line(seen.catalogue[item])
        + because(seen, place)
        + known(told, place)
        + (" (picked already)" if item in lived else "")
        for place, item in enumerate(seen.me.situation.slate)
    ]
    return "\n".join(lines) or "(nothing)"


def because(seen: Observation, place: int) -> str:
    """Return why an item of the page is shown, quoted, where the recommender says so."""
    reasons = seen.me.situation.reasons
    if place >= len(reasons) or not reasons[place]:
        return ""
    return f" (why: {quoted(reasons[place], REASON)})"


def known(told: Sequence[str] | None, place: int) -> str:
    """Return what is known of an item of the page, where something stands out."""
    return f" ({told[place]})" if told and told[place] else ""


def _friends(friends: Sequence[Friend]) -> str:
    """Return those one may talk to by the kind of their tie; the least close are left out."""
    listed: dict[str, list[str]] = {}
    room = FRIENDS * CHARACTERS
    for one in sorted(friends, key=lambda one: -one.closeness):
        name, kind = f"[{one.id}] {plain(one.name, NAME)}", plain(one.kind, NAME) or "others"
        room -= len(name) + 2 + (0 if kind in listed else len(kind) + 4)
        if room < 0:
            break
        listed.setdefault(kind, []).append(name)
    return "\n".join(f"- {kind}: {', '.join(names)}" for kind, names in listed.items())


def _once(lines: Iterable[str]) -> list[str]:
    """Return lines without those that say word for word what a later one says."""
    kept = dict.fromkeys(reversed(list(lines)))
    return list(reversed(kept))


def item_line(item: Item) -> str:
    """Return an item as a page shows it."""
    facts = [str(item.year)] if item.year else []
    facts += [_listed(item.tags)] if item.tags else []
    facts += [f"{item.minutes:.0f} min"] if item.minutes else []
    about = plain(item.about, 160)
    return (
        f"[{item.id}] <{plain(item.title, TITLE)}>"
        + (f" ({'; '.join(facts)})" if facts else "")
        + (f" {about}" if about else "")
    )


def _visit(me: Agent) -> str:
    lived = len(me.lived_now())
    return f", {lived} picked in this visit so far" if lived else ""
