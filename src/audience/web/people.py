"""The people of a run: the list, and one of them with all that led to what it did."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.log import Log
from audience.runs import NONE, Teller, plain, remembrance
from audience.web.readers import Reader
from audience.web.replies import Missing, told
from audience.web.requests import Agent, Round, RunId, Whole
from audience.web.run_registry import Hall
from audience.world import Agent as Person, World, events as e, tastes

MOST = 500
DECISIONS = 300
_OWN = (
    "SELECT seq FROM chapters WHERE agent = ? OR (phase = ? AND"
    " instr(CAST(body AS TEXT), ?) > 0) ORDER BY seq DESC LIMIT ?"
)


def router(hall: Hall) -> APIRouter:
    """Return the ways to people and items."""
    api = APIRouter()

    @api.get("/runs/{run}/people", response_class=Response)
    def listed(
        run: RunId,
        query: Annotated[str, Query(max_length=200)] = "",
        offset: Annotated[Whole, Query()] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
        at: Annotated[Round | None, Query()] = None,
    ) -> Response:
        """Return people by id, those that a word of theirs speaks for where one is given."""
        with hall.readers.reading(hall.shelf.folder_of(run)) as reader:
            world = reader.world(at)
            found = _matching(world, query)
            page = found[offset : offset + limit]
            return told([short(world, who) for who in page])

    @api.get("/runs/{run}/people/{agent}", response_class=Response)
    def one(run: RunId, agent: Agent, at: Annotated[Round | None, Query()] = None) -> Response:
        """Return who somebody is at the end of a round, what it remembers and why it did what."""
        with hall.readers.reading(hall.shelf.folder_of(run)) as reader:
            return told(person(reader, agent, at))

    @api.get("/runs/{run}/items", response_class=Response)
    def items(
        run: RunId,
        query: Annotated[str, Query(max_length=200)] = "",
        offset: Annotated[Whole, Query()] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    ) -> Response:
        """Return items by id, those with these words in title or tags where some are given."""
        with hall.readers.reading(hall.shelf.folder_of(run)) as reader:
            words = query.lower().split()
            found = [
                one
                for one in reader.world().catalogue.items
                if all(word in f"{one.title} {' '.join(one.tags)}".lower() for word in words)
            ]
            return told([msgspec.to_builtins(one) for one in found[offset : offset + limit]])

    return api


def _matching(world: World, query: str) -> list[int]:
    everybody = range(len(world.agents))
    words = query.lower().split()
    if not words:
        return list(everybody)
    if len(words) == 1 and words[0].isdecimal() and int(words[0][:9]) < len(everybody):
        return [int(words[0])]
    return [who for who in everybody if _speaks(world, who, words)]


def _speaks(world: World, who: int, words: list[str]) -> bool:
    one = world.profile(who)
    text = " ".join((one.name, one.gender, one.career, one.key, *one.interests, *one.traits))
    return all(word in text.lower() for word in words)


def short(world: World, who: int) -> dict[str, Any]:
    """Return somebody's line in a list."""
    me = world.agents[who]
    profile = me.profile
    return {
        "id": who,
        "name": profile.name or f"person {who}",
        "gender": profile.gender,
        "age": profile.age,
        "career": profile.career,
        "interests": profile.interests,
        "visits": me.visits,
        "satisfaction": round(me.satisfaction, 3),
        "silent": who in world.silent,
    }


def person(reader: Reader, who: int, at: int | None) -> dict[str, Any]:
    """Return all that a page shows of a person."""
    round_ = reader.round_of(at)
    world = reader.world(round_)
    if who >= len(world.agents):
        raise Missing(f"person {who} does not exist; there are {len(world.agents)}, from 0 on")
    me = world.agents[who]
    profile: dict[str, Any] = msgspec.to_builtins(me.profile)
    profile.pop("leaning")
    return {
        **short(world, who),
        "at": round_,
        "profile": profile,
        "taste": _taste(world, me),
        **_lived(world, me),
        "ties": [
            {
                "other": tie.other,
                "name": world.profile(tie.other).name or f"person {tie.other}",
                "kind": tie.kind,
                "closeness": round(tie.closeness, 3),
                "mutual": world.graph.tie(tie.other, who) is not None,
            }
            for tie in world.graph.ties(who)
        ],
        "followers": len(world.graph.followers(who)),
        "memory": _memory(reader, who, round_),
        "decisions": decisions(
            reader.log, reader.teller(), who, round_ if at is not None else None
        ),
        "topics": _topics(world, who),
    }


def _topics(world: World, who: int) -> list[dict[str, Any]]:
    """Return how every topic that spreads stands with somebody."""
    standings = (world.spread.standing(one, who) for one in range(len(world.spread.topics)))
    return [
        {
            "topic": one.number,
            "name": one.topic.name,
            "level": one.level,
            "stance": one.stance,
            "aware": one.aware,
        }
        for one in standings
    ]


def _taste(world: World, me: Person) -> list[dict[str, Any]]:
    values = tastes([me.taste])[0].tolist()
    ranked = sorted(zip(values, world.catalogue.tags, strict=True), reverse=True)
    return [{"tag": tag, "value": round(value, 3)} for value, tag in ranked]


def _lived(world: World, me: Person) -> dict[str, Any]:
    titles = world.catalogue
    history = [
        {
            "item": one.item,
            "title": titles[one.item].title,
            "at": one.at,
            "fraction": round(one.fraction, 3),
            "stars": one.stars,
            "feeling": one.feeling,
        }
        for one in me.history
    ]
    return {
        "history": history,
        "ratings": [one for one in history if one["stars"]],
        "feelings": [one for one in history if one["feeling"]],
        "heard": [
            {
                "item": one.item,
                "title": titles[one.item].title,
                "who": one.who,
                "stance": round(one.stance, 2),
            }
            for one in me.heard
        ],
        "inbox": [msgspec.structs.asdict(one) for one in me.inbox],
    }


def _memory(reader: Reader, who: int, round_: int) -> dict[str, Any] | None:
    """Return the three stores of a person's memory; None where nobody has one."""
    if reader.scenario.memory.kind == NONE:
        return None
    return plain(remembrance(reader.log, who, round_))


def decisions(log: Log, teller: Teller, who: int, upto: int | None) -> list[dict[str, Any]]:
    """Return the newest decisions of somebody, oldest first, each with what led to it."""
    rows = log.query(_OWN, (who, e.CONVERSATIONS, f'["Said",{who},', DECISIONS))
    found: list[dict[str, Any]] = []
    for (seq,) in reversed(rows):
        for _, chapter in log.follow(seq - 1, limit=1):
            if upto is None or chapter.round <= upto:
                found += _decided(chapter, seq, teller, who)
    return found[-DECISIONS:]


def _decided(chapter: e.Chapter, seq: int, teller: Teller, who: int) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = []
    for step, entry in enumerate(chapter.entries):
        own = getattr(entry.event, "agent", None) == who
        if not own:
            continue
        if not groups or entry.cause or entry.calls:
            groups.append(
                {
                    "n": seq,
                    "round": chapter.round,
                    "phase": chapter.phase,
                    "step": step,
                    "cause": entry.cause,
                    "calls": list(entry.calls),
                    "events": [],
                    "lines": [],
                }
            )
        groups[-1]["events"].append(msgspec.to_builtins(entry.event))
        if line := teller.line(entry.event).strip():
            groups[-1]["lines"].append(line)
    return groups
