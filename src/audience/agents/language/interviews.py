"""Interviews and chats: an agent answers from profile, history and memory, and nothing changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from audience.agents.language.prompts import (
    TITLE,
    holes_of,
    item_line,
    mind_prompts,
)
from audience.agents.rule import opening, stance_on
from audience.agents.voiced import Speaker, facts_about, topic
from audience.llm import (
    TEXT,
    ChatMessage,
    Gateway,
    Prompts,
    Reply,
    Request,
    Schema,
    Unreadable,
    as_ai,
    ask_for,
    bounded,
    loose_json,
    object_of,
    one_of,
    plain,
    quoted,
    squash,
)
from audience.memory import Memory
from audience.world import Agent, Item, Lived, Observation

SCHEMA = object_of(answer=TEXT)
RECALLED = 8
CHAT = "chat"
REMEMBERED = 24
"""How many lines of a chat a person has before them; more would not fit small models."""
LONGEST_LINE = 1000
"""The most characters of a line of a chat."""
HISTORY = 200
"""The token budget of the history."""
FINISHED = 0.9
"""The share of an item beyond which it was not given up."""
_DROPPED = 0.5
"""The share of an item below which it was given up before the end."""
UNHAPPY, HAPPY = 0.35, 0.65
"""Satisfaction below which people are told that they are let down, and above which, pleased."""
Author = Literal["model", "rule"]


class Answer(msgspec.Struct, frozen=True):
    """An agent's answer, or why there is none."""

    agent: int
    name: str
    text: str
    calls: tuple[str, ...] = ()
    failure: str = ""
    choice: str = ""
    """Which of the options, if the question had some."""
    by: Author = "model"
    """Whether a language model answered as the person, or a rule by template."""


class ChatLine(msgspec.Struct, frozen=True):
    """A line of a chat with a person."""

    is_theirs: bool
    """Whether the person said it; else whoever chats with them."""
    text: str
    calls: tuple[str, ...] = ()
    failure: str = ""
    by: Author = "model"


async def interview(
    gateway: Gateway,
    memory: Memory,
    seen: Observation,
    question: str,
    slate: Sequence[Item] = (),
    *,
    options: Sequence[str] = (),
    pack: Prompts | None = None,
    model: str = "",
    salt: str = "",
) -> Answer:
    """Return an agent's answer to a question, perhaps about the items it was shown last.

    With `options` the agent also chooses one of them; a reply that fits none is asked for again
    once.
    """
    pack = pack or mind_prompts(model=model)
    holes = await _holes(memory, seen, question, slate)
    holes |= {"question": quoted(question, 600)[1:-1], "options": " / ".join(options)}
    messages = (
        ChatMessage("system", pack.fill("rules", holes)),
        ChatMessage("user", pack.fill("interview_options" if options else "interview", holes)),
    )
    schema: Schema = object_of(reason=TEXT, choice=one_of(options)) if options else SCHEMA
    request = Request(
        "interview", messages, model, schema=schema, max_tokens=300, temperature=0.7, salt=salt
    )

    def again(reply: Reply, wrong: Unreadable) -> Request:
        told = ChatMessage("user", pack.fill("repair", {"why": wrong.why}))
        repaired = (*messages, ChatMessage("assistant", reply.text[:2000]), told)
        return replace(request, messages=repaired, salt=f"{salt}.1")

    def read(reply: Reply) -> tuple[str, str] | Unreadable:
        return _chosen(reply, options) if options else _words(reply)

    answer = await ask_for(gateway, request, read, again if options else None)
    who = seen.me.profile
    if isinstance(answer.value, Unreadable):
        return Answer(who.id, who.name, "", answer.calls, answer.value.why)
    text, choice = answer.value
    return Answer(who.id, who.name, text, answer.calls, choice=choice)


