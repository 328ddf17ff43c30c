"""Joint decisions for several agents in one call: a whole dialogue, or what to watch together.

All profiles and memories are in the prompt. The reply is read as strictly as a single one: people
by id, one repair, and then it is a failure; nothing is fixed silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from audience.agents.language.prompts import (
    FRIENDS,
    MEMORY,
    NAME,
    THOUGHT,
    heard,
    history,
    holes_of,
    person,
)
from audience.agents.language.reply_actions import (
    NOBODY,
    friend_of,
    items_in,
    stance_in,
    stance_of,
    stars_of,
)
from audience.agents.language.reply_reader import LONGEST_TEXT
from audience.agents.language.reply_schema import in_time
from audience.agents.mind import Mark, Scene, Script
from audience.llm import (
    TEXT,
    Broken,
    ChatMessage,
    Reply,
    Table,
    Unreadable,
    agreed,
    answer_in,
    bounded,
    list_of,
    object_of,
    one_of,
    plain,
    quoted,
    shown,
    sort_out,
    squash,
    unanswered,
    words,
)
from audience.memory import Memory
from audience.world import Dice, Friend, Observation, Said, Say, Thought

if TYPE_CHECKING:
    from audience.agents.language.mind import LLMMind

RECALLED = {"dialogue": 3, "together": 1}
"""The most thoughts recalled for each agent."""
_HISTORY = 60
"""Tokens of each agent's history."""
_LINE = 80
"""Tokens of a line."""
_LINES: Table = {"lines": ("lines", "dialogue", "talk", "conversation", "turns")}
_SPOKEN: Table = {
    "speaker": ("speaker", "speakerid", "who", "person", "personid", "name", "id"),
    "say": ("say", "text", "line", "message", "says", "content"),
    "stance": ("stance", "opinion", "attitude"),
}
_PEOPLE: Table = {"people": ("people", "persons", "ratings", "answers")}
_STARS: Table = {
    "person": ("person", "personid", "who", "name", "id"),
    "stars": ("stars", "ratings", "scores"),
}


async def play(mind: LLMMind, scene: Scene, memory: Memory, dice: Dice) -> Script:
    """Return the outcome of a scene from one call, or two if the first reply was unreadable."""
    thoughts = []
    for view in scene.seen:
        limit = min(mind.recall, RECALLED[scene.kind])
        recollection = await memory.recall(view.me, _cue(view), view.now, limit)
        thoughts.append(recollection.thoughts)
    messages = _messages(mind, scene, thoughts)
    room = max(mind.questions.max_tokens, _LINE * max(scene.lines, len(scene.seen)))
    answer = await mind.questions.ask_for(
        scene.kind,
        messages,
        int(dice.keys[0]),
        lambda reply: _understood(scene, reply),
        _schema(scene),
        size=room,
    )
    found, calls = answer.value, answer.calls
    recalled = tuple(tuple(thought.id for thought in some) for some in thoughts)
    if isinstance(found, Unreadable):
        return Script(calls=calls, failure=f"{scene.kind}: {found.why}", recalled=recalled)
    return replace(found, calls=calls, recalled=recalled)


def _cue(seen: Observation) -> str:
    said = [line.text for line in seen.lines[-2:]]
    titles = [seen.catalogue[item].title for item in seen.me.situation.slate[:5]]
    return " ".join([*said, *titles]) or " ".join(seen.me.profile.interests)


def _messages(
    mind: LLMMind, scene: Scene, thoughts: Sequence[Sequence[Thought]]
) -> tuple[ChatMessage, ...]:
    first = scene.seen[0]
    holes = holes_of(first, (), "talk", contexts=mind.context)
    blocks = [
        f"[{place}] {_block(view, some)}"
        for place, (view, some) in enumerate(zip(scene.seen, thoughts, strict=True), 1)
    ]
    names = {view.me.profile.id: _name(view.me.profile.name) for view in scene.seen}
    places = {view.me.profile.id: place for place, view in enumerate(scene.seen, 1)}
    count = scene.lines or len(first.me.situation.slate)
    holes |= {
        "people": "\n".join(blocks),
        "other": names[scene.seen[1].me.profile.id],
        "count": str(count),
        "lines": "\n".join(
            f"[{places[said.agent]}] {names[said.agent]}: {quoted(said.text)}"
            for said in first.lines
        ),
    }
    rules = mind.pack.fill("rules_joint", holes)
    return ChatMessage("system", rules), ChatMessage("user", mind.pack.fill(scene.kind, holes))


def _name(name: str) -> str:
    return plain(name, NAME) or "somebody"


