"""How a language mind reacts to news of topics: prompts, schema, reading and asking.

A message can hold anything, including instructions. It is shown on one line, in quotation marks
that it cannot close, without control characters and without braces that could pass for an answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from audience.agents.language.faithful import tagged
from audience.agents.language.prompts import MEMORY, NAME, THOUGHT, person, you
from audience.agents.language.reply_reader import refusal_in
from audience.agents.language.reply_schema import text_in
from audience.agents.mind import Decision
from audience.llm import (
    TEXT,
    Broken,
    ChatMessage,
    Reply,
    Table,
    Unreadable,
    agreed,
    answer_in,
    as_ai,
    aside,
    bounded,
    list_of,
    object_of,
    one_of,
    plain,
    shown,
    sort_out,
    squash,
    words,
)
from audience.world import (
    LEVELS,
    MUTUAL,
    ONE_WAY,
    OWN,
    Dice,
    Message,
    Observation,
    Standing,
    Thought,
    actions as a,
    influence,
)

if TYPE_CHECKING:
    from audience.agents.language.mind import LLMMind

LONGEST = 400
"""Characters of a message that are shown; a longer one is cut with a note."""
ABOUT = 400
MESSAGES, POOL = 900, 500
"""Token budgets."""
_STANCES = {-1: "against it", 0: "no view yet", 1: "for it"}
_BRACES = str.maketrans({"{": "(", "}": ")", '"': "'", "`": "'"})


def as_said(text: str, longest: int = LONGEST) -> str:
    """Return a text as shown in a prompt: one line, quoted, cut with a note if long."""
    flat = "".join(" " if unicodedata.category(mark)[0] in "CZ" else mark for mark in text[:4000])
    flat = " ".join(flat.split()).translate(_BRACES)
    if len(flat) <= longest and len(text) <= 4000:
        return f'"{flat}"'
    return f'"{flat[:longest].rstrip()}…" (cut; the whole has {len(text):,} characters)'


def news_holes(seen: Observation, recalled: Sequence[Thought]) -> dict[str, str]:
    """Return the values of all holes of a prompt about news."""
    news = news_in(seen)
    thoughts = [plain(thought.text, THOUGHT) for thought in recalled]
    return {
        "name": plain(seen.me.profile.name, NAME) or "this person",
        "person": person(seen.me, "social", seen.domain.plural),
        "you": you(seen.me, "social", seen.domain.plural),
        "memory": bounded("What comes to mind:", thoughts, MEMORY),
        "topics": "\n".join(["There is news of:", *(_topic(standing) for standing in seen.news)]),
        "pool": bounded("Remembered of it:", _pool(seen), POOL),
        "messages": bounded("New messages:", [_told(each, each.post) for each in news], MESSAGES),
        "numbered": bounded("New messages:", _numbered(seen), MESSAGES),
        "felt": "",
    }


def news_in(seen: Observation) -> tuple[Message, ...]:
    """Return the messages of the inbox that are about a topic, the newest last."""
    return tuple(message for message in seen.me.inbox if message.topic >= 0)


def forwardable(seen: Observation) -> tuple[Message, ...]:
    """Return the messages on topics that were not forwarded yet."""
    return tuple(message for message in news_in(seen) if message.root not in seen.me.passed)


def _topic(standing: Standing) -> str:
    name = f"- topic {standing.number}: {as_said(standing.topic.name, 120)}"
    about = f", {as_said(standing.topic.about, ABOUT)}" if standing.topic.about.strip() else ""
    if not standing.stance:
        return f"{name}{about}; so far unknown"
    so_far = f"so far {LEVELS[standing.level]}, {_STANCES[standing.stance]}"
    return f"{name}{about}; {so_far}"


def _told(message: Message, name: str | int) -> str:
    return f"[{name}] topic {message.topic}, from {_source(message)}: {as_said(message.text)}"


def _numbered(seen: Observation) -> list[str]:
    """Return the messages, with a number before those that may be passed on."""
    places = {message.post: place for place, message in enumerate(forwardable(seen), 1)}
    return [
        _told(message, places.get(message.post, "passed on already")) for message in news_in(seen)
    ]


def _source(message: Message) -> str:
    if message.trust >= OWN:
        return "the person themselves"
    if message.trust >= MUTUAL:
        return "a close friend"
    return "somebody followed" if message.trust >= ONE_WAY else "the platform"


def _pool(seen: Observation) -> list[str]:
    """Return the remembered messages on the topics, most influential last, without new ones."""
    new = {message.root for message in news_in(seen)}
    lives = {standing.number: standing.topic.half_life for standing in seen.news}
    old = [
        message for message in seen.me.pool if message.topic in lives and message.root not in new
    ]
    old.sort(key=lambda message: influence(message, seen.round, lives[message.topic]))
    return [
        f"topic {message.topic}, from {_source(message)}: {as_said(message.text, 160)}"
        for message in old
    ]


LONGEST_TEXT = 2_000
ATTITUDES = ("negative", "positive")
ACTIONS = ("forward", "post", "nothing")
_FEELING: Table = {
    "topic": ("topic", "topicid", "number", "id"),
    "emotion": ("emotion", "feeling", "mood", "level"),
    "attitude": ("attitude", "stance", "opinion", "view"),
}
_TABLE: Table = {
    "topics": ("topics", "feelings"),
    "emotion": _FEELING["emotion"],
    "attitude": _FEELING["attitude"],
    "action": ("action", "do", "next"),
    "target": ("target", "message", "messageid", "post", "postid", "forward"),
    "text": ("text", "words", "content", "write"),
    "why": ("why", "reason", "reasoning", "thought", "explanation"),
}
_ATTITUDES = {"negative": -1, "against": -1, "-1": -1, "positive": 1, "for": 1, "1": 1}
_NUMBERED = re.compile(r"(.*?)[\s#:\[(]*(\d{1,9})?[\])\s.]*", re.DOTALL)
_NOTHING = ("nothing", "none", "donothing", "ignore", "read", "silent")
_ACTIONS = {
    **dict.fromkeys(("forward", "passon", "share", "repost", "retweet"), "forward"),
    **dict.fromkeys(("post", "postabout", "write", "writeabout", "postnew", "reply"), "post"),
    **dict.fromkeys(_NOTHING, "nothing"),
}


class Feeling(msgspec.Struct, frozen=True):
    """An agent's emotion and opinion on a topic after the news."""

    topic: int
    level: int
    stance: int


