"""What a model answers about news, as a schema, as it is read, and as what is attempted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from audience.agents.news_prompting import forwardable, news_in
from audience.llm import fields as f
from audience.llm.loose import Unreadable, answer_in
from audience.llm.scan import Broken
from audience.llm.structured import list_of, object_of, one_of, text_of
from audience.world import actions as a
from audience.world.observe import Observation
from audience.world.topics import LEVELS

LONGEST_TEXT = 2_000
ATTITUDES = ("negative", "positive")
ACTIONS = ("forward", "post", "nothing")
_FEELING: f.Table = {
    "topic": ("topic", "topicid", "number", "id"),
    "emotion": ("emotion", "feeling", "mood", "level"),
    "attitude": ("attitude", "stance", "opinion", "view"),
}
_TABLE: f.Table = {
    "topics": ("topics", "feelings"),
    "emotion": _FEELING["emotion"],
    "attitude": _FEELING["attitude"],
    "action": ("action", "do", "next"),
    "target": ("target", "message", "messageid", "post", "postid", "forward"),
    "text": ("text", "words", "content", "write"),
    "why": ("why", "reason", "reasoning", "thought", "explanation"),
}
_ATTITUDES = {"negative": -1, "against": -1, "-1": -1, "positive": 1, "for": 1, "1": 1}
_NOTHING = ("nothing", "none", "donothing", "ignore", "read", "silent")
_ACTIONS = {
    **dict.fromkeys(("forward", "passon", "share", "repost", "retweet"), "forward"),
    **dict.fromkeys(("post", "write", "postnew", "reply"), "post"),
    **dict.fromkeys(_NOTHING, "nothing"),
}


class Feeling(msgspec.Struct, frozen=True):
    """How a topic stands with somebody after the news."""

    topic: int
    level: int
    stance: int


class NewsReply(msgspec.Struct, frozen=True):
    """What somebody makes of its news."""

    feelings: tuple[Feeling, ...]
    action: str
    target: str = ""
    text: str = ""
    why: str = ""


def news_actions(seen: Observation) -> tuple[str, ...]:
    """Return what may be done with the news."""
    return ACTIONS if forwardable(seen) else ACTIONS[1:]


def news_schema(seen: Observation) -> dict[str, Any]:
    """Return the JSON schema: every reply that keeps to it can be read."""
    feeling: dict[str, Any] = {
        "emotion": one_of(LEVELS),
        "attitude": one_of(ATTITUDES),
    }
    fields: dict[str, Any] = {"why": text_of(200)}
    if len(seen.news) == 1:
        fields |= feeling
    else:
        topic = one_of([one.number for one in seen.news])
        count = len(seen.news)
        fields["topics"] = list_of(object_of(topic=topic, **feeling), count, count)
    posts = [one.post for one in forwardable(seen) or news_in(seen)]
    fields |= {
        "action": one_of(news_actions(seen)),
        "target": one_of(posts),
        "text": text_of(280),
    }
    return object_of(**fields)


def news_form(seen: Observation) -> str:
    """Return the answer's form in words."""
    feeling = '"emotion": one of these, "attitude": one of these'
    if len(seen.news) > 1:
        feeling = f'"topics": [{{"topic": number, {feeling}}}, one for each topic]'
    rest = '"action": one of these, "target": id, "text": text or ""'
    return f'{{"why": one short sentence, {feeling}, {rest}}}'


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
    fields = f.sort_out(value, _TABLE)
    action = f.agreed(fields, "action", _action, "")
    if not action:
        raise Broken(f"no action: say what is done; one of {', '.join(news_actions(seen))}")
    feelings = _feelings(seen, fields)
    target = ""
    if action != "nothing":
        target = f.agreed(fields, "target", lambda one: _target(seen, one, action), "")
    text = f.words(fields, "text", LONGEST_TEXT) if action == "post" else ""
    if action == "post" and not text:
        raise Broken("no text: a post needs words; give them in text")
    if not target and (action == "forward" or (action == "post" and len(seen.news) > 1)):
        raise Broken(f"no target: {action} needs the id of a message")
    return NewsReply(feelings, action, target, text, f.aside(fields))


def _feelings(seen: Observation, fields: Mapping[str, list[Any]]) -> tuple[Feeling, ...]:
    known = {one.number for one in seen.news}
    listed = [one for value in fields.get("topics", ()) for one in _listed(value)]
    if listed:
        found: dict[int, Feeling] = {}
        for one in listed:
            inner = f.sort_out(one, _FEELING)
            number = f.agreed(inner, "topic", lambda said: _topic(said, known), -1)
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
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise Broken("not a list: topics holds one object for each topic")
    return value


def _feeling(number: int, fields: Mapping[str, list[Any]]) -> Feeling:
    level = f.agreed(fields, "emotion", _level, -1)
    stance = f.agreed(fields, "attitude", _attitude, 0)
    if number < 0:
        raise Broken("no topic: name the topic by its number")
    if level < 0 or not stance:
        what = "emotion" if level < 0 else "attitude"
        raise Broken(f"no {what}: say it of topic {number}")
    return Feeling(number, level, stance)


def _topic(value: Any, known: set[int]) -> int:  # noqa: ANN401
    text = f.squash(str(value)).removeprefix("topic")
    if text.isdecimal() and int(text) in known:
        return int(text)
    raise Broken(f"unknown topic: {f.shown(value)}; known: {', '.join(map(str, sorted(known)))}")


def _level(value: Any) -> int:  # noqa: ANN401
    word = f.squash(str(value))
    if word in LEVELS:
        return LEVELS.index(word)
    if word in ("0", "1", "2"):
        return int(word)
    raise Broken(f"out of range: emotion is {f.shown(value)}; one of {', '.join(LEVELS)}")


def _attitude(value: Any) -> int:  # noqa: ANN401
    word = str(value).strip().casefold()
    if word in _ATTITUDES:
        return _ATTITUDES[word]
    raise Broken(f"out of range: attitude is {f.shown(value)}; one of {', '.join(ATTITUDES)}")


def _action(value: Any) -> str:  # noqa: ANN401
    word = f.squash(str(value))
    if word in _ACTIONS:
        return _ACTIONS[word]
    raise Broken(f"not on the menu: {f.shown(value)}; action is one of {', '.join(ACTIONS)}")


def _target(seen: Observation, value: Any, action: str) -> str:  # noqa: ANN401
    posts = [one.post for one in (forwardable(seen) if action == "forward" else news_in(seen))]
    said = str(value).strip().strip("[]<>()\"'` ")
    if said in posts:
        return said
    if action == "post" and said.casefold() in f.NOTHING:
        return ""
    raise Broken(f"not in the inbox: {f.shown(value)}; messages: {', '.join(posts) or 'none'}")


def attempts(seen: Observation, reply: NewsReply) -> tuple[a.AnyAction, ...]:
    """Return what somebody attempts who answered so."""
    actions: list[a.AnyAction] = []
    for one in reply.feelings:
        actions += (a.Feel(one.topic, one.level), a.Hold(one.topic, one.stance))
    if reply.action == "forward":
        actions.append(a.Forward(reply.target))
    if reply.action == "post":
        actions.append(_post(seen, reply))
    return tuple(actions)


def _post(seen: Observation, reply: NewsReply) -> a.Post:
    topics = {one.post: one.topic for one in news_in(seen)}
    topic = topics.get(reply.target, seen.news[0].number)
    felt = next((one for one in reply.feelings if one.topic == topic), None)
    stance = round(felt.stance * (1 + felt.level) / 3.0, 3) if felt else 0.0
    return a.Post(reply.text, (), stance, "model", topic)