async def _holes(
    memory: Memory, seen: Observation, about: str, slate: Sequence[Item]
) -> dict[str, str]:
    """Return what an agent knows of itself when asked about something."""
    recalled = await memory.recall(seen.me, about, seen.now, RECALLED)
    holes = holes_of(seen, recalled.thoughts, "interview")
    shown = "\n".join(item_line(item, place) for place, item in enumerate(slate, 1))
    return holes | {
        "page": f"Shown last:\n{shown}" if shown else "",
        "offered": _offered(seen, slate),
        "history": _history(seen),
        "last": _last(seen),
        "content": _content(seen.me),
    }


def _offered(seen: Observation, slate: Sequence[Item]) -> str:
    """Return what an agent left on the page it saw last, so that it does not claim to know it."""
    lived = {entry.item for entry in seen.me.history}
    left = [f"<{plain(item.title, TITLE)}>" for item in slate if item.id not in lived]
    if not left:
        return ""
    return f"On the page that you saw last you left, and have never {seen.domain.past}: " + (
        f"{', '.join(left)}."
    )


def _lived(seen: Observation, entry: Lived) -> str:
    """Return an item with its stars, and where it was given up."""
    stars = f", {entry.stars} star{'s' if entry.stars > 1 else ''}" if entry.stars else ""
    given_up = "" if entry.fraction > FINISHED else f", given up after {entry.fraction:.0%}"
    return f"<{plain(seen.catalogue[entry.item].title, TITLE)}>{stars}{given_up}"


def _last(seen: Observation) -> str:
    """Return what an agent lived last, which models look for at the wrong end of a list."""
    if not seen.me.history:
        return ""
    return f"What you {seen.domain.past} last is {_lived(seen, seen.me.history[-1])}."


def _history(seen: Observation) -> str:
    """Return what an agent lived, newest last."""
    lines = [_lived(seen, entry) for entry in seen.me.history]
    return bounded(f"{seen.domain.past.capitalize()} before, newest last:", lines, HISTORY)


def _content(me: Agent) -> str:
    """Return how content an agent is with the service, in words."""
    if not me.visits:
        return "You have not used this service yet."
    kind = "pleased you" if me.satisfaction > HAPPY else "let you down"
    if UNHAPPY <= me.satisfaction <= HAPPY:
        kind = "been neither good nor bad to you"
    return f"So far this service has {kind}."


async def chat(
    gateway: Gateway,
    memory: Memory,
    seen: Observation,
    lines: Sequence[ChatLine],
    slate: Sequence[Item] = (),
    *,
    pack: Prompts | None = None,
    model: str = "",
    salt: str = "",
) -> ChatLine:
    """Return what an agent says next in a chat, of which it remembers the latest lines."""
    pack = pack or mind_prompts(model=model)
    lines = [line for line in lines if line.text][-REMEMBERED:]
    while lines and lines[0].is_theirs:
        lines = lines[1:]
    holes = await _holes(memory, seen, lines[-1].text, slate)
    system = f"{pack.fill('rules', holes)}\n{pack.fill(CHAT, holes)}"
    said = (
        ChatMessage("assistant" if line.is_theirs else "user", plain(line.text, LONGEST_LINE))
        for line in lines
    )
    messages = (ChatMessage("system", system), *said)
    request = Request(CHAT, messages, model, max_tokens=200, temperature=0.7, salt=salt)
    answer = await ask_for(gateway, request, lambda reply: _spoken(reply, seen.me.profile.name))
    if isinstance(answer.value, Unreadable):
        return ChatLine(True, "", answer.calls, answer.value.why)
    return ChatLine(True, answer.value, answer.calls)


def _spoken(reply: Reply, name: str) -> str | Unreadable:
    """Return the words of a reply without the quotation marks or the name around them."""
    found = _words(reply)
    if isinstance(found, Unreadable):
        return found
    text = found[0].removeprefix(f"{name}:").strip()
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]:
        text = text[1:-1].strip()
    if not text or as_ai(text):
        return Unreadable("the reply is not a sentence of the person")
    return plain(text, LONGEST_LINE)


