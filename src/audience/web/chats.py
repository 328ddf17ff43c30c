"""Endpoints of chats: talk with one person of a run, who remembers the talk and nothing after."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from audience.agents.language import ChatLine
from audience.errors import BadInput
from audience.results import csv_text
from audience.runs import (
    MOST_LINES,
    ChatHead,
    ChatRecord,
    begin_chat,
    chats_in,
    keep_line,
    read_chat,
    reply_to,
)
from audience.web.background import Background
from audience.web.interviews import RecordId
from audience.web.people import name_of
from audience.web.replies import Conflict, Missing, file_reply, json_reply, to_json
from audience.web.requests import ChatBegin, ChatWords, RunId
from audience.web.run_registry import RunRegistry
from audience.web.scenarios import Offer
from audience.web.voice_types import ChatReply, ChatRow


class Chats:
    """The chats with people of runs; a person answers one line after another."""

    def __init__(self, registry: RunRegistry, offer: Offer) -> None:
        self._registry, self._offer = registry, offer
        self._answering: set[tuple[Path, str]] = set()

    def begin(self, folder: Path, body: ChatBegin) -> ChatRecord:
        """Begin a chat with a person as they are at the end of a round."""
        with self._registry.readers.reading(folder) as reader:
            self._offer.check_asked(reader.scenario.llm)
            at = reader.round_of(body.at)
            world = reader.world(at)
            if body.agent >= len(world.agents):
                raise Missing(f"person {body.agent} does not exist; there are {len(world.agents)}")
            head = ChatHead(body.agent, name_of(world, body.agent), at)
        return ChatRecord(begin_chat(folder, head), head, [])

    def say(self, folder: Path, id_: str, text: str) -> ChatRecord:
        """Say something, and return the chat with what the person answers."""
        if not text.strip():
            raise BadInput("text: it is empty; say something")
        with self._registry.readers.reading(folder) as reader:
            self._offer.check_asked(reader.scenario.llm)
        chat = found(folder, id_)
        if len(chat.lines) >= MOST_LINES:
            raise Conflict(f"this chat has {MOST_LINES} lines; begin another")
        if (folder, id_) in self._answering:
            raise Conflict(f"{chat.head.name} is still answering")
        self._answering.add((folder, id_))
        try:
            mine = ChatLine(False, " ".join(text.split()))
            theirs = reply_to(
                folder,
                chat.head.agent,
                [*chat.lines, mine],
                chat.head.at,
                name=id_,
                spending=self._registry.spending_left(folder),
            )
            keep_line(folder, id_, mine)
            keep_line(folder, id_, theirs)
        finally:
            self._answering.discard((folder, id_))
        return msgspec.structs.replace(chat, lines=[*chat.lines, mine, theirs])


def found(folder: Path, id_: str) -> ChatRecord:
    """Return a chat that is kept beside a run; raise if there is none."""
    chat = read_chat(folder, id_)
    if chat is None:
        raise Missing(f"there is no chat {id_} beside this run")
    return chat


def router(registry: RunRegistry, offer: Offer, background: Background) -> APIRouter:
    """Return the endpoints of chats."""
    api = APIRouter()
    chats = Chats(registry, offer)

    @api.post("/runs/{run}/chats", response_class=Response, status_code=201)
    def begin(run: RunId, body: ChatBegin) -> Response:
        """Begin a chat with a person; it changes nothing in the run."""
        return json_reply(_reply(chats.begin(registry.folders.folder_of(run), body)), 201)

    @api.get("/runs/{run}/chats", response_class=Response)
    def listed(run: RunId) -> Response:
        """Return the chats kept beside a run, newest first."""
        return json_reply([_row(chat) for chat in chats_in(registry.folders.folder_of(run))])

    @api.get("/runs/{run}/chats/{id}", response_class=Response)
    def one(run: RunId, id: RecordId) -> Response:  # noqa: A002
        """Return a chat."""
        return json_reply(_reply(found(registry.folders.folder_of(run), id)))

    @api.post("/runs/{run}/chats/{id}", response_class=Response)
    async def say(run: RunId, id: RecordId, body: ChatWords) -> Response:  # noqa: A002
        """Say something in a chat; the reply holds what the person answered."""
        folder = await asyncio.to_thread(registry.folders.folder_of, run)
        chat = await background.result(lambda: chats.say(folder, id, body.text))
        return json_reply(_reply(chat))

    @api.get("/runs/{run}/chats/{id}/chat.json", response_class=Response)
    def whole(run: RunId, id: RecordId) -> Response:  # noqa: A002
        """Return a chat as a file."""
        chat = _reply(found(registry.folders.folder_of(run), id))
        return file_reply(to_json(chat), f"chat-{id}.json", "application/json")

    @api.get("/runs/{run}/chats/{id}/chat.csv", response_class=Response)
    def table(run: RunId, id: RecordId) -> Response:  # noqa: A002
        """Return the lines of a chat as CSV."""
        chat = found(registry.folders.folder_of(run), id)
        rows = (
            [chat.head.name if line.is_theirs else "you", line.text, line.failure]
            for line in chat.lines
        )
        return file_reply(csv_text(("who", "text", "failure"), rows), f"chat-{id}.csv")

    return api


def _row(chat: ChatRecord) -> ChatRow:
    head = chat.head
    return ChatRow(chat.id, head.agent, head.name, head.at, len(chat.lines))


def _reply(chat: ChatRecord) -> ChatReply:
    return ChatReply(**msgspec.structs.asdict(_row(chat)), said=chat.lines)
