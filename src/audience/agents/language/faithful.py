"""Faithful prompting: the paper's sequence of a profile summary, then one behaviour per call.

It costs several times as many calls as fused prompting, and serves to compare cost and behaviour.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from audience.agents.language.prompts import NAME, TITLE, because, holes_of, item_line, known
from audience.agents.language.reply_actions import items_in
from audience.agents.language.reply_schema import EMOTION, has_habit, text_in
from audience.agents.mind import Decision
from audience.agents.rule import stance_on
from audience.llm import ChatMessage, Unreadable, as_ai, plain, quoted
from audience.world import Dice, Observation, Thought, actions as a

if TYPE_CHECKING:
    from audience.agents.language.mind import LLMMind

TAGGED = re.compile(r"\[([A-Z]+)\](?:\s*::[^\S\n]*(.*))?")
"""A tag, with what follows it or bare."""
_UNBRACKETED = re.compile(r"\W*([A-Z]+)\W*(?:::?[^\S\n]*(.*))?\s*")
_LONE = 400
"""Characters of an answer that may be a tag without brackets."""
_VOICE = "model"
_STARS = re.compile(r"[^\d]*([1-5])(?:\s*(?:/|out of|of)\s*5)?(?:\s*stars?)?\W*", re.IGNORECASE)


class FaithfulMind:
    """Asks as RecAgent does: summary, reaction, action, feeling, dialogue line, post."""

    def __init__(self, mind: LLMMind) -> None:
        self.mind = mind

    async def decide(
        self, seen: Observation, recalled: Sequence[Thought], dice: Dice, *, pause: bool = False
    ) -> Decision:
        asking = _Asking(self.mind, seen, recalled, dice)
        emotion = await asking.pause() if pause else ""
        parts = {
            "home": _at_home,
            **dict.fromkeys(a.PAGE_SURFACES, _on_page),
            "social": _among_friends,
            "conversation": _in_talk,
        }
        found = await parts[seen.surface](asking)
        calls = tuple(asking.calls)
        if isinstance(found, Unreadable):
            failure = f"{asking.purpose}: {found.why}"
            return Decision((), "", calls, failure=failure, emotion=emotion)
        return Decision(found, "", calls, emotion=emotion, unread=tuple(asking.unread))


class _Asking:
    """The calls of one decision, each preceded by its own summary."""

    def __init__(
        self, mind: LLMMind, seen: Observation, recalled: Sequence[Thought], dice: Dice
    ) -> None:
        self.mind, self.seen, self.dice = mind, seen, dice
        self.pack = mind.pack
        self.calls: list[str] = []
        self.purpose = ""
        """The purpose of the last call."""
        self.unread: list[str] = []
        """Answers that could not be read, though the decision stands without them."""
        behaviour = {"home": "home", "social": "social", "conversation": "talk"}
        self.holes = holes_of(seen, recalled, behaviour.get(seen.surface, "page"))
        age = seen.me.profile.age
        self.holes |= {
            "memory": self.holes["memory"].replace("You remember:", "What comes to mind:"),
            "age": f" (age: {age})" if age is not None else "",
            "profile": self.holes["person"],
            "emotion": "",
            "other": plain(seen.friends[0].name, NAME) if seen.friends else "",
            "lines": "\n".join(quoted(said.text) for said in seen.lines),
            "friends": ", ".join(plain(friend.name, NAME) for friend in seen.friends),
        }

    async def pause(self) -> str:
        """Return the emotion about the visit, if any, and add it to the action's prompt."""
        text = self.pack.fill("emotion", self.holes, pack="faithful")
        said = await self._call("emotion", text, "emotion")
        line = "" if isinstance(said, Unreadable) else plain(said, EMOTION)
        if not line or as_ai(line):
            return ""
        self.holes["emotion"] = f"{self.holes['name']} paused for a moment and thought: {line}"
        return line

    async def ask(self, purpose: str, observation: str) -> str | Unreadable:
        """Return the answer to the prompt of one behaviour, after summarising the profile."""
        holes = self.holes | {"observation": observation}
        summary = await self._call(
            "summary", self.pack.fill("summary", holes, pack="faithful"), purpose
        )
        if isinstance(summary, Unreadable):
            return summary
        holes |= {
            "summary": summary,
            "instruction": self.pack.fill(purpose, holes, pack="faithful"),
        }
        return await self._call(
            purpose, self.pack.fill("reaction", holes, pack="faithful"), purpose
        )

    async def _call(self, purpose: str, text: str, for_: str) -> str | Unreadable:
        self.purpose = purpose if purpose == for_ else f"{purpose}.{for_}"
        messages = (ChatMessage("user", text),)
        answer = await self.mind.questions.ask_once(
            self.purpose, messages, int(self.dice.keys[0]), text_in, nth=len(self.calls)
        )
        self.calls += answer.calls
        return answer.value


Found = tuple[a.AnyAction, ...] | Unreadable


def tagged(answer: str | Unreadable, allowed: Sequence[str]) -> tuple[str, str] | Unreadable:
    """Return the one tag of an answer and what follows it; a lone tag may lack its brackets."""
    if isinstance(answer, Unreadable):
        return answer
    found = {(tag, rest.strip()) for tag, rest in TAGGED.findall(answer)}
    lone = answer if len(answer) <= _LONE else ""
    if not found and (bare := _UNBRACKETED.fullmatch(lone)) and bare[1] in allowed:
        found = {(bare[1], (bare[2] or "").strip())}
    if len({tag for tag, _ in found}) != 1:
        return Unreadable(f"{len(found)} answers in {answer[:80]!r}; one of {', '.join(allowed)}")
    tag, rest = min(found)
    return (
        (tag, rest) if tag in allowed else Unreadable(f"[{tag}] is not one of {', '.join(allowed)}")
    )


