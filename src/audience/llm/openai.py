"""The connection to a server over HTTP, for models and for recommenders alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from audience.llm import keys, wire as answers
from audience.llm.endpoint import Endpoint, Form, Offers, headers_of, proxy_of, trust_of
from audience.llm.request import Request, Tried, added, changed
from audience.llm.wire import chat_body, echo_body, embed_body

if TYPE_CHECKING:
    import aiohttp


def open_session(headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """Return a session of as many connections as are asked for, without cookies or limits."""
    import aiohttp

    return aiohttp.ClientSession(
        headers=headers,
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
    )


class _Came(NamedTuple):
    status: int
    payload: bytes
    headers: Mapping[str, str]


class OpenAI:
    """Asks one endpoint once; what fails comes back as a `Tried`. Retries are not its business."""

    def __init__(
        self, endpoint: Endpoint, *, deadline: float = 60.0, folder: Path | None = None
    ) -> None:
        """Read the key now, so that a missing one is told before anything starts."""
        self.endpoint = endpoint
        self.name = endpoint.name
        self.deadline = deadline
        self.offers = Offers()
        self._headers = headers_of(endpoint, folder)
        self._secrets = keys.secrets_in(self._headers)
        self._trust = trust_of(endpoint)
        self._proxy = proxy_of(endpoint)
        self._model = endpoint.model
        self._session: aiohttp.ClientSession | None = None

    async def ask(self, request: Request) -> Tried:
        """Return what came of one request within the deadline."""
        import aiohttp

        began = perf_counter()
        try:
            async with asyncio.timeout(self.deadline):
                found = await self._ask(request)
        except TimeoutError:
            why = f"no answer within {self.deadline:g} s"
            found = Tried(request.key, "timeout", why=why, again=True)
        except aiohttp.ClientConnectorError as error:
            found = self._lost(
                request, f"cannot be reached: {error}".replace(" ssl:default", ""), elsewhere=True
            )
        except (aiohttp.ClientError, OSError) as error:
            found = self._lost(request, f"the connection broke: {error or type(error).__name__}")
        return self._told(request, found, perf_counter() - began)

    async def models(self) -> tuple[str, ...]:
        """Return the models that the server lists; none where it does not."""
        came = await self._send("GET", "/models", None)
        body = answers.loaded(came.payload) if came.status == 200 else None
        listed = body.get("data") if isinstance(body, dict) else None
        rows = listed if isinstance(listed, list) else []
        return tuple(str(one["id"]) for one in rows if isinstance(one, dict) and "id" in one)

    async def close(self) -> None:
        """Close the connections; asking again opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _told(self, request: Request, found: Tried, seconds: float) -> Tried:
        why = f"{self.name}: {keys.scrub(found.why, self._secrets)}" if found.why else ""
        texts = tuple(keys.hide(text, self._secrets) for text in found.texts)
        model = found.model or request.model or self._model
        return changed(
            found, why=why, texts=texts, model=model, endpoint=self.name, seconds=seconds
        )

    def _lost(self, request: Request, why: str, *, elsewhere: bool = False) -> Tried:
        return Tried(request.key, "error", why=why, again=True, elsewhere=elsewhere)

    async def _ask(self, request: Request) -> Tried:
        model = request.model or await self._own_model()
        if request.embed:
            return await self._embed(request, model)
        if request.options and self.offers.scores in (None, "echo"):
            scored = await self._score(request, model)
            if scored is not None:
                return scored
        count = request.candidates if self.offers.many is not False else 1
        found = await self._formed(request, model, count, 0)
        if found.outcome != "reply":
            return found
        if request.options and self.offers.scores is None:
            # Scores that tell no options apart are an odd answer, not a server without them.
            self.offers.scores = "top" if found.scored else "none"
        if count > 1 and self.offers.many is None:
            self.offers.many = len(found.texts) > 1
        missing = request.candidates - len(found.texts)
        if missing <= 0:
            return changed(found, texts=found.texts[: request.candidates])
        return await self._filled(request, model, found, missing)

    async def _filled(self, request: Request, model: str, found: Tried, missing: int) -> Tried:
        """Ask for the candidates that did not come, each by itself."""
        start = len(found.texts)
        shifts = range(start, start + missing)
        more = await asyncio.gather(*(self._formed(request, model, 1, one) for one in shifts))
        for one in more:
            found = changed(
                found,
                texts=found.texts + (one.texts[:1] if one.outcome == "reply" else ()),
                usage=added(found.usage, one.usage),
            )
        return found

    async def _formed(self, request: Request, model: str, count: int, shift: int) -> Tried:
        """Ask by the best form the server is known to offer, or find out which that is."""
        if request.schema is None:
            return await self._chat(request, model, None, count, shift)
        first: Tried | None = None
        for form in self.offers.forms():
            found = await self._chat(request, model, form, count, shift)
            first = first or found
            if form == "told" or not self._misses(found):
                break
        if found.outcome == "reply":
            if form == "told" or any(_is_json(text) for text in found.texts):
                self.offers.form = self.offers.form or form
            return found
        return found if found.again else first or found

    def _misses(self, found: Tried) -> bool:
        """Say whether the server would not, or did not, keep to the form."""
        if found.outcome == "reply":
            unproven = self.offers.form is None and not found.cut
            return unproven and not any(_is_json(text) for text in found.texts)
        return self.offers.refused_form(found.status, found.why)

    async def _chat(
        self, request: Request, model: str, form: Form | None, count: int, shift: int
    ) -> Tried:
        def body() -> dict[str, Any]:
            return chat_body(
                request,
                self.endpoint,
                self.offers,
                model=model,
                form=form,
                count=1 if "n" in self.offers.without else count,
                shift=shift,
            )

        came = await self._learning("/chat/completions", body)
        return answers.read_chat(request, came.status, came.payload, came.headers)

    async def _embed(self, request: Request, model: str) -> Tried:
        """Ask for a vector; one of another length than the first that came cannot be used."""

        def body() -> dict[str, Any]:
            return embed_body(request, self.offers, model)

        came = await self._learning("/embeddings", body)
        found = answers.read_embedding(request, came.status, came.payload, came.headers)
        if found.outcome != "reply":
            return found
        length = self.offers.lengths.setdefault(model, len(found.text))
        if len(found.text) == length:
            return found
        why = "the vector has not as many numbers as those before"
        return changed(found, outcome="unreadable", texts=(), why=why, again=True)

    async def _learning(self, path: str, body: Callable[[], dict[str, Any]]) -> _Came:
        """Send, and send anew without the fields that the server will not have."""
        while True:
            sent = body()
            came = await self._send("POST", path, sent)
            text = came.payload.decode("utf-8", "replace") if came.status != 200 else ""
            # Of many at once only the first complaint is news; the others are sent anew as well.
            if not self.offers.learn(came.status, text) and (not text or body() == sent):
                return came

    async def _score(self, request: Request, model: str) -> Tried | None:
        """Return the options' scores as whole continuations; None where that is not offered."""
        body, start = echo_body(request, self.endpoint, model)
        came = await self._send("POST", "/completions", body)
        if came.status == 429 or came.status >= 500:
            return answers.read_failure(request, came.status, came.payload, came.headers)
        scores = answers.echo_scores(request, came.payload, start) if came.status == 200 else ()
        if not scores:
            # Not remembered by itself: the chat that follows shows what is offered instead.
            return None
        self.offers.scores = "echo"
        usage = answers.usage_of(answers.loaded(came.payload))
        return Tried(request.key, "reply", scores=scores, usage=usage, status=200)

    async def _own_model(self) -> str:
        if not self._model:
            listed = await self.models()
            self._model = listed[0] if listed else "default"
        return self._model

    async def _send(self, method: str, path: str, body: dict[str, Any] | None) -> _Came:
        session = self._session or self._open()
        address = f"{self.endpoint.root}{path}{self.endpoint.query}"
        async with session.request(
            method,
            address,
            data=None if body is None else orjson.dumps(body),
            proxy=self._proxy,
            ssl=self._trust or True,
        ) as response:
            return _Came(response.status, await response.read(), response.headers)

    def _open(self) -> aiohttp.ClientSession:
        self._session = open_session(self._headers)
        return self._session


def _is_json(text: str) -> bool:
    return isinstance(answers.loaded(text), dict | list)