def _block(seen: Observation, recalled: Sequence[Thought]) -> str:
    """Return the description of one of the agents."""
    me, plural = seen.me, seen.domain.plural
    near = [f"{_name(friend.name)} is {_tie(friend)}" for friend in seen.friends]
    parts = [
        person(me, "talk", plural),
        bounded(
            "What comes to mind:",
            [plain(thought.text, THOUGHT) for thought in recalled],
            MEMORY // 2,
        ),
        history(seen, _HISTORY),
        heard(seen) if seen.lines else "",
        plain("To this person, " + ", ".join(near), 4 * FRIENDS) + "." if near else "",
    ]
    return "\n".join(part for part in parts if part)


def _tie(friend: Friend) -> str:
    return plain(friend.kind, NAME) or "an acquaintance"


def _schema(scene: Scene) -> dict[str, Any]:
    people = one_of(range(1, len(scene.seen) + 1))
    if scene.kind == "dialogue":
        line = object_of(speaker=people, stance=one_of((-1, 0, 1)), say=TEXT)
        return object_of(lines=list_of(line))
    count = len(scene.seen[0].me.situation.slate)
    marks = object_of(person=people, stars=list_of(one_of(range(1, 6)), count, count))
    return object_of(people=list_of(marks, len(scene.seen), len(scene.seen)))


def _understood(scene: Scene, reply: Reply) -> Script | Unreadable:
    in_time(reply)
    value = unanswered(reply) or answer_in(reply.text)
    if isinstance(value, Unreadable):
        return value
    try:
        return read_dialogue(scene, value) if scene.lines else read_marks(scene, value)
    except Broken as broken:
        return Unreadable(broken.why)


def _rows(value: Any, table: Table) -> list[Mapping[str, Any]]:  # noqa: ANN401
    """Return the objects that a reply lists, under its one field or at the top level."""
    (name,) = table
    if isinstance(value, dict):
        given = sort_out(value, table).get(name, [])
        if len(given) != 1:
            raise Broken(f"no {name}: give a list in {name}")
        value = given[0]
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise Broken(f"not a list: {name} is {shown(value)}; give a list of objects")
    return value


def _who(scene: Scene, fields: Mapping[str, list[Any]], name: str) -> int:
    people = [Friend(view.me.profile.id, view.me.profile.name, "", 0.0) for view in scene.seen]
    who = agreed(fields, name, lambda value: friend_of(people, value), NOBODY)
    if who == NOBODY:
        raise Broken(f"no {name}: give the number of the person in {name}, 1 to {len(people)}")
    return who


def read_dialogue(scene: Scene, value: Any) -> Script:  # noqa: ANN401
    """Return the lines of a dialogue; an empty line ends it, and so does the limit."""
    rows = _rows(value, _LINES)[: scene.lines]
    seen = {view.me.profile.id: view for view in scene.seen}
    said = scene.seen[0].lines
    lines: list[tuple[int, Say]] = []
    for row in rows:
        fields = sort_out(row, _SPOKEN)
        who = _who(scene, fields, "speaker")
        text = words(fields, "say", LONGEST_TEXT)
        if not text:
            break
        if len(text.split()) > 3 and squash(text) in {squash(line.text) for line in said}:
            raise Broken("echo: a line was said already; let each say something of its own")
        view = replace(seen[who], lines=said)
        items, to = items_in(view, text), view.friends[0].id
        stance = stance_in(view, items, float(agreed(fields, "stance", stance_of, 0)))
        lines.append((who, Say(to, text, items, stance, "model")))
        said = (*said, Said(who, to, text, items, stance, "model"))
    return Script(lines=tuple(lines))


def read_marks(scene: Scene, value: Any) -> Script:  # noqa: ANN401
    """Return the marks of all agents, in the order of the scene."""
    count = len(scene.seen[0].me.situation.slate)
    places = {view.me.profile.id: place for place, view in enumerate(scene.seen, 1)}
    marks: dict[int, tuple[Mark, ...]] = {}
    for row in _rows(value, _PEOPLE):
        fields = sort_out(row, _STARS)
        who = _who(scene, fields, "person")
        number = places[who]
        given = fields.get("stars", [None])[0]
        if not isinstance(given, list) or len(given) != count:
            raise Broken(f"not a list: stars of {number}; give {count} whole numbers from 1 to 5")
        stars = [stars_of(mark) for mark in given]
        if 0 in stars:
            raise Broken(f"out of range: stars of {number}; rate every one from 1 to 5")
        found = tuple(Mark(round((mark - 0.5) / 5.0, 4), mark) for mark in stars)
        if marks.setdefault(who, found) != found:
            raise Broken(f"contradiction: person {number} is there twice and differs")
    missing = [place for who, place in places.items() if who not in marks]
    if missing:
        raise Broken(f"no stars: person {missing[0]} is missing")
    return Script(marks=tuple(marks[view.me.profile.id] for view in scene.seen))