class NewsReply(msgspec.Struct, frozen=True):
    """An agent's reaction to its news."""

    feelings: tuple[Feeling, ...]
    action: str
    target: str = ""
    text: str = ""
    why: str = ""


def news_actions(seen: Observation) -> tuple[str, ...]:
    """Return the actions possible with the news."""
    return ACTIONS if forwardable(seen) else ACTIONS[1:]


def news_deeds(seen: Observation) -> list[str]:
    """Return everything that may be done with the news, message by message."""
    posts = [f"post about {standing.number}" for standing in seen.news]
    forwards = [f"forward {place + 1}" for place in range(len(forwardable(seen)))]
    return ["nothing", *(posts if len(posts) > 1 else ["post"]), *forwards]


def deeds_in_words(seen: Observation) -> str:
    """Return what may be done with the news as a prompt says it."""
    words = ["nothing", "post about NUMBER" if len(seen.news) > 1 else "post"]
    words += ["forward NUMBER"] if forwardable(seen) else []
    return " | ".join(f'"{word}"' for word in words)


def news_schema(seen: Observation) -> dict[str, Any]:
    """Return the JSON schema of a reaction, which depends on the numbers of its parts alone."""
    feeling: dict[str, Any] = {"emotion": one_of(LEVELS), "attitude": one_of(ATTITUDES)}
    fields: dict[str, Any] = {}
    if len(seen.news) == 1:
        fields |= feeling
    else:
        topic = one_of([standing.number for standing in seen.news])
        count = len(seen.news)
        fields["topics"] = list_of(object_of(topic=topic, **feeling), count, count)
    return object_of(**fields, action=one_of(news_deeds(seen)), text=TEXT)


def news_form(seen: Observation) -> str:
    """Return the form of the answer in words."""
    feeling = '"emotion": one of these, "attitude": one of these'
    if len(seen.news) > 1:
        feeling = f'"topics": [{{"topic": number, {feeling}}}, one for each topic]'
    return f'{{{feeling}, "action": {deeds_in_words(seen)}, "text": text or ""}}'


def read_news(seen: Observation, text: str) -> NewsReply | Unreadable:
    """Return what a model's answer about news says, or why it cannot be read."""
    value = answer_in(text)
    if isinstance(value, Unreadable):
        return value
    if not isinstance(value, dict):
        return Unreadable("no JSON: a JSON object is wanted, nothing else")
    try:
        return _read(seen, value)
    except Broken as broken:
        return Unreadable(broken.why)


