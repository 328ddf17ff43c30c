"""The story: events of a log in words, and a person as they are at the end of a round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from audience.errors import BadInput
from audience.llm import CallStore
from audience.log import Log, world_at
from audience.world import LEVELS, AnyChange, Genesis, Raise, World, events as e, shown, tastes

WORDS = (e.Felt, e.Posted, e.Said, e.Unfounded)
"""Events in which somebody speaks."""


def story(
    log: Log,
    upto: int,
    who: int | None = None,
    *,
    only: tuple[type, ...] = (),
    calls: CallStore | None = None,
) -> Iterator[str]:
    """Yield a line for each event that is worth telling, in the order of the log.

    `only` keeps to some kinds of events; `calls` adds the prompts and replies behind each.
    """
    teller = Teller(log.genesis())
    for chapter in log.chapters(end_round=upto + 1):
        for entry in chapter.entries:
            event = entry.event
            teller.learn(event)
            if who is not None and not _concerns(event, who):
                continue
            if only and not isinstance(event, only):
                continue
            if line := teller.line(event):
                yield printable(line + (f"  ({entry.cause})" if entry.cause else ""))
            if calls is not None:
                yield from (line for key in entry.calls for line in _behind(calls, key))


def printable(text: str) -> str:
    """Return a text as one line without control characters."""
    return "".join(one if one.isprintable() else " " for one in text)


def _behind(calls: CallStore, key: str) -> Iterator[str]:
    """Yield the prompt and the reply of a call."""
    for call in calls.of(key)[-1:]:
        yield f"      ── {call.request.purpose}, {call.reply.model}, {call.reply.outcome}"
        for message in call.request.messages:
            for line in message.content.splitlines():
                yield printable(f"      {message.role[:1]}│ {line}")
        for text in call.reply.texts or (call.reply.why,):
            for line in text.splitlines():
                yield printable(f"      →│ {line}")


def _concerns(event: e.AnyEvent, who: int) -> bool:
    if isinstance(event, e.Delivered):
        return event.author == who or who in event.to
    if isinstance(event, e.Gathered):
        return who in event.members
    return who in (getattr(event, "agent", None), getattr(event, "to", None))


class Teller:
    """Tells events with names and titles, including those of people and items added later."""

    def __init__(self, genesis: Genesis) -> None:
        self.names = {
            profile.id: profile.name or f"person {profile.id}" for profile in genesis.profiles
        }
        self.names[-1] = "the platform"
        self.titles = [item.title for item in genesis.catalogue.items]
        self.past = genesis.domain.past
        self.topics: list[str] = []

    def learn(self, event: e.AnyEvent) -> None:
        change = event.change if isinstance(event, e.Intervened) else None
        if profile := getattr(change, "profile", None):
            self.names[profile.id] = profile.name or f"person {profile.id}"
        if item := getattr(change, "item", None):
            self.titles.append(item.title)
        if topic := getattr(change, "topic", None):
            self.topics.append(topic.name)

    def line(self, event: e.AnyEvent) -> str:
        """Return an event in words, without control characters."""
        return visible(self._line(event))

    def _line(self, event: e.AnyEvent) -> str:
        names, titles = self.names, self.titles
        name = f"{names[event.agent]} [{event.agent}]" if hasattr(event, "agent") else ""
        match event:
            case e.RoundStarted(round_, at):
                return f"Round {round_}, {shown(at)}"
            case e.Woke(_, at):
                return f"  {name} comes, {shown(at)}"
            case e.SlateShown(_, items, page, surface):
                listed = ", ".join(titles[item] for item in items)
                return f"    {surface} page {page + 1}: {listed}"
            case e.Searched(_, query, found):
                return f"    {name} searches for “{query}”: {found} found"
            case e.Watched(_, item, fraction):
                return f"    {name} {self.past} {titles[item]} ({fraction:.0%})"
            case e.Rated(_, item, stars):
                return f"    {name} gives {titles[item]} {'★' * stars}{'☆' * (5 - stars)}"
            case e.Felt(_, _, text):
                return f"    {name} feels: {text}"
            case _:
                return self.social_line(event, name)

    def social_line(self, event: e.AnyEvent, name: str) -> str:
        names = self.names
        match event:
            case e.Posted(_, _, text):
                return f"    {name} posts: {text}"
            case e.Forwarded(_, _, _, author, text):
                return f"    {name} forwards {names[author]}: {text}"
            case e.Said(_, to, text):
                return f"    {name} to {names[to]} [{to}]: {text}"
            case e.Delivered(_, author, to, text):
                return f"    {len(to)} people hear from {names[author]}: {text}"
            case e.Followed(_, who) | e.Unfollowed(_, who):
                return f"    {name} {type(event).__name__.lower()} {names[who]}"
            case _:
                return self.company_line(event, name)

    def company_line(self, event: e.AnyEvent, name: str) -> str:
        names = self.names
        match event:
            case e.Gathered(_, members, items, _, _, rule):
                together = ", ".join(f"{names[member]} [{member}]" for member in members)
                return f"    {together} are together and choose among {len(items)} ({rule})"
            case e.Parted(_, _, company, satisfaction):
                together = " and ".join(names[one] for one in company)
                return f"    {name} parts from {together}, satisfied {satisfaction:.2f}"
            case e.Unfounded(_, strange):
                listed = ", ".join(f"<{title}>" for title in strange)
                return f"    ! {name} neither saw nor heard of {listed}"
            case _:
                return self.topic_line(event, name)

    def topic_line(self, event: e.AnyEvent, name: str) -> str:
        match event:
            case e.MoodShifted(_, topic, level):
                return f"    {name} is {LEVELS[level]} about {self.topics[topic]}"
            case e.AttitudeShifted(_, topic, stance):
                side = "for" if stance > 0 else "against"
                return f"    {name} is {side} {self.topics[topic]}"
            case e.Intervened(Raise(begun, seeds)):
                return f"  A topic begins: {begun.name}, told first by {len(seeds)} people"
            case _:
                return self.other_line(event, name)

    def change_line(self, change: AnyChange) -> str:
        """Return an intervention in words: what it does, then each field with names."""
        verb = "".join(f" {c.lower()}" if c.isupper() else c for c in type(change).__name__).strip()
        parts = [
            self._told(field, value)
            for field, value in msgspec.structs.asdict(change).items()
            if value not in ((), "", None, {})
        ]
        return f"{verb}: {', '.join(parts)}" if parts else verb

    def _told(self, field: str, value: object) -> str:
        people = ("agent", "other", "agents", "seeds", "friends")
        if field in people or (field == "items" and isinstance(value, tuple)):
            known = self.names if field in people else dict(enumerate(self.titles))
            numbers = value if isinstance(value, tuple) else (value,)
            return f"{field} {' and '.join(known.get(n, str(n)) for n in numbers)}"
        if isinstance(value, msgspec.Struct):
            return str(getattr(value, "name", "") or getattr(value, "title", "") or field)
        if isinstance(value, dict):
            return ", ".join(f"{key} {inner}" for key, inner in value.items())
        return f"{field} {value}"

    def other_line(self, event: e.AnyEvent, name: str) -> str:
        match event:
            case e.SlateAnnotated(_, _, reasons) if any(reasons):
                return f"      because: {'; '.join(why or '–' for why in reasons)}"
            case e.Left(_, satisfaction, why):
                satisfied = "" if satisfaction is None else f", satisfied {satisfaction:.2f}"
                return f"    {name} leaves{satisfied}{f' ({why})' if why else ''}"
            case e.Refused(_, action, why):
                return f"    {name} may not {action}: {why}"
            case e.Failed(_, why):
                return f"    {name} failed: {why}"
            case e.Intervened(change):
                return f"  Intervention: {self.change_line(change)}"
            case e.RecommenderFitted(kind, count, _):
                return f"  {kind} is fitted on {count} interactions"
            case _ if event.phrase:
                item = self.titles[event.item] if hasattr(event, "item") else ""
                return f"    {event.phrase.format(name=name, item=item)}"
            case _:
                return ""


def visible(text: str) -> str:
    """Return a text with its control characters escaped."""
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() or mark == "\n" else _escaped(mark) for mark in text)


def _escaped(mark: str) -> str:
    return mark.encode("unicode_escape").decode()


def person_at(log: Log, who: int, at: int) -> dict[str, Any]:
    """Return a person at the end of a round, as plain values."""
    world = world_at(log, at)
    if not 0 <= who < len(world.agents):
        raise BadInput(f"--agent {who}: people are numbered from 0 to {len(world.agents) - 1}")
    me = world.agents[who]
    catalogue = world.catalogue
    liking = sorted(zip(tastes([me.taste])[0].tolist(), catalogue.tags, strict=True), reverse=True)
    return {
        **{
            key: value for key, value in msgspec.to_builtins(me.profile).items() if key != "leaning"
        },
        "at": f"end of round {at}",
        "taste": {tag: round(value, 2) for value, tag in liking[:6]},
        "satisfaction": round(me.satisfaction, 3),
        "visits": me.visits,
        "history": [
            f"{catalogue[one.item].title} ({one.fraction:.0%}, {one.stars or '–'}★)"
            for one in me.history[-12:]
        ],
        "heard": [f"{catalogue[one.item].title} ({one.stance:+.1f})" for one in me.heard[-8:]],
        "ties": [
            f"{world.agents[tie.other].profile.name} [{tie.other}], {tie.kind} {tie.closeness:.2f}"
            for tie in world.graph.ties(who)[:12]
        ],
        **({"topics": _topics(world, who)} if world.spread.topics else {}),
    }


def _topics(world: World, who: int) -> dict[str, str]:
    """Return where a person stands on each topic."""
    standings = {}
    for number, topic in enumerate(world.spread.topics):
        one = world.spread.standing(number, who)
        view = {-1: "against it", 0: "no view", 1: "for it"}[one.stance]
        words = f"{LEVELS[one.level]}, {view}, since round {one.aware}"
        standings[topic.name] = words if one.aware else "never heard of it"
    return standings
