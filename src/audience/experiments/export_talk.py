"""What people said to each other and posted, for programs that read words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from audience.experiments.export_rows import Names
from audience.log import Log
from audience.world import events as e


def dialogues(log: Log) -> Iterator[dict[str, Any]]:
    """Yield every conversation: who, when, and its lines in order."""
    names = Names(log.genesis())
    for chapter in log.chapters():
        names.learn(chapter)
        talk: list[e.Said] = []
        for entry in chapter.entries:
            if isinstance(entry.event, e.Said):
                if talk and {entry.event.agent, entry.event.to} != {talk[0].agent, talk[0].to}:
                    yield _dialogue(chapter.round, talk, names)
                    talk = []
                talk.append(entry.event)
        if talk:
            yield _dialogue(chapter.round, talk, names)


def _dialogue(round_: int, talk: list[e.Said], names: Names) -> dict[str, Any]:
    return {
        "round": round_,
        "people": [names.person[talk[0].agent], names.person[talk[0].to]],
        "lines": [{"person": names.person[line.agent], **_words(line, names)} for line in talk],
    }


def posts(log: Log) -> Iterator[dict[str, Any]]:
    """Yield every post, forward and announcement, with how many inboxes it reached."""
    names = Names(log.genesis())
    waiting: dict[str, dict[str, Any]] = {}
    for chapter in log.chapters():
        names.learn(chapter)
        for entry in chapter.entries:
            match entry.event:
                case e.Posted(agent, post) as event:
                    waiting[post] = _post(chapter.round, post, names.person[agent], event, names)
                case e.Forwarded(agent, post, source, author) as event:
                    waiting[post] = _post(chapter.round, post, names.person[agent], event, names)
                    waiting[post] |= {"forwards": source, "author": _person(author, names)}
                case e.Delivered(post, author, to) as event:
                    found = waiting.setdefault(
                        post, _post(chapter.round, post, _person(author, names), event, names)
                    )
                    found["reached"] = len(to)
        if chapter.phase == e.CLOSING:
            yield from waiting.values()
            waiting.clear()
    yield from waiting.values()


def _post(
    round_: int,
    post: str,
    person: str,
    event: e.Posted | e.Forwarded | e.Delivered,
    names: Names,
) -> dict[str, Any]:
    return {"round": round_, "post": post, "person": person, **_words(event, names), "reached": 0}


def _words(event: e.Said | e.Posted | e.Forwarded | e.Delivered, names: Names) -> dict[str, Any]:
    return {
        "text": event.text,
        "items": [names.item[item] for item in event.items],
        "stance": event.stance,
        "voice": getattr(event, "voice", ""),
    }


def _person(agent: int, names: Names) -> str:
    """Return whose words they are; announcements are nobody's."""
    return names.person[agent] if agent >= 0 else ""