async def small_interview(
    speaker: Speaker,
    seen: Observation,
    question: str,
    *,
    options: Sequence[str] = (),
    salt: str = "",
) -> Answer:
    """Return an answer about what a rule finds, in the words of a very small model.

    Asked freely such a model would drift; so a rule finds what the question is about among what
    was watched, and the model only completes a sentence about it, checked like all its sentences;
    one that was trained to speak reads the question and writes the whole answer. Of the options a
    rule chooses by satisfaction alone, where it knows which are better.
    """
    who = seen.me.profile
    answer = Answer(who.id, who.name, f"I have not {seen.domain.past} anything yet.", by="rule")
    if options:
        choice = choice_by_rule(seen.me.satisfaction, options)
        answer = replace(answer, choice=choice, failure="" if choice else _NO_RULE)
    about = topic(question, seen.me.history, seen.catalogue)
    if about is None:
        return answer
    item = seen.catalogue[about.item]
    facts = facts_about(
        "interview",
        item,
        who,
        draw=0.5,
        stars=about.stars,
        stance=stance_on(about),
        dropped=about.fraction < _DROPPED,
        question=question,
        past=seen.domain.past,
        plural=seen.domain.plural,
    )
    words = opening(stance_on(about), 0.0, item.title, seen.domain)
    line = await speaker.line(facts, seen.catalogue, salt)
    by: Author = "model" if speaker.whole and line.text and not options else "rule"
    return replace(answer, text=line.text or words, calls=line.calls, by=by)


_NO_RULE = "a rule knows no answer among these; give the run a model to ask"
_LIKING = {
    word: liking
    for liking, words in (
        (1.0, "yes|definitely|certainly|agree|good|very good|satisfied|happy|likely|often"),
        (0.5, "not sure|unsure|maybe|perhaps|neutral|don't know|do not know|undecided|sometimes"),
        (0.0, "no|never|disagree|bad|very bad|dissatisfied|unhappy|unlikely|not"),
    )
    for word in words.split("|")
}


def choice_by_rule(satisfaction: float, options: Sequence[str]) -> str:
    """Return the option nearest to a satisfaction; empty if a rule cannot tell which are better.

    It can for numbers in order, and for words such as yes, no and not sure.
    """
    if all(re.fullmatch(r"\d{1,3}", option) for option in options):
        numbers = [int(option) for option in options]
        wanted = min(numbers) + satisfaction * (max(numbers) - min(numbers))
        return min(options, key=lambda option: abs(int(option) - wanted))
    likings = {option: _LIKING.get(option.strip().casefold()) for option in options}
    known = {option: liking for option, liking in likings.items() if liking is not None}
    if len(set(known.values())) < 2:
        return ""
    return min(known, key=lambda option: abs(known[option] - satisfaction))


def _chosen(reply: Reply, options: Sequence[str]) -> tuple[str, str] | Unreadable:
    """Return the words of a reply and the option they come to."""
    found = _words(reply)
    if isinstance(found, Unreadable):
        return found
    fields = loose_json(reply.text)
    choice = fields.get("choice") if isinstance(fields, dict) else None
    mine = squash(str(choice)) if choice is not None else ""
    for option in options:
        if mine == squash(option):
            return found[0], option
    return Unreadable(f"choice is not one of: {', '.join(options)}")


def _words(reply: Reply) -> tuple[str, str] | Unreadable:
    """Return the answer of a reply, which may also be plain text, and no choice."""
    if reply.outcome != "reply" or not reply.text.strip():
        return Unreadable(f"{reply.outcome}: {reply.why or 'empty reply'}")
    found = loose_json(reply.text)
    if not isinstance(found, Unreadable) and isinstance(found, dict):
        for name in ("answer", "reason"):
            said = found.get(name)
            if isinstance(said, str) and said.strip():
                return " ".join(said.split()), ""
    cut = _CUT.match(reply.text)
    return " ".join((_sentences(cut[1]) if cut else reply.text).split()), ""


_CUT = re.compile(r'\s*\{\s*"(?:answer|reason)"\s*:\s*"((?:[^"\\]|\\.)+)\Z', re.DOTALL)
"""An answer that ended with the tokens before its form did."""


def _sentences(text: str) -> str:
    """Return the whole sentences of a text that was cut off, or all of it if there is none."""
    end = max(text.rfind(mark) for mark in ".!?")
    return text[: end + 1] if end > 0 else text
