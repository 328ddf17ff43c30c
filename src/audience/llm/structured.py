"""Structured asking: prompt files, JSON schemas, asking, reading, and one repair."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import replace

from audience.errors import BadInput
from audience.llm.lenient_json import Unreadable
from audience.llm.request import ChatMessage, Gateway, Reply, Request

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Invisible characters, which may reorder, hide or colour the text around them."""
CHARACTERS = 4
"""Characters per token, roughly; only used to keep parts within their budgets."""


class Prompts:
    """A set of prompt files: packaged ones, some for one model, overridden by the user's."""

    def __init__(self, *ours: Path, folder: str = "", model: str = "") -> None:
        """`ours`: folders of packaged files, searched in order; `folder`: the user's."""
        self.ours = ours
        self.folder = Path(folder) if folder else None
        self.model = model
        if self.folder and not self.folder.is_dir():
            raise BadInput(f"prompts: {folder} is not a folder with prompt files such as page.md")

    def text(self, name: str, *, pack: str = "default") -> str:
        """Return a prompt file: the user's for this model, the user's, ours for it, ours."""
        for place in self._places(pack):
            path = place / f"{name}.md"
            if path.is_file():
                return path.read_text("utf-8")
        packs = (*_prefixes(self.model), pack) if pack == "default" else (pack,)
        return _packaged(self.ours, packs, name)

    def _places(self, pack: str) -> Iterable[Path]:
        if self.folder:
            for part in _prefixes(self.model):
                yield self.folder / part
            yield self.folder / pack
            yield self.folder

    def examples(self, name: str) -> str:
        """Return the user's few-shot examples of a behaviour, if any."""
        for place in self._places("default"):
            path = place / f"{name}.examples.md"
            if path.is_file():
                return path.read_text("utf-8").strip()
        return ""

    def fill(self, name: str, holes: Mapping[str, str], *, pack: str = "default") -> str:
        """Return a prompt with its holes filled and empty lines removed."""
        try:
            filled = Template(self.text(name, pack=pack)).substitute(holes)
        except (KeyError, ValueError) as error:
            raise BadInput(
                f"prompt {name}.md: hole {error} is unknown; known: {', '.join(holes)}"
            ) from None
        lines = [line.rstrip() for line in filled.splitlines()]
        return "\n".join(line for line in lines if line).strip()


def _prefixes(model: str) -> list[str]:
    """Return the folder names for a model's prompts, the most specific first."""
    name = model.rsplit("/", 1)[-1].lower()
    parts = name.split("-")
    return ["-".join(parts[:count]) for count in range(len(parts), 0, -1)] if name else []


@lru_cache(maxsize=64)
def _packaged(ours: tuple[Path, ...], packs: tuple[str, ...], name: str) -> str:
    places = [folder / pack / f"{name}.md" for pack in packs for folder in ours]
    path = next((path for path in places if path.is_file()), places[-1])
    return path.read_text("utf-8")


