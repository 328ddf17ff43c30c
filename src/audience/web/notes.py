"""Endpoints of notes: scores and words on decisions, talk and people, and decisions to score."""

from __future__ import annotations

import re
import threading
from typing import Annotated

from fastapi import APIRouter, Path as InPath, Query
from starlette.responses import Response

from audience.log import Log
from audience.results import csv_text
from audience.runs import RunNote, Subject, keep_note, notes_in
from audience.web.people import decisions_in, deed, name_of
from audience.web.readers import Reader
from audience.web.replies import Missing, file_reply, json_reply, to_json
from audience.web.reply_types import DecisionRow
from audience.web.requests import NoteBody, RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.web.voice_types import DecisionCase, NoteRow, SubjectReply
from audience.world import (
    VISITS,
    Chapter,
    Entered,
    Forwarded,
    Picked,
    Posted,
    Said,
    Searched,
    SlateAnnotated,
    SlateShown,
    Wished,
    Woke,
    World,
    rng,
)

MOST_CASES = 200
MOST_SHOWN = 30
_SEEN = (SlateShown, SlateAnnotated, Entered, Woke)
_TELLING = (SlateShown, Picked, Searched, Posted, Forwarded, Wished)
"""What a visit must hold for its decision to be worth a score."""
About = Annotated[str, InPath(pattern=r"^(decision|talk)\.\d{1,15}\.\d{1,9}$|^person\.\d{1,9}$")]
_ABOUT = re.compile(r"(decision|talk|person)\.(\d+)(?:\.(\d+))?")
_COLUMNS = (
    *("kind", "person", "name", "round", "chapter", "step"),
    *("author", "score", "note", "about"),
)


def router(registry: RunRegistry) -> APIRouter:
    """Return the endpoints of notes."""
    api = APIRouter()
    writing = threading.Lock()

    @api.get("/runs/{run}/notes", response_class=Response)
    def listed(run: RunId) -> Response:
        """Return the notes beside a run, newest first."""
        notes = notes_in(registry.folders.folder_of(run))
        return json_reply([_row(note) for note in reversed(notes)])

    @api.get("/runs/{run}/notes.csv", response_class=Response)
    def table(run: RunId) -> Response:
        """Return the notes as CSV."""
        return file_reply(_csv(notes_in(registry.folders.folder_of(run))), "notes.csv")

    @api.get("/runs/{run}/notes.json", response_class=Response)
    def whole(run: RunId) -> Response:
        """Return the notes as a file."""
        notes = notes_in(registry.folders.folder_of(run))
        rows = to_json([_row(note) for note in notes])
        return file_reply(rows, "notes.json", "application/json")

    @api.get("/runs/{run}/notes/{about}", response_class=Response)
    def subject(run: RunId, about: About) -> Response:
        """Return what a decision, talk or person is, and the notes on it."""
        folder = registry.folders.folder_of(run)
        with registry.readers.reading(folder) as reader:
            found, words = _subject(reader, about)
            name = _name(reader.world(), found.agent)
        notes = [_row(note) for note in notes_in(folder) if note.subject.about == about]
        return json_reply(SubjectReply(about, found, name, words, notes))

    @api.put("/runs/{run}/notes/{about}", response_class=Response)
    def write(run: RunId, about: About, body: NoteBody) -> Response:
        """Keep a score, words or both; without either, take back what the author wrote."""
        folder = registry.folders.folder_of(run)
        with registry.readers.reading(folder) as reader:
            found, words = _subject(reader, about)
            name = _name(reader.world(), found.agent)
        note = RunNote(found, name, words, body.author, body.score, body.text)
        with writing:
            keep_note(folder, note)
        return json_reply(_row(note))

    @api.get("/runs/{run}/decisions", response_class=Response)
    def decisions(
        run: RunId,
        count: Annotated[int, Query(ge=1, le=MOST_CASES)] = 20,
        seed: Annotated[Whole, Query()] = 1,
    ) -> Response:
        """Return decisions to score, drawn from all visits; the same seed draws the same."""
        with registry.readers.reading(registry.folders.folder_of(run)) as reader:
            return json_reply(_cases(reader, count, seed))

    return api