def _read(seen: Observation, value: Mapping[str, Any]) -> NewsReply:
    fields = sort_out(value, _TABLE)
    action, number = agreed(fields, "action", _action, ("", ""))
    if not action:
        raise Broken(f"no action: say what is done; one of {deeds_in_words(seen)}")
    feelings = _feelings(seen, fields)
    number = number or agreed(fields, "target", lambda value: str(value), "")
    target = _target(seen, number, action) if action != "nothing" else ""
    text = words(fields, "text", LONGEST_TEXT) if action == "post" else ""
    # Who has nothing to say does not post.
    action = action if text or action != "post" else "nothing"
    return NewsReply(feelings, action, target, text, aside(fields))


def _feelings(seen: Observation, fields: Mapping[str, list[Any]]) -> tuple[Feeling, ...]:
    known = {standing.number for standing in seen.news}
    listed = [row for value in fields.get("topics", ()) for row in _listed(value)]
    if listed:
        found: dict[int, Feeling] = {}
        for row in listed:
            inner = sort_out(row, _FEELING)
            number = agreed(inner, "topic", lambda said: _topic_reply(said, known), -1)
            number = next(iter(known)) if number < 0 and len(known) == 1 else number
            feeling = _feeling(number, inner)
            if found.setdefault(number, feeling) != feeling:
                raise Broken(f"contradiction: topic {number} is given twice and differs")
        return tuple(found[number] for number in sorted(found))
    if len(known) > 1:
        raise Broken("no topics: give emotion and attitude for each topic in topics")
    return (_feeling(next(iter(known)), fields),)


