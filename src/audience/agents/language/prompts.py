"""Prompts of minds: files with named holes, filled here from an observation.

Parts that stay the same come first, so that prefix caches hit. Each part has a budget in tokens
(four characters each) and drops its oldest lines when it is full.
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

HISTORY, HEARD, INBOX, MEMORY, FRIENDS = 220, 45, 160, 600, 90
"""Token budgets of the parts."""
INBOX_AT_HOME = 30
"""Enough to see whether there is something to read; the social surface shows the rest."""
HISTORY_RAW = 400
"""The token budget of the history where it alone shows what an agent likes."""
HISTORY_BESIDE = {"home": 0, "page": 40, "social": 40, "talk": 30}
"""Token budgets of the history beside recalled thoughts, by behaviour."""
NAME, TITLE, THOUGHT, REASON = 80, 120, 500, 120
"""The most characters of a name, a title, a thought and a reason."""
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
"""The folder of the prompt files of minds."""


def mind_prompts(folder: str = "", model: str = "") -> Prompts:
    """Return the prompt files of minds, overridden by those of a folder."""
    return Prompts(PROMPTS, folder=folder, model=model)


CONTEXTS = ("weekday", "mood", "company")
_COMPANY = ("alone", "alone", "with family around", "with a friend")


def context(seen: Observation, kinds: Sequence[str], draw: float) -> str:
    """Return the moment in words: the time and, if requested, mood and company."""
    now = seen.now
    parts = [f"{moment_of_day(now)} ({shown(now)})" if "weekday" in kinds else shown(now)]
    if "mood" in kinds:
        mood = seen.me.satisfaction
        kind = "a good" if mood > 0.6 else "a bad" if mood < 0.4 else "no special"
        parts.append(f"in {kind} mood")
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
    """Return the values of all holes of a prompt of this behaviour.

    `told` is the evidence on each item of the page; with it the raw history replaces the profile.
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
            "What comes to mind:",
            _once(plain(thought.text, THOUGHT) for thought in recalled),
            MEMORY,
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
    """Return whom the agent may follow or unfollow, and how to answer; mostly nobody."""
    lines, answer = [], ""
    for key, words, people in (
        ("follow", "May follow", seen.strangers),
        ("unfollow", "May stop following", distant(seen)),
    ):
        if people:
            listed = ", ".join(f"[{friend.id}] {plain(friend.name, NAME)}" for friend in people[:5])
            lines.append(f"{words} {listed}.")
            answer += f', "{key}": number or -1'
    return {"turning": " ".join(lines), "turning_answer": answer}


def person(me: Agent, behaviour: str, plural: str, *, raw: bool = False) -> str:
    """Return a description of an agent for a behaviour; `raw`: without its tastes."""
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
    """Return what an agent watched, newest last, as raw facts."""
    lines = [_lived(entry, seen.catalogue[entry.item].title) for entry in seen.me.history]
    return bounded(f"{seen.domain.past.capitalize()} before, newest last:", lines, budget)


def _lived(lived: Lived, title: str) -> str:
    stars = f", {lived.stars} stars" if lived.stars else ""
    dropped = "" if lived.fraction > 0.9 else f", left at {lived.fraction:.0%}"
    return f"<{plain(title, TITLE)}>{stars}{dropped}"


def heard(seen: Observation) -> str:
    """Return what an agent heard of from others and has not watched yet."""
    lived = {entry.item for entry in seen.me.history}
    news = {mention.item: mention for mention in seen.me.heard if mention.item not in lived}
    lines = [
        f"<{plain(seen.catalogue[item].title, TITLE)}> ({_side(mention.stance)})"
        for item, mention in news.items()
    ]
    return bounded("Heard of from others:", lines, HEARD)


def _side(stance: float) -> str:
    return "good" if stance > 0.2 else "bad" if stance < -0.2 else "mixed"


def inbox(me: Agent, budget: int = INBOX) -> str:
    """Return the newest posts, quoted."""
    lines = [f"{message.post}: {quoted(message.text)}" for message in me.inbox]
    return bounded("New posts:", lines, budget)


def _page(seen: Observation, told: Sequence[str] | None) -> str:
    """Return the items of the page, one per line."""
    lived = {entry.item for entry in seen.me.lived_now()}
    lines = [
        item_line(seen.catalogue[item])
        + because(seen, place)
        + known(told, place)
        + (" (picked already)" if item in lived else "")
        for place, item in enumerate(seen.me.situation.slate)
    ]
    return "\n".join(lines) or "(nothing)"


def because(seen: Observation, place: int) -> str:
    """Return the recommender's reason for an item of the page, quoted, if there is one."""
    reasons = seen.me.situation.reasons
    if place >= len(reasons) or not reasons[place]:
        return ""
    return f" (why: {quoted(reasons[place], REASON)})"


def known(told: Sequence[str] | None, place: int) -> str:
    """Return the evidence on an item of the page, if there is any."""
    return f" ({told[place]})" if told and told[place] else ""


def _friends(friends: Sequence[Friend]) -> str:
    """Return those the agent may talk to by kind of tie; the least close are left out."""
    listed: dict[str, list[str]] = {}
    room = FRIENDS * CHARACTERS
    for friend in sorted(friends, key=lambda friend: -friend.closeness):
        name, kind = (
            f"[{friend.id}] {plain(friend.name, NAME)}",
            plain(friend.kind, NAME) or "others",
        )
        room -= len(name) + 2 + (0 if kind in listed else len(kind) + 4)
        if room < 0:
            break
        listed.setdefault(kind, []).append(name)
    return "\n".join(f"- {kind}: {', '.join(names)}" for kind, names in listed.items())


def _once(lines: Iterable[str]) -> list[str]:
    """Return lines without duplicates, keeping the last of each."""
    kept = dict.fromkeys(reversed(list(lines)))
    return list(reversed(kept))


def item_line(item: Item) -> str:
    """Return an item as a page shows it."""
    facts = [str(item.year)] if item.year else []
    facts += [_listed(item.tags)] if item.tags else []
    facts += [f"{item.minutes:.0f} min"] if item.minutes else []
    about = plain(item.about, 160)
    listed = f" ({'; '.join(facts)})" if facts else ""
    return f"[{item.id}] <{plain(item.title, TITLE)}>{listed}" + (f" {about}" if about else "")


def _visit(me: Agent) -> str:
    lived = len(me.lived_now())
    return f", {lived} picked in this visit so far" if lived else ""
