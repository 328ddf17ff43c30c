"""Endpoints of people and items: the lists, and a person with the decisions they made."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.log import Log, arrivals_of
from audience.runs import NONE, Teller, memory_report, remembrance
from audience.runs.play import InboxCard
from audience.web.readers import Reader
from audience.web.replies import Missing, json_reply
from audience.web.reply_types import (
    DecisionRow,
    HeardRow,
    HistoryRow,
    PersonDetail,
    PersonRow,
    PersonTie,
    ProfileReply,
    TasteRow,
    TopicStanding,
)
from audience.web.requests import Agent, Round, RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.world import Agent as Person, World, events as e, tastes

MOST = 500
DECISIONS = 300


def router(registry: RunRegistry) -> APIRouter:
    """Return the endpoints of people and items."""
    api = APIRouter()

    @api.get("/runs/{run}/people", response_class=Response)
    def listed(
        run: RunId,
        query: Annotated[str, Query(max_length=200)] = "",
        offset: Annotated[Whole, Query()] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
        at: Annotated[Round | None, Query()] = None,
    ) -> Response:
        """Return people in the order of their ids, filtered by the words of a query."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            world = reader.world(at)
            page = islice(matching(world, query), offset, offset + limit)
            return json_reply([person_row(world, who) for who in page])

    @api.get("/runs/{run}/people/{agent}", response_class=Response)
    def person(run: RunId, agent: Agent, at: Annotated[Round | None, Query()] = None) -> Response:
        """Return a person at the end of a round: profile, memory and decisions."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            return json_reply(_person(reader, agent, at))

    @api.get("/runs/{run}/items", response_class=Response)
    def items(
        run: RunId,
        query: Annotated[str, Query(max_length=200)] = "",
        offset: Annotated[Whole, Query()] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
    ) -> Response:
        """Return items in the order of their ids, filtered by words of title and tags."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            words = query.lower().split()
            matching = [
                item
                for item in reader.world().catalogue.items
                if all(word in f"{item.title} {' '.join(item.tags)}".lower() for word in words)
            ]
            page = matching[offset : offset + limit]
            return json_reply([msgspec.to_builtins(item) for item in page])

    return api


def matching(world: World, query: str) -> Iterable[int]:
    """Return the people whom the words of a query fit, in the order of their ids, as they come."""
    everybody = range(len(world.agents))
    words = query.lower().split()
    if not words:
        return everybody
    if len(words) == 1 and words[0].isdecimal() and int(words[0][:9]) < len(everybody):
        return [int(words[0])]
    return (who for who in everybody if _matches(world, who, words))


def _matches(world: World, who: int, words: list[str]) -> bool:
    me = world.profile(who)
    text = " ".join((me.name, me.gender, me.career, me.key, *me.interests, *me.traits))
    return all(word in text.lower() for word in words)


def name_of(world: World, who: int) -> str:
    """Return a person's name, or their number if they have none."""
    return world.profile(who).name or f"person {who}"


def deed(teller: Teller, event: e.AnyEvent, name: str, who: int) -> str:
    """Return what a person did in words, without their name in front."""
    return teller.line(event).strip().removeprefix(f"{name} [{who}] ")


def person_row(world: World, who: int) -> PersonRow:
    """Return a person's line in a list."""
    me = world.agents[who]
    profile = me.profile
    return PersonRow(
        who,
        name_of(world, who),
        profile.gender,
        profile.age,
        profile.career,
        profile.interests,
        me.visits,
        round(me.satisfaction, 3),
        silent=who in world.silent,
    )


def _person(reader: Reader, who: int, at: int | None) -> PersonDetail:
    """Return all that a page shows of a person."""
    round_ = reader.round_of(at)
    world = reader.world(round_)
    if who >= len(world.agents):
        raise Missing(f"person {who} does not exist; ids go from 0 to {len(world.agents) - 1}")
    me = world.agents[who]
    profile = msgspec.to_builtins(me.profile)
    del profile["leaning"]
    history = _history(world, me)
    has_memory = reader.scenario.memory.kind != NONE
    upto = round_ if at is not None else None
    return PersonDetail(
        **msgspec.structs.asdict(person_row(world, who)),
        at=round_,
        profile=ProfileReply(**profile),
        taste=_taste(world, me),
        history=history,
        ratings=[row for row in history if row.stars],
        feelings=[row for row in history if row.feeling],
        heard=[
            HeardRow(news.item, world.catalogue[news.item].title, news.who, round(news.stance, 2))
            for news in me.heard
        ],
        inbox=[InboxCard(**msgspec.structs.asdict(message)) for message in me.inbox],
        ties=_ties(world, who),
        followers=len(world.graph.followers(who)),
        memory=memory_report(remembrance(reader.log, who, round_)) if has_memory else None,
        decisions=_decisions(reader.log, reader.teller(), who, upto),
        topics=_topics(world, who),
    )


def _ties(world: World, who: int) -> list[PersonTie]:
    graph = world.graph
    return [
        PersonTie(
            tie.other,
            name_of(world, tie.other),
            tie.kind,
            round(tie.closeness, 3),
            mutual=graph.tie(tie.other, who) is not None,
        )
        for tie in graph.ties(who)
    ]


def _topics(world: World, who: int) -> list[TopicStanding]:
    """Return where a person stands on every topic that spreads."""
    standings = (world.spread.standing(topic, who) for topic in range(len(world.spread.topics)))
    return [TopicStanding(s.number, s.topic.name, s.level, s.stance, s.aware) for s in standings]


def _taste(world: World, me: Person) -> list[TasteRow]:
    values = tastes([me.taste])[0].tolist()
    ranked = sorted(zip(values, world.catalogue.tags, strict=True), reverse=True)
    return [TasteRow(tag, round(value, 3)) for value, tag in ranked]


def _history(world: World, me: Person) -> list[HistoryRow]:
    return [
        HistoryRow(
            lived.item,
            world.catalogue[lived.item].title,
            lived.at,
            round(lived.fraction, 3),
            lived.stars,
            lived.feeling,
        )
        for lived in me.history
    ]


def _decisions(log: Log, teller: Teller, who: int, upto: int | None) -> list[DecisionRow]:
    """Return a person's newest decisions, oldest first, each with what led to it."""
    rows: list[DecisionRow] = []
    for seq in arrivals_of(log, who, DECISIONS):
        for _, chapter in log.follow(seq - 1, limit=1):
            if upto is None or chapter.round <= upto:
                rows += decisions_in(chapter, seq, teller, who)
    return rows[-DECISIONS:]


def decisions_in(chapter: e.Chapter, seq: int, teller: Teller, who: int) -> list[DecisionRow]:
    """Return the decisions of a person in a chapter, each with what came of it."""
    rows: list[DecisionRow] = []
    for step, entry in enumerate(chapter.entries):
        if getattr(entry.event, "agent", None) != who:
            continue
        if not rows or entry.cause or entry.calls:
            place = (seq, chapter.round, chapter.phase, step)
            rows.append(DecisionRow(*place, entry.cause, entry.calls, events=[], lines=[]))
        rows[-1].events.append(entry.event)
        if line := teller.line(entry.event).strip():
            rows[-1].lines.append(line)
    return rows
