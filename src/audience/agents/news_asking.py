"""A model reads the news: one structured reply for all of it, or four questions as a reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from audience.agents.mind import Decision
from audience.agents.news_prompting import as_said, forwardable, news_holes, news_in
from audience.agents.news_reading import (
    ATTITUDES,
    Feeling,
    NewsReply,
    attempts,
    news_actions,
    news_form,
    news_schema,
    read_news,
)
from audience.agents.replies import text_in
from audience.llm.fields import as_ai
from audience.llm.kinds import Message, Reply
from audience.llm.loose import Unreadable
from audience.world.observe import Observation
from audience.world.rng import Dice
from audience.world.thoughts import Thought
from audience.world.topics import LEVELS

if TYPE_CHECKING:
    from audience.agents.llm import LLMMind

_TAGGED = re.compile(r"\[([A-Z]+)\]\s*::\s*(.*)")


async def read_fused(
    mind: LLMMind, seen: Observation, recalled: Sequence[Thought], dice: Dice
) -> Decision:
    """Return a decision from one call, and from a second one only where it was unreadable."""
    holes = news_holes(seen, recalled)
    holes |= {"actions": ", ".join(news_actions(seen)), "form": news_form(seen)}
    rules = Message("system", mind.pack.fill("news_rules", holes))
    messages = (rules, Message("user", mind.pack.fill("news", holes)))
    answer = await mind.questions.ask_for(
        "news",
        messages,
        int(dice.keys[0]),
        lambda reply: _understood(seen, reply),
        news_schema(seen),
    )
    if isinstance(answer.value, Unreadable):
        return Decision((), "", answer.calls, failure=f"news: {answer.value.why}")
    return Decision(attempts(seen, answer.value), answer.value.why[:300], answer.calls)


def _understood(seen: Observation, reply: Reply) -> NewsReply | Unreadable:
    text = text_in(reply)
    return text if isinstance(text, Unreadable) else read_news(seen, text)


async def read_faithfully(
    mind: LLMMind, seen: Observation, recalled: Sequence[Thought], dice: Dice
) -> Decision:
    """Return a decision from separate questions: emotion, attitude, action and, to write, words."""
    asking = _Asking(mind, seen, recalled, dice)
    found = await _answered(asking)
    calls = tuple(asking.calls)
    if isinstance(found, Unreadable):
        return Decision((), "", calls, failure=f"{asking.purpose}: {found.why}")
    return Decision(attempts(seen, found), "", calls)


class _Asking:
    """The calls of one decision."""

    def __init__(
        self, mind: LLMMind, seen: Observation, recalled: Sequence[Thought], dice: Dice
    ) -> None:
        self.mind, self.seen, self.dice = mind, seen, dice
        self.holes = news_holes(seen, recalled)
        self.calls: list[str] = []
        self.purpose = ""

    async def ask(self, purpose: str, **holes: str) -> str | Unreadable:
        self.purpose = f"news_{purpose}"
        pack = self.mind.pack
        text = pack.fill(self.purpose, self.holes | holes, pack="faithful")
        system = Message("system", pack.fill("news_rules", self.holes, pack="faithful"))
        messages = (system, Message("user", text))
        answer = await self.mind.questions.ask_once(
            self.purpose, messages, int(self.dice.keys[0]), text_in, nth=len(self.calls)
        )
        self.calls += answer.calls
        return answer.value


async def _answered(asking: _Asking) -> NewsReply | Unreadable:
    feelings: list[Feeling] = []
    for one in asking.seen.news:
        number = str(one.number)
        level = _tagged(await asking.ask("emotion", topic=number), LEVELS)
        if isinstance(level, Unreadable):
            return level
        said = f"{asking.holes['name']} feels {level[0]} about topic {number}"
        asking.holes["felt"] = f"{asking.holes['felt']}\n{said}.".strip()
        view = _tagged(await asking.ask("attitude", topic=number), ATTITUDES)
        if isinstance(view, Unreadable):
            return view
        asking.holes["felt"] = f"{asking.holes['felt'][:-1]} and is {view[0]} towards it."
        stance = 1 if view[0] == "positive" else -1
        feelings.append(Feeling(one.number, LEVELS.index(level[0]), stance))
    return await _acted(asking, tuple(feelings))


async def _acted(asking: _Asking, feelings: tuple[Feeling, ...]) -> NewsReply | Unreadable:
    seen = asking.seen
    offers = [f"[FORWARD]:: {one.post}" for one in forwardable(seen)]
    offers += [f"[POST]:: topic {one.number}" for one in seen.news] + ["[NOTHING]:: reason"]
    done = _tagged(await asking.ask("action", offers="\n".join(offers)), news_actions(seen))
    if isinstance(done, Unreadable):
        return done
    action, rest = done
    if action == "nothing":
        return NewsReply(feelings, action)
    if action == "forward":
        posts = [one.post for one in forwardable(seen)]
        target = rest.strip("[]<>()\"'` .")
        if target not in posts:
            return Unreadable(f"{rest[:60]!r} is not the id of a message; {', '.join(posts)}")
        return NewsReply(feelings, action, target)
    number = "".join(mark for mark in rest if mark.isdecimal())
    known = {str(one.number) for one in seen.news}
    if number not in known:
        if len(known) > 1:
            return Unreadable(f"{rest[:60]!r} is not the number of a topic")
        number = known.pop()
    text = await asking.ask("content", topic=number)
    if isinstance(text, Unreadable):
        return text
    line = " ".join(text.split()).strip('"')[:2000]
    if not line or as_ai(line):
        return Unreadable(f"no words for others: {as_said(text, 80)}")
    answered = next(one.post for one in news_in(seen) if str(one.topic) == number)
    return NewsReply(feelings, action, answered, line)


def _tagged(answer: str | Unreadable, allowed: Sequence[str]) -> tuple[str, str] | Unreadable:
    """Return the one tag of an answer and what follows it."""
    if isinstance(answer, Unreadable):
        return answer
    found = {(tag.lower(), rest.strip()) for tag, rest in _TAGGED.findall(answer)}
    if len({tag for tag, _ in found}) != 1:
        return Unreadable(f"{len(found)} answers in {answer[:80]!r}; one of {', '.join(allowed)}")
    tag, rest = sorted(found)[0]
    return (tag, rest) if tag in allowed else Unreadable(f"[{tag}] is not one of those offered")