async def _at_home(asking: _Asking) -> Found:
    name = asking.holes["name"]
    answer = await asking.ask("take_action", f"{name} has a free moment.")
    found = tagged(answer, ("RECOMMENDER", "SOCIAL", "NOTHING"))
    if isinstance(found, Unreadable):
        return found
    ways: dict[str, tuple[a.AnyAction, ...]] = {
        "RECOMMENDER": (a.Enter("recommender"), a.Browse()),
        "SOCIAL": (a.Enter("social"),),
        "NOTHING": (a.Nothing(),),
    }
    return ways[found[0]]


async def _on_page(asking: _Asking) -> Found:
    seen, name = asking.seen, asking.holes["name"]
    told = asking.mind.told(seen)
    page = "; ".join(
        item_line(seen.catalogue[item]) + because(seen, place) + known(told, place)
        for place, item in enumerate(seen.me.situation.slate)
    )
    shown = f"{name} sees these recommendations"
    if seen.surface == "search":
        shown = f"{name} searched for {quoted(seen.me.situation.searched)} and found"
    answer = await asking.ask("recommender_action", f"{shown}: {page or 'nothing'}")
    found = tagged(answer, ("PICK", "NEXT", "SEARCH", "LEAVE"))
    if isinstance(found, Unreadable):
        return found
    tag, rest = found
    if tag == "PICK":
        return await _picked(asking, rest)
    if tag == "SEARCH":
        query = rest.strip("<>. ")
        return (a.Search(query),) if query else Unreadable("a search without words")
    return (a.NextPage(),) if tag == "NEXT" else (a.Leave(),)


async def _picked(asking: _Asking, rest: str) -> Found:
    seen = asking.seen
    title = rest.split("||", 1)[0].strip().strip("<>").strip().lower()
    titles = {item: plain(seen.catalogue[item].title, TITLE) for item in seen.me.situation.slate}
    same = [item for item, shown in titles.items() if shown.lower() == title]
    if len(same) != 1:
        return Unreadable(f"{rest[:80]!r} is not the title of one item on the page")
    item = seen.catalogue[same[0]]
    asking.holes["emotion"] = ""
    about = f"{asking.holes['name']} has just {seen.domain.past} {item_line(item)}"
    pick = a.Pick(item.id)
    more: a.AnyAction = a.NextPage() if "NextPage" in seen.menu else a.Leave()
    feeling, stars = await _felt(asking, about), await _stars(asking, about)
    if not feeling and not stars:
        return pick, more
    return pick, a.Rate(item.id, stars, feeling, _VOICE if feeling else ""), more


async def _felt(asking: _Asking, about: str) -> str:
    """Return the feeling after something was watched; empty if there is none to read."""
    answer = await asking.ask("feeling", about)
    if isinstance(answer, Unreadable) or as_ai(answer):
        why = answer.why if isinstance(answer, Unreadable) else "refused"
        asking.unread.append(f"feeling: {why}")
        return ""
    return answer.splitlines()[0].strip()[:300]


async def _stars(asking: _Asking, about: str) -> int:
    """Return the stars given by those who have the habit of rating; 0 for none."""
    if not has_habit(asking.seen, "watcher"):
        return 0
    answer = await asking.ask("stars", about)
    rated = None if isinstance(answer, Unreadable) else _STARS.match(answer)
    if rated is None:
        why = answer.why if isinstance(answer, Unreadable) else f"no stars in {answer[:60]!r}"
        asking.unread.append(f"stars: {why}")
        return 0
    return int(rated[1])


async def _among_friends(asking: _Asking) -> Found:
    seen, name = asking.seen, asking.holes["name"]
    answer = await asking.ask("social_action", f"{name} enters the social media.")
    found = tagged(answer, ("CHAT", "POST"))
    if isinstance(found, Unreadable):
        return found
    if found[0] == "POST":
        words = await asking.ask("post", f"{name} wants to post for all friends.")
        return words if isinstance(words, Unreadable) else (_post(seen, words), a.Leave())
    wanted = found[1].strip(" .").lower()
    same = [friend for friend in seen.friends if plain(friend.name, NAME).lower() == wanted]
    if len(same) != 1:
        return Unreadable(f"{found[1][:60]!r} is not the name of one friend")
    other = asking.holes["other"] = plain(same[0].name, NAME)
    words = await asking.ask("opening", f"{name} is going to chat with {other}.")
    if isinstance(words, Unreadable):
        return words
    line = words.splitlines()[0]
    items = items_in(seen, line)
    return a.Say(same[0].id, line, items, _stance(seen, items), _VOICE), a.Leave()


def _post(seen: Observation, words: str) -> a.Post:
    line = words.splitlines()[0]
    items = items_in(seen, line)
    return a.Post(line, items, _stance(seen, items), _VOICE)


def _stance(seen: Observation, items: Sequence[int]) -> float:
    for lived in reversed(seen.me.history):
        if lived.item in items:
            return stance_on(lived)
    return 0.0


async def _in_talk(asking: _Asking) -> Found:
    seen, name = asking.seen, asking.holes["name"]
    other = seen.friends[0]
    words = await asking.ask("line", f"{name} is chatting with {asking.holes['other']}.")
    if isinstance(words, Unreadable):
        return words
    line = words.splitlines()[0].strip()
    if line.startswith("[END]"):
        return (a.Leave(),)
    items = items_in(seen, line)
    return (a.Say(other.id, line, items, _stance(seen, items), _VOICE),)