def _listed(value: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    value = [value] if isinstance(value, dict) else value
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise Broken("not a list: topics holds one object for each topic")
    return value


def _feeling(number: int, fields: Mapping[str, list[Any]]) -> Feeling:
    level = agreed(fields, "emotion", _level, -1)
    stance = agreed(fields, "attitude", _attitude, 0)
    if number < 0:
        raise Broken("no topic: name the topic by its number")
    if level < 0 or not stance:
        what = "emotion" if level < 0 else "attitude"
        raise Broken(f"no {what}: say it of topic {number}")
    return Feeling(number, level, stance)


def _topic_reply(value: Any, known: set[int]) -> int:  # noqa: ANN401
    text = squash(str(value)).removeprefix("topic")
    if text.isdecimal() and int(text) in known:
        return int(text)
    raise Broken(f"unknown topic: {shown(value)}; known: {', '.join(map(str, sorted(known)))}")


def _level(value: Any) -> int:  # noqa: ANN401
    word = squash(str(value))
    if word in LEVELS:
        return LEVELS.index(word)
    if word in ("0", "1", "2"):
        return int(word)
    raise Broken(f"out of range: emotion is {shown(value)}; one of {', '.join(LEVELS)}")


def _attitude(value: Any) -> int:  # noqa: ANN401
    word = str(value).strip().casefold()
    if word in _ATTITUDES:
        return _ATTITUDES[word]
    raise Broken(f"out of range: attitude is {shown(value)}; one of {', '.join(ATTITUDES)}")


def _action(value: Any) -> tuple[str, str]:  # noqa: ANN401
    """Return what is done, and the number that stands behind it."""
    said = _NUMBERED.fullmatch(str(value)[:200])
    word, number = said.groups() if said else ("", "")
    if squash(word) in _ACTIONS:
        return _ACTIONS[squash(word)], number or ""
    raise Broken(f"not on the menu: {shown(value)}; action is one of {', '.join(ACTIONS)}")


def _target(seen: Observation, number: str, action: str) -> str:
    """Return the message that is passed on, or one of the topic that is written about."""
    said = number.strip("[]<>()\"'`# ")
    if action == "forward":
        named = {str(place): each.post for place, each in enumerate(forwardable(seen), 1)}
    else:
        named = {str(each.topic): each.post for each in reversed(news_in(seen))}
        if len(seen.news) == 1:
            return next(iter(named.values()))
    if said in named:
        return named[said]
    listed = ", ".join(named) or "none"
    raise Broken(f"no such number: {action} {shown(number)}; there are {listed}")


def attempts(seen: Observation, reply: NewsReply) -> tuple[a.AnyAction, ...]:
    """Return the actions that a reply means."""
    actions: list[a.AnyAction] = []
    for feeling in reply.feelings:
        actions += (a.Feel(feeling.topic, feeling.level), a.Hold(feeling.topic, feeling.stance))
    if reply.action == "forward":
        actions.append(a.Forward(reply.target))
    if reply.action == "post":
        actions.append(_post(seen, reply))
    return tuple(actions)


def _post(seen: Observation, reply: NewsReply) -> a.Post:
    topics = {message.post: message.topic for message in news_in(seen)}
    topic = topics.get(reply.target, seen.news[0].number)
    felt = next((feeling for feeling in reply.feelings if feeling.topic == topic), None)
    stance = round(felt.stance * (1 + felt.level) / 3.0, 3) if felt else 0.0
    return a.Post(reply.text, (), stance, "model", topic)


async def read_fused(
    mind: LLMMind, seen: Observation, recalled: Sequence[Thought], dice: Dice
) -> Decision:
    """Return a decision from one call, or two if the first reply was unreadable."""
    holes = news_holes(seen, recalled)
    holes |= {"actions": deeds_in_words(seen), "form": news_form(seen)}
    holes["memory"] = holes["memory"].replace("What comes to mind:", "You remember:")
    rules = ChatMessage("system", mind.pack.fill("news_rules", holes))
    messages = (rules, ChatMessage("user", mind.pack.fill("news", holes)))
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
    """Return a decision from separate questions: emotion, attitude, action and text."""
    asking = _Asking(mind, seen, recalled, dice)
    found = await _answered(asking)
    calls = tuple(asking.calls)
    if isinstance(found, Unreadable):
        return Decision((), "", calls, failure=f"{asking.purpose}: {found.why}")
    return Decision(attempts(seen, found), "", calls)


class _Asking:
    """The calls of one faithful decision about news."""

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
        system = ChatMessage("system", pack.fill("news_rules", self.holes, pack="faithful"))
        messages = (system, ChatMessage("user", text))
        answer = await self.mind.questions.ask_once(
            self.purpose, messages, int(self.dice.keys[0]), text_in, nth=len(self.calls)
        )
        self.calls += answer.calls
        return answer.value


async def _answered(asking: _Asking) -> NewsReply | Unreadable:
    feelings: list[Feeling] = []
    for standing in asking.seen.news:
        name = as_said(standing.topic.name, 120)
        level = _one_of(await asking.ask("emotion", topic=name), LEVELS)
        if isinstance(level, Unreadable):
            return level
        said = f"{asking.holes['name']} feels {level[0]} about {name}"
        asking.holes["felt"] = f"{asking.holes['felt']}\n{said}.".strip()
        view = _one_of(await asking.ask("attitude", topic=name), ATTITUDES)
        if isinstance(view, Unreadable):
            return view
        asking.holes["felt"] = f"{asking.holes['felt'][:-1]} and is {view[0]} towards it."
        stance = 1 if view[0] == "positive" else -1
        feelings.append(Feeling(standing.number, LEVELS.index(level[0]), stance))
    return await _acted(asking, tuple(feelings))


async def _acted(asking: _Asking, feelings: tuple[Feeling, ...]) -> NewsReply | Unreadable:
    seen = asking.seen
    offers = [f"[FORWARD]:: {message.post}" for message in forwardable(seen)]
    offers += [f"[POST]:: topic {standing.number}" for standing in seen.news] + [
        "[NOTHING]:: reason"
    ]
    done = _one_of(await asking.ask("action", offers="\n".join(offers)), news_actions(seen))
    if isinstance(done, Unreadable):
        return done
    action, rest = done
    if action == "nothing":
        return NewsReply(feelings, action)
    if action == "forward":
        posts = [message.post for message in forwardable(seen)]
        target = rest.strip("[]<>()\"'` .")
        if target not in posts:
            return Unreadable(f"{rest[:60]!r} is not the id of a message; {', '.join(posts)}")
        return NewsReply(feelings, action, target)
    number = "".join(mark for mark in rest if mark.isdecimal())
    known = {str(standing.number) for standing in seen.news}
    if number not in known:
        if len(known) > 1:
            return Unreadable(f"{rest[:60]!r} is not the number of a topic")
        number = known.pop()
    topic = next(each.topic for each in seen.news if str(each.number) == number)
    text = await asking.ask("content", topic=as_said(topic.name, 120))
    if isinstance(text, Unreadable):
        return text
    line = _written(text, asking.holes["name"])
    if not line or as_ai(line) or refusal_in(line):
        return Unreadable(f"no words for others: {as_said(text, 80)}")
    answered = next(message.post for message in news_in(seen) if str(message.topic) == number)
    return NewsReply(feelings, action, answered, line)


def _one_of(answer: str | Unreadable, allowed: Sequence[str]) -> tuple[str, str] | Unreadable:
    """Return the one tag of an answer, in small letters, and what follows it."""
    found = tagged(answer, [tag.upper() for tag in allowed])
    return found if isinstance(found, Unreadable) else (found[0].lower(), found[1])


def _written(text: str, name: str) -> str:
    """Return what somebody wrote, without quotation marks and a heading such as `Mia writes:`."""
    line = " ".join(text.split())[:2000]
    for heading in (f"{name} writes:", f"{name}:"):
        line = line.removeprefix(heading).strip()
    return line.strip('"').strip()