def plain(text: str, longest: int) -> str:
    """Return a text on one line, shortened if long, so that it cannot shape a prompt."""
    # A very long text is cut before it is split into words.
    flat = " ".join(_CONTROLS.sub(" ", text[: 8 * longest]).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def quoted(text: str, longest: int = 240) -> str:
    """Return a text on one line in quotation marks, shortened if long."""
    return '"' + plain(text, longest).replace('"', "'") + '"'


def bounded(title: str, lines: Sequence[str], tokens: int) -> str:
    """Return the newest lines that fit a budget below their title; empty if there are none."""
    kept: list[str] = []
    room = tokens * CHARACTERS - len(title)
    for line in reversed(lines):
        room -= len(line) + 3
        if room < 0:
            break
        kept.append(line)
    if not kept:
        return ""
    return "\n".join([title] * bool(title) + [f"- {line}" for line in reversed(kept)])


T = TypeVar("T")
Schema = dict[str, Any]
Messages = tuple[ChatMessage, ...]


class Structured(msgspec.Struct, Generic[T], frozen=True):
    """The answer to a question, and the replies behind it: one, or two after a repair."""

    value: T
    """What was read, often possibly `Unreadable`."""
    replies: tuple[Reply, ...]

    @property
    def calls(self) -> tuple[str, ...]:
        """The keys of the calls, in order."""
        return tuple(reply.key for reply in self.replies)


async def ask_for(
    gateway: Gateway,
    request: Request,
    read: Callable[[Reply], T],
    repair: Callable[[Reply, Unreadable], Request] | None = None,
) -> Structured[T]:
    """Ask and read; ask once more if the reply cannot be read.

    There is no second request without `repair`, or after a refusal, a timeout or an error.
    """
    reply = await gateway.ask(request)
    value = read(reply)
    if repair is None or not isinstance(value, Unreadable) or reply.outcome != "reply":
        return Structured(value, (reply,))
    repaired = await gateway.ask(repair(reply, value))
    return Structured(read(repaired), (reply, repaired))


class Questioner:
    """How one mind or memory asks: its gateway, model, prompts and sampling."""

    def __init__(
        self,
        gateway: Gateway,
        prompts: Prompts,
        *,
        temperature: float,
        max_tokens: int = 0,
        repair: str = "repair",
        shown: int = 2000,
    ) -> None:
        """`repair` names the repair prompt; `shown`: characters of the reply it quotes."""
        self.gateway = gateway
        self.prompts = prompts
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.repair = repair
        self.shown = shown

    async def ask_for(
        self,
        purpose: str,
        messages: Messages,
        decision: int,
        read: Callable[[Reply], T],
        schema: Schema,
        *,
        size: int = 0,
    ) -> Structured[T]:
        """Ask for something that `read` understands, with one repair.

        `decision` is the key of what is decided; as part of the salt it lets an equal branch reuse
        calls. `size`: tokens of the reply, if not the default.
        """
        first = self._request(purpose, messages, f"{decision:016x}.{purpose}.0", schema, size)

        def again(reply: Reply, wrong: Unreadable) -> Request:
            repaired = (
                *messages,
                ChatMessage("assistant", reply.text[: self.shown]),
                ChatMessage("user", self.prompts.fill(self.repair, {"why": wrong.why})),
            )
            return replace(first, messages=repaired, salt=f"{decision:016x}.{purpose}.1")

        return await ask_for(self.gateway, first, read, again)

    async def ask_once(
        self,
        purpose: str,
        messages: Messages,
        decision: int,
        read: Callable[[Reply], T],
        schema: Schema | None = None,
        *,
        nth: int = 0,
        size: int = 0,
    ) -> Structured[T]:
        """Ask the `nth` of several questions of a decision, without a repair."""
        salt = f"{decision:016x}.{purpose}.{nth}"
        request = self._request(purpose, messages, salt, schema, size)
        return await ask_for(self.gateway, request, read)

    async def choose(
        self,
        purpose: str,
        messages: Messages,
        decision: int,
        options: tuple[str, ...],
        *,
        nth: int = 0,
    ) -> Reply:
        """Ask for one token that names one of some options; see `choice_in` for reading it."""
        request = self._request(purpose, messages, f"{decision:016x}.{purpose}.{nth}", None, 1)
        return await self.gateway.ask(replace(request, options=options))

    def _request(
        self, purpose: str, messages: Messages, salt: str, schema: Schema | None, size: int
    ) -> Request:
        return Request(
            purpose,
            messages,
            self.prompts.model,
            schema=schema,
            max_tokens=size or self.max_tokens,
            temperature=self.temperature,
            salt=salt,
        )


def unanswered(reply: Reply) -> Unreadable | None:
    """Return why there is nothing to read, or None."""
    if reply.outcome == "reply":
        return None
    return Unreadable(f"{reply.outcome}: {reply.why}" if reply.why else reply.outcome)


def object_of(**properties: Schema) -> Schema:
    """Return the schema of an object that has exactly these fields."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


TEXT: Schema = {"type": "string"}
"""The schema of a text. Its length is checked by readers: in a schema it slows servers down."""


def one_of(values: Sequence[str] | Sequence[int]) -> Schema:
    """Return the schema of one of the given words or whole numbers."""
    numbers = bool(values) and isinstance(values[0], int)
    return {"type": "integer" if numbers else "string", "enum": list(values)}


def list_of(
    items: Schema, least: int | None = None, most: int | None = None, *, unique: bool = False
) -> Schema:
    """Return the schema of a list of limited length."""
    listed: Schema = {"type": "array", "items": items}
    if least is not None:
        listed["minItems"] = least
    if most is not None:
        listed["maxItems"] = most
    if unique:
        listed["uniqueItems"] = True
    return listed
