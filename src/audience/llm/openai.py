"""The provider for OpenAI-compatible servers, and the HTTP session it uses."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from audience.llm import endpoint as keys, wire
from audience.llm.endpoint import Endpoint, headers_of, proxy_of, trust_of
from audience.llm.offers import Form, Offers, is_json, is_plain
from audience.llm.patience import Patience, within
from audience.llm.request import Request, Tried, Usage, added, changed
from audience.llm.response_body import LARGEST, BadBody, BodyReader
from audience.plain_text import without_unseen

if TYPE_CHECKING:
    import aiohttp

_MODELS = 1_000
"""Models of a server that are listed."""
_CORRECTIONS = 12
"""How often one request is repeated without what the server rejects."""
_IDLE = 3.0
"""Seconds after which an unused connection is closed. Many servers close theirs after five, and a
call that is sent over one just then is lost."""
log = logging.getLogger(__name__)


def open_session(headers: Mapping[str, str]) -> aiohttp.ClientSession:
    """Return an HTTP session without cookies or a limit on connections; bodies stay packed."""
    import aiohttp

    return aiohttp.ClientSession(
        headers={"Accept-Encoding": "gzip, deflate", **headers},
        auto_decompress=False,
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None),
    )


class _Response(NamedTuple):
    status: int
    payload: bytes
    headers: Mapping[str, str]


class OpenAI:
    """Asks one endpoint once per request; failures are returned as `Tried`, without retries."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        deadline: float = 60.0,
        largest: int = LARGEST,
        folder: Path | None = None,
    ) -> None:
        """Read the key now, so that a missing one is reported before anything starts."""
        self.endpoint = endpoint
        self.name = endpoint.name
        self.deadline = deadline
        self.largest = largest
        self.patience = Patience(deadline)
        self.offers = Offers(endpoint.name, endpoint.drop)
        self._headers = headers_of(endpoint, folder)
        self._secrets = keys.secrets_of(endpoint, self._headers, folder)
        self._trust = trust_of(endpoint)
        self._proxy = proxy_of(endpoint)
        self._model = endpoint.model
        self._session: aiohttp.ClientSession | None = None
        self._bodies: BodyReader | None = None

    async def ask(self, request: Request) -> Tried:
        """Return the outcome of one request within the deadline, or sooner where others are."""
        clock = asyncio.get_running_loop().time
        began = clock()
        patience, purpose, key = self.patience, request.purpose, request.key
        try:
            with patience.flying():
                async with within(lambda: patience.seconds(purpose, key)):
                    outcome = await self._tried(request)
        except TimeoutError:
            seconds = clock() - began
            why = f"no answer within {self.deadline:g} s"
            if seconds < self.deadline:
                why = "no answer in many times the seconds that such answers take"
            patience.note(purpose, key, seconds, answered=False)
            outcome = Tried(request.key, "timeout", why=why, again=True)
        else:
            if outcome.outcome == "reply":
                patience.note(purpose, key, clock() - began, answered=True)
        return self._scrubbed(request, outcome, clock() - began)

    async def _tried(self, request: Request) -> Tried:
        """Return the outcome of one request; whatever a server sends is one."""
        import aiohttp

        try:
            return await self._ask(request)
        except BadBody as bad:
            return Tried(request.key, "unreadable", why=str(bad), again=True, status=200)
        except aiohttp.ClientConnectorError as error:
            why = f"cannot be reached: {error}".replace(" ssl:default", "")
            return Tried(request.key, "error", why=why, again=True, elsewhere=True)
        except (aiohttp.ClientError, OSError) as error:
            why = f"the connection broke: {str(error)[: wire.SHOWN] or type(error).__name__}"
            return Tried(request.key, "error", why=why, again=True)
        except (ValueError, TypeError, ArithmeticError, LookupError, RecursionError) as error:
            log.warning("%s: an answer could not be read: %r", self.name, error)
            why = f"the answer could not be read: {type(error).__name__}"
            return Tried(request.key, "unreadable", why=why, again=True, status=200)

    async def models(self) -> tuple[str, ...]:
        """Return the models that the server lists, if it does."""
        response = await self._send("GET", "/models", None)
        body = wire.loaded(response.payload) if response.status == 200 else None
        listed = body.get("data") if isinstance(body, dict) else None
        rows = listed if isinstance(listed, list) else []
        names = (row.get("id") for row in rows[:_MODELS] if isinstance(row, dict))
        return tuple(self._plain(name) for name in names if isinstance(name, str) and name)

    async def close(self) -> None:
        """Close the connections; asking again opens new ones."""
        session, self._session, self._bodies = self._session, None, None
        if session is not None:
            await session.close()

    def _scrubbed(self, request: Request, outcome: Tried, seconds: float) -> Tried:
        """Return an outcome without secrets, with what is known about the call."""
        why = f"{self.name}: {keys.scrub(outcome.why, self._secrets)}" if outcome.why else ""
        texts = tuple(keys.hide(text, self._secrets) for text in outcome.texts)
        model = self._plain(outcome.model) or request.model or self._model
        return changed(
            outcome, why=why, texts=texts, model=model, endpoint=self.name, seconds=seconds
        )

    def _plain(self, name: str) -> str:
        """Return the name of a model as it is stored and shown, whatever the server sent."""
        return keys.hide(" ".join(without_unseen(name).split()), self._secrets)[: wire.LONGEST_NAME]

    async def _ask(self, request: Request) -> Tried:
        model = request.model or await self._own_model()
        if request.embed:
            return await self._embed(request, model)
        if request.options and request.max_tokens > 1 and self.offers.scores in (None, "echo"):
            scored = await self._score(request, model)
            if scored is not None:
                return scored
        count = request.candidates if self.offers.many is not False else 1
        outcome = await self._chat_in_form(request, model, count, 0)
        if outcome.outcome != "reply":
            return outcome
        if request.options and request.max_tokens > 1 and self.offers.scores is None:
            # Scores that do not distinguish the options are an odd answer, not a missing feature.
            self.offers.scores = "top" if outcome.scored else "none"
        if count > 1 and self.offers.many is None:
            self.offers.many = len(outcome.texts) > 1
        missing = request.candidates - len(outcome.texts)
        if missing <= 0:
            return changed(outcome, texts=outcome.texts[: request.candidates])
        return await self._filled(request, model, outcome, missing)

    async def _filled(self, request: Request, model: str, outcome: Tried, missing: int) -> Tried:
        """Ask for the missing candidates, each in a request of its own."""
        start = len(outcome.texts)
        more = await asyncio.gather(
            *(self._chat_in_form(request, model, 1, start + shift) for shift in range(missing))
        )
        for candidate in more:
            texts = candidate.texts[:1] if candidate.outcome == "reply" else ()
            usage = added(outcome.usage, candidate.usage)
            outcome = changed(outcome, texts=outcome.texts + texts, usage=usage)
        return outcome

    async def _chat_in_form(self, request: Request, model: str, count: int, shift: int) -> Tried:
        """Ask in the best form the server is known to support, or find out which that is."""
        if request.schema is None:
            return await self._chat(request, model, None, count, shift)
        refusal: Tried | None = None
        for form in self.offers.forms(request.schema):
            if refusal and form == "plain_schema" and is_plain(request.schema):
                continue  # it would be the same as before
            outcome = await self._chat(request, model, form, count, shift)
            if form == "told" or not self.offers.misses(request.schema, form, outcome):
                break
            refusal = refusal or outcome
        if outcome.outcome == "reply":
            if form == "told" or any(is_json(text) for text in outcome.texts):
                self.offers.settle(request.schema, form, refusal)
            return outcome
        return outcome if outcome.again else refusal or outcome

    async def _chat(
        self, request: Request, model: str, form: Form | None, count: int, shift: int
    ) -> Tried:
        """Ask once; a model that thinks all its tokens away is asked again with more."""

        def body() -> dict[str, Any]:
            n = 1 if "n" in self.offers.without else count
            return wire.chat_body(
                request, self.endpoint, self.offers, model=model, form=form, count=n, shift=shift
            )

        usage = Usage()
        while True:
            room = self.offers.room.get(model, 0)
            response = await self._learning("/chat/completions", body, model)
            outcome = wire.read_chat(request, *response)
            usage = added(usage, outcome.usage)
            if not outcome.starved or not self.offers.give_room(model, room):
                return changed(outcome, usage=usage)

    async def _embed(self, request: Request, model: str) -> Tried:
        """Ask for a vector; one of another length than the first cannot be used."""

        def body() -> dict[str, Any]:
            return wire.embed_body(request, self.offers, model)

        outcome = wire.read_embedding(request, *await self._learning("/embeddings", body, model))
        if outcome.outcome != "reply":
            return outcome
        length = self.offers.lengths.setdefault(model, len(outcome.text))
        if len(outcome.text) == length:
            return outcome
        why = "the vector has not as many numbers as those before"
        return changed(outcome, outcome="unreadable", texts=(), why=why, again=True)

    async def _learning(
        self, path: str, body: Callable[[], dict[str, Any]], model: str
    ) -> _Response:
        """Send a request, repeating it without the fields that the server rejects."""
        for _ in range(_CORRECTIONS):
            sent = body()
            response = await self._send("POST", path, sent)
            text = wire.beginning(response.payload) if response.status != 200 else ""
            if self.offers.learn(response.status, text, sent, model):
                continue
            # Of concurrent complaints only the first is news; the others are repeated as well.
            if not text or body() == sent:
                break
        return response

    async def _score(self, request: Request, model: str) -> Tried | None:
        """Return the options' scores as whole continuations; None if that is not supported."""
        body, start = wire.echo_body(request, self.endpoint, model)
        response = await self._send("POST", "/completions", body)
        if response.status == 429 or response.status >= 500:
            return wire.read_failure(request, *response)
        payload = response.payload
        scores = wire.echo_scores(request, payload, start) if response.status == 200 else ()
        if not scores:
            # Not noted here: the chat that follows shows what is supported instead.
            return None
        self.offers.scores = "echo"
        usage = wire.usage_of(wire.loaded(payload))
        return Tried(request.key, "reply", scores=scores, usage=usage, status=200)

    async def _own_model(self) -> str:
        if not self._model:
            listed = await self.models()
            self._model = listed[0] if listed else "default"
        return self._model

    async def _send(self, method: str, path: str, body: dict[str, Any] | None) -> _Response:
        if self._session is None or self._bodies is None:
            self._session, self._bodies = open_session({}), BodyReader(self.largest)
        address = f"{self.endpoint.root}{path}{self.endpoint.query}"
        data = None if body is None else orjson.dumps(body)
        while True:
            headers = self._headers
            async with self._session.request(
                method,
                address,
                data=data,
                headers=headers,
                proxy=self._proxy,
                ssl=self._trust or True,
                allow_redirects=False,
            ) as response:
                payload = await self._bodies.read(response)
                if response.status == 401:
                    self._change_header(payload)
                if response.status != 401 or headers is self._headers:
                    hidden = keys.hide_in(payload, self._secrets)
                    return _Response(response.status, hidden, response.headers)

    def _change_header(self, payload: bytes) -> None:
        """Send the key in the header that the server asks for, if it names another one."""
        key = self._headers.get("Authorization", "").removeprefix("Bearer ")
        text = wire.beginning(payload)
        if key and self.offers.learn_header(401, text):
            others = {n: v for n, v in self._headers.items() if n != "Authorization"}
            self._headers = others | {self.offers.key_header: key}