def _subject(reader: Reader, about: str) -> tuple[Subject, str]:
    """Return what an address names, and it in words; raise if the run has no such thing."""
    parts = _ABOUT.fullmatch(about)
    assert parts is not None
    kind, first, step = parts[1], int(parts[2]), int(parts[3] or 0)
    if kind == "person":
        world = reader.world()
        if first >= len(world.agents):
            raise Missing(f"person {first} does not exist; there are {len(world.agents)}")
        return Subject("person", first), _who(world, first)
    chapter = _chapter(reader.log, first)
    if step >= len(chapter.entries):
        raise Missing(f"chapter {first} has no step {step}")
    event = chapter.entries[step].event
    agent = int(getattr(event, "agent", getattr(event, "author", chapter.agent)))
    place = {"n": first, "step": step, "round": chapter.round}
    if kind == "talk":
        return Subject("talk", agent, **place), _talk(reader, chapter, step)
    rows = [row for row in decisions_in(chapter, first, reader.teller(), agent) if row.step == step]
    if not rows:
        raise Missing(f"no decision was made at step {step} of chapter {first}")
    words = "; ".join(_deeds(reader, rows[0], agent))
    return Subject("decision", agent, **place), words or "; ".join(rows[0].lines)


def _deeds(reader: Reader, row: DecisionRow, who: int) -> list[str]:
    """Return what came of a decision, without what the person only saw."""
    teller, name = reader.teller(), _name(reader.world(), who)
    done = (event for event in row.events if not isinstance(event, _SEEN))
    return [line for event in done if (line := deed(teller, event, name, who))]


def _talk(reader: Reader, chapter: Chapter, step: int) -> str:
    """Return a talk with all its lines, or a post."""
    teller = reader.teller()
    events = [entry.event for entry in chapter.entries]
    chosen = events if isinstance(events[step], Said) else [events[step]]
    return " ".join(filter(None, (teller.line(event).strip() for event in chosen)))


def _name(world: World, who: int) -> str:
    return name_of(world, who) if 0 <= who < len(world.agents) else "the platform"


def _who(world: World, who: int) -> str:
    profile = world.profile(who)
    facts = [str(profile.age) if profile.age is not None else "", profile.gender, profile.career]
    likes = f"likes {', '.join(profile.interests)}" if profile.interests else ""
    return ", ".join(filter(None, (name_of(world, who), *facts, likes)))


def _chapter(log: Log, n: int) -> Chapter:
    if chapter := _chapter_at(log, n):
        return chapter
    raise Missing(f"there is no chapter {n} in this run")


def _cases(reader: Reader, count: int, seed: int) -> list[DecisionCase]:
    cases: list[DecisionCase] = []
    world, last = reader.world(), reader.last
    for place in rng(seed, "notes", "decisions").permutation(last).tolist():
        chapter = _chapter_at(reader.log, place + 1)
        if chapter is None or chapter.phase != VISITS:
            continue
        if case := _case(reader, world, chapter, place + 1, seed):
            cases.append(case)
        if len(cases) == count:
            break
    return cases


def _chapter_at(log: Log, n: int) -> Chapter | None:
    found = log.follow(n - 1, limit=1)
    return found[0][1] if found and found[0][0] == n else None


def _case(reader: Reader, world: World, chapter: Chapter, n: int, seed: int) -> DecisionCase | None:
    """Return one decision of a visit in which something was done, with what was seen before it."""
    who = chapter.agent
    if not 0 <= who < len(world.agents):
        return None
    rows = [
        row
        for row in decisions_in(chapter, n, reader.teller(), who)
        if any(isinstance(event, _TELLING) for event in row.events)
    ]
    if not rows:
        return None
    row = rows[int(rng(seed, "notes", "of a visit", n).integers(len(rows)))]
    before = [entry.event for entry in chapter.entries[: row.step]]
    # Rules decide a whole visit at once, so their pages are shown within the decision.
    pages = [event for event in row.events if isinstance(event, SlateShown)]
    pages = pages or [event for event in before if isinstance(event, SlateShown)][-1:]
    items = list(dict.fromkeys(item for page in pages for item in page.items))[:MOST_SHOWN]
    titles = [world.catalogue[item].title for item in items]
    return DecisionCase(
        Subject("decision", who, n, row.step, chapter.round).about,
        who,
        name_of(world, who),
        _who(world, who),
        chapter.round,
        titles,
        row.cause,
        _deeds(reader, row, who),
        row.calls,
    )


def _row(note: RunNote) -> NoteRow:
    subject = note.subject
    return NoteRow(
        subject.about,
        subject,
        note.name,
        note.words,
        note.author,
        note.score,
        note.text,
    )


def _csv(notes: list[RunNote]) -> str:
    def cells(note: RunNote) -> list[str]:
        what = note.subject
        place = [str(what.round), str(what.n), str(what.step)] if what.n else ["", "", ""]
        score = "" if note.score is None else str(note.score)
        return [
            *(what.kind, str(what.agent), note.name, *place),
            *(note.author, score, note.text, note.words),
        ]

    return csv_text(_COLUMNS, map(cells, notes))
