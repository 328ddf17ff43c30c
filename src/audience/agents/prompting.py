"""Prompts are files with named holes; here the holes are filled from an observation.

Parts that stay the same come first, so that prefix caches hit. Each part has a budget in tokens
(four characters to a token) and drops its oldest lines when it is full.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from string import Template

from audience.agents.replies import ways
from audience.errors import BadInput
from audience.world.agent import Agent, Lived, Thought
from audience.world.clock import moment_of_day, shown
from audience.world.items import Item
from audience.world.observe import Friend, Observation
from audience.world.people import HABITS

CHARACTERS = 4
"""To a token, roughly; only used to keep parts in their budgets."""
HISTORY, HEARD, INBOX, MEMORY, FRIENDS = 220, 90, 220, 600, 160
"""Token budgets of the parts."""
NAME, TITLE, THOUGHT = 80, 120, 500
"""Characters of a name, a title and a thought; what is longer is cut."""
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


class Pack:
    """A set of prompt files: the packaged ones, laid over by those of a folder."""

    def __init__(self, folder: str = "", model: str = "") -> None:
        self.folder = Path(folder) if folder else None
        self.model = model
        if self.folder and not self.folder.is_dir():
            raise BadInput(f"prompts: {folder} is not a folder with prompt files such as page.md")

    def text(self, name: str, *, pack: str = "default") -> str:
        """Return a prompt file: the user's for this model, the user's, ours for it, ours."""
        for place in self._places(pack):
            path = place / f"{name}.md"
            if path.is_file():
                return path.read_text("utf-8")
        return _packaged(pack, name)

    def _places(self, pack: str) -> Iterable[Path]:
        if self.folder:
            for part in _prefixes(self.model):
                yield self.folder / part
            yield self.folder / pack
            yield self.folder

    def examples(self, name: str) -> str:
        """Return the few-shot examples of a behaviour, if the user gives any."""
        for place in self._places("default"):
            path = place / f"{name}.examples.md"
            if path.is_file():
                return path.read_text("utf-8").strip()
        return ""

    def fill(self, name: str, holes: dict[str, str], *, pack: str = "default") -> str:
        """Return a prompt with its holes filled; empty lines that parts left are dropped."""
        try:
            filled = Template(self.text(name, pack=pack)).substitute(holes)
        except (KeyError, ValueError) as error:
            raise BadInput(
                f"prompt {name}.md: hole {error} is unknown; known: {', '.join(holes)}"
            ) from None
        lines = [line.rstrip() for line in filled.splitlines()]
        return "\n".join(line for line in lines if line).strip()


def _prefixes(model: str) -> list[str]:
    """Return the folder names that may hold prompts for a model, the most special first."""
    name = model.rsplit("/", 1)[-1].lower()
    parts = name.split("-")
    return ["-".join(parts[:count]) for count in range(len(parts), 0, -1)] if name else []


@lru_cache(maxsize=64)
def _packaged(pack: str, name: str) -> str:
    return (files("audience.agents") / "prompts" / pack / f"{name}.md").read_text("utf-8")


CONTEXTS = ("weekday", "mood", "company")
_COMPANY = ("alone", "alone", "with family around", "with a friend")


def context(seen: Observation, kinds: Sequence[str], draw: float) -> str:
    """Return the moment in words: when it is, and if wanted how one feels and who is around."""
    now = seen.me.situation.at
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
) -> dict[str, str]:
    """Return everything a prompt of this behaviour may ask for."""
    me, now = seen.me, seen.me.situation
    words = seen.domain
    return {
        "noun": words.noun,
        "plural": words.plural,
        "past": words.past,
        "name": plain(me.profile.name, NAME) or "this person",
        "person": person(me, behaviour, seen.domain.plural),
        "memory": bounded(
            "What comes to mind:", [plain(one.text, THOUGHT) for one in recalled], MEMORY
        ),
        "history": history(seen),
        "heard": heard(seen),
        "inbox": inbox(me),
        "now": context(seen, contexts, draw),
        "surface": "search results" if now.surface == "search" else "recommendations",
        "page_number": str(max(now.page, 0) + 1),
        "visit": _visit(me),
        "page": _page(seen),
        "ways": ", ".join(way.replace("_", " ") for way in ways(seen)),
        "next": " | ".join(f'"{way}"' for way in ways(seen)),
        "friends": bounded("", [_friend(one) for one in seen.friends], FRIENDS),
    }


def person(me: Agent, behaviour: str, plural: str) -> str:
    """Return who somebody is, as far as it matters for a behaviour."""
    who = me.profile
    parts = [plain(who.name, NAME) or "A person"]
    if who.age is not None:
        parts.append(f"{who.age}")
    parts += [plain(part, NAME) for part in (who.gender, who.career) if part]
    lines = [", ".join(parts) + "."]
    if who.traits:
        lines.append(f"Traits: {_listed(who.traits)}.")
    if who.interests:
        lines.append(f"Likes {plural} of these kinds: {_listed(who.interests)}.")
    habits = [
        _HABIT_WORDS[name] for name in _BEHAVIOURS[behaviour] if getattr(who.habits, name) >= 0.5
    ]
    if habits:
        lines.append(f"Habits: {'; '.join(habits)}.")
    return " ".join(lines)


def _listed(words: Iterable[str]) -> str:
    return plain(", ".join(plain(word, NAME) for word in words), 4 * NAME)


def history(seen: Observation) -> str:
    """Return what somebody lived, newest last, as raw facts."""
    lines = [_lived(one, seen.catalogue[one.item].title) for one in seen.me.history]
    return bounded(f"{seen.domain.past.capitalize()} before, newest last:", lines, HISTORY)


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


def inbox(me: Agent) -> str:
    """Return the newest posts, quoted as what others wrote."""
    lines = [f"post {one.post}: {quoted(one.text)}" for one in me.inbox]
    return bounded("New posts to read:", lines, INBOX)


def plain(text: str, longest: int) -> str:
    """Return words on one line, cut when long: what others named cannot shape a prompt."""
    # A text of many kilobytes is cut before its words are counted.
    flat = " ".join(text[: 8 * longest].split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def quoted(text: str, longest: int = 240) -> str:
    """Return others' words on one line in quotation marks, cut when long."""
    return '"' + plain(text, longest).replace('"', "'") + '"'


def _page(seen: Observation) -> str:
    """Return the items before somebody's eyes, one a line."""
    lived = {one.item for one in seen.me.lived_now()}
    lines = [
        item_line(seen.catalogue[item]) + (" (picked already)" if item in lived else "")
        for item in seen.me.situation.slate
    ]
    return "\n".join(lines) or "(nothing)"


def _friend(friend: Friend) -> str:
    return f"[{friend.id}] {plain(friend.name, NAME)}, {plain(friend.kind, NAME)}"


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


def bounded(title: str, lines: Sequence[str], tokens: int) -> str:
    """Return the newest lines that fit a budget under their title; nothing when there are none."""
    kept: list[str] = []
    room = tokens * CHARACTERS - len(title)
    for line in reversed(lines):
        room -= len(line) + 3
        if room < 0:
            break
        kept.append(line)
    if not kept:
        return ""
    return "\n".join([title] * bool(title) + [f"- {line}" for line in reversed(kept)])
