"""The OpenAI wire format: request bodies, and reading responses."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from audience.llm.endpoint import Endpoint
from audience.llm.offers import Form, Offers, out_of_room, without_limits
from audience.llm.request import (
    MOST_TOKENS,
    ChatMessage,
    Request,
    Tried,
    Usage,
    asked_wait,
    changed,
)

TOP = 20
_FEWEST = 8
"""The most alternatives per token that servers return."""
_TOLD = "\n\nAnswer with one JSON value and nothing else. It must follow this JSON schema:\n"


def chat_body(
    request: Request,
    endpoint: Endpoint,
    offers: Offers,
    *,
    model: str,
    form: Form | None = None,
    count: int = 1,
    shift: int = 0,
) -> dict[str, Any]:
    """Return the body of a chat request; `shift` moves the seed for a further candidate."""
    body: dict[str, Any] = {
        "model": model,
        "messages": _messages(request, form),
        "max_tokens": _most_tokens(request, offers, model),
        "temperature": request.temperature,
        "seed": seed_of(request, shift),
    }
    if request.top_p != 1.0:
        body["top_p"] = request.top_p
    if request.stop:
        body["stop"] = list(request.stop)
    if count > 1:
        body["n"] = count
    if request.options and offers.scores != "none":
        body |= {"logprobs": True, "top_logprobs": min(TOP, max(_FEWEST, 3 * len(request.options)))}
    if endpoint.reasoning:
        body["reasoning_effort"] = endpoint.reasoning
    if form and form != "told":
        body["response_format"] = _response_format(request.schema or {}, form)
    if "max_tokens" in offers.without:
        body["max_completion_tokens"] = body["max_tokens"]
    kept = {name: value for name, value in body.items() if name not in offers.without}
    return {**kept, **endpoint.body}


def _most_tokens(request: Request, offers: Offers, model: str) -> int:
    wanted = request.max_tokens + offers.room.get(model, 0)
    return min(wanted, offers.most_tokens.get(model, wanted))


def echo_body(request: Request, endpoint: Endpoint, model: str) -> tuple[dict[str, Any], int]:
    """Return the body that scores every option as a continuation, and where options begin."""
    lead = "\n\n".join(f"{message.role}: {message.content}" for message in request.messages)
    lead = f"{lead}\n\nassistant:"
    body = {
        "model": model,
        # Tokenizers join a blank to the following word: the option begins with it.
        "prompt": [f"{lead} {option}" for option in request.options],
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": 1,
        "echo": True,
    }
    return {**body, **endpoint.body}, len(lead)


def embed_body(request: Request, offers: Offers, model: str) -> dict[str, Any]:
    """Return the body that asks for a vector, without the endpoint's extra fields for chats."""
    text = request.messages[-1].content
    body = {"model": model, "input": text, "encoding_format": "float"}
    return {name: value for name, value in body.items() if name not in offers.without}


def seed_of(request: Request, shift: int = 0) -> int:
    """Return the sampling seed of a request, for servers that support one."""
    return (int(request.key[:8], 16) + shift) & 0x7FFFFFFF


def _messages(request: Request, form: Form | None) -> list[dict[str, str]]:
    messages = list(request.messages)
    if request.schema is not None and form in ("json_object", "told"):
        told = _TOLD + msgspec.json.encode(request.schema).decode()
        asked = messages and messages[-1].role == "user"
        content = (messages.pop().content if asked else "") + told
        messages.append(ChatMessage("user", content.lstrip()))
    return [{"role": message.role, "content": message.content} for message in messages]


def _response_format(schema: dict[str, Any], form: Form) -> dict[str, Any]:
    if form == "json_object":
        return {"type": "json_object"}
    if form == "plain_schema":
        schema = without_limits(schema)
    name = str(schema.get("title", "answer")).replace(" ", "_")[:60] or "answer"
    inner = {"name": name, "schema": schema, "strict": is_strict(schema)}
    return {"type": "json_schema", "json_schema": inner}


def is_strict(schema: object) -> bool:
    """Return True if every object of a schema is closed with all fields required."""
    if isinstance(schema, list):
        return all(is_strict(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if isinstance(properties, dict):
        whole = set(schema.get("required", ())) == set(properties)
        if not whole or schema.get("additionalProperties") is not False:
            return False
        if not all(is_strict(inner) for inner in properties.values()):
            return False
    plain = ("properties", "required", "enum", "const")
    return all(is_strict(value) for name, value in schema.items() if name not in plain)


LONGEST_TEXT = 120_000
"""Characters of one answer, thoughts included; longer ones are not read."""
LONGEST_NAME = 200
_MOST_CHOICES, _MOST_PARTS, _MOST_NUMBERS = 64, 1_000, 65_536
"""Choices of a response, parts of a text and numbers of a vector that are looked at."""
_LEAST_SCORE = -1e4
_TURNED_AWAY = frozenset({401, 402, 403, 404, 405, 407, 410, 421})
"""What an endpoint answers that cannot be used, but also one that minds this request alone."""
_LATER = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529})
SHOWN = 300
_READ = 20_000
"""Bytes of an error that are looked at."""


def read_chat(request: Request, status: int, payload: bytes, headers: Mapping[str, str]) -> Tried:
    """Return the outcome of a chat request: a reply, a refusal, or why there is neither."""
    if status != 200:
        return read_failure(request, status, payload, headers)
    body = loaded(payload)
    if not isinstance(body, dict):
        return _unreadable(request, f"no JSON came back but {shown(payload)}")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        if body.get("error"):
            return read_failure(request, 500, payload, headers)
        return _unreadable(request, f"no choices came back but {shown(payload)}")
    some = [choice for choice in choices[:_MOST_CHOICES] if isinstance(choice, dict)]
    outcome = _from_choices(request, some)
    model, usage = body.get("model"), usage_of(body)
    return changed(
        outcome,
        usage=usage,
        model=model[:LONGEST_NAME] if isinstance(model, str) else "",
        status=200,
        starved=outcome.starved or (outcome.cut and usage.reasoning > 0),
    )


def read_embedding(
    request: Request, status: int, payload: bytes, headers: Mapping[str, str]
) -> Tried:
    """Return the outcome of asking for a vector; its text is base64 of little-endian float32."""
    if status != 200:
        return read_failure(request, status, payload, headers)
    body = loaded(payload)
    if not isinstance(body, dict):
        return _unreadable(request, f"no JSON came back but {shown(payload)}")
    try:
        numbers = body["data"][0]["embedding"]
        if len(numbers) > _MOST_NUMBERS:
            raise ValueError("more numbers than a vector has")
        packed = struct.pack(f"<{len(numbers)}f", *numbers)
        if not any(numbers) or not all(map(math.isfinite, numbers)):
            raise ValueError("a vector of nothing")
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, struct.error):
        if body.get("error"):
            return read_failure(request, 500, payload, headers)
        return _unreadable(request, f"no vector came back but {shown(payload)}")
    model = body.get("model")
    return Tried(
        request.key,
        "reply",
        texts=(base64.b64encode(packed).decode(),),
        usage=usage_of(body),
        model=model[:LONGEST_NAME] if isinstance(model, str) else "",
        status=200,
    )


def read_failure(
    request: Request, status: int, payload: bytes, headers: Mapping[str, str]
) -> Tried:
    """Return the reply for a status that is not 200."""
    text = beginning(payload)
    said = _message(payload)
    if 300 <= status < 400:
        said = f"it sends us to {headers.get('Location', 'nowhere')[:SHOWN]!r}; give that address"
    if "content_filter" in text or "content_policy" in text:
        return Tried(request.key, "refusal", why=f"filtered: {said}", status=status)
    broke = "insufficient_quota" in text or "billing" in text.lower()
    hints = {
        401: " (is the key right?)",
        403: " (may the key do this?)",
        404: " (is there such a model?)",
    }
    return Tried(
        request.key,
        "error",
        why=f"status {status}{hints.get(status, '')}: {said}",
        status=status,
        again=status in _LATER and not broke,
        after=asked_wait(headers, text) if status in _LATER and not broke else 0.0,
        elsewhere=status in _TURNED_AWAY or 300 <= status < 400 or broke,
        starved=out_of_room(status, text),
    )


def _from_choices(request: Request, choices: list[dict[str, Any]]) -> Tried:
    choices.sort(key=lambda choice: _count(choice.get("index")))
    texts, refusals, cut, wrote = [], [], False, False
    for choice in choices:
        message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        finish = choice.get("finish_reason")
        text = _text(message.get("content"))
        if message.get("refusal") or finish == "content_filter":
            said = message.get("refusal")
            known = isinstance(said, str) and bool(said)
            refusals.append(str(said) if known else "the content filter stopped it")
        elif len(text) > LONGEST_TEXT:
            why = f"the text has {len(text):,} characters; at most {LONGEST_TEXT:,} are read"
            return Tried(request.key, "unreadable", why=why, again=True)
        elif text.strip():
            texts.append(text)
        cut = cut or finish == "length"
        wrote = wrote or bool(text)
    if texts:
        top = _first_tokens(choices[0])
        scores = _option_scores(request.options, top)
        said = tuple(texts)
        # A thought that was not ended leaves no answer either.
        starved = cut and all(text.lstrip().startswith("<think>") for text in texts)
        starved = starved and not any("</think>" in text for text in texts)
        return Tried(
            request.key, "reply", said, scores=scores, cut=cut, scored=bool(top), starved=starved
        )
    if refusals:
        return Tried(request.key, "refusal", why=refusals[0][:SHOWN])
    why = f"no text within {request.max_tokens} tokens" if cut else "the text is empty"
    # A model that writes blanks without end does not think, and would fill any room.
    starved = cut and not wrote
    return Tried(request.key, "unreadable", why=why, again=not cut, cut=cut, starved=starved)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        some = content[:_MOST_PARTS]
        parts = (part.get("text") for part in some if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _first_tokens(choice: dict[str, Any]) -> list[tuple[str, float]]:
    """Return the alternatives of the first token with their log-probabilities."""
    try:
        top = choice["logprobs"]["content"][0]["top_logprobs"]
        return [(str(token["token"]).strip(), _score(token["logprob"])) for token in top[:TOP]]
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        return []


def _score(value: object) -> float:
    """Return a log-probability within its range; raise ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError("no log-probability")
    return max(_LEAST_SCORE, min(0.0, float(value)))


def _option_scores(options: tuple[str, ...], tokens: list[tuple[str, float]]) -> tuple[float, ...]:
    """Return the log-probability of each option's first token, () if those do not differ.

    An option that is not among the alternatives gets the lowest of them, an upper bound.
    """
    best: dict[str, float] = {}
    shared = -math.inf
    for token, score in tokens:
        owners = [option for option in options if token and option.strip().startswith(token)]
        if len(owners) == 1:
            best[owners[0]] = max(score, best.get(owners[0], -math.inf))
        elif owners:
            shared = max(shared, score)
    if not best or shared > max(best.values()):
        return ()
    lowest = min(score for _, score in tokens)
    return tuple(best.get(option, lowest) for option in options)


def echo_scores(request: Request, payload: bytes, start: int) -> tuple[float, ...]:
    """Return each option's log-probability as a continuation, () if the server gave none."""
    body = loaded(payload)
    try:
        choices = sorted(body["choices"], key=lambda choice: choice["index"])
        scores = [
            _continued(choice["logprobs"], start, start + 1 + len(option))
            for choice, option in zip(choices, request.options, strict=True)
        ]
    except (KeyError, TypeError, ValueError, OverflowError):
        return ()
    return tuple(scores)


def _continued(logprobs: dict[str, Any], start: int, end: int) -> float:
    pairs = zip(logprobs["text_offset"], logprobs["token_logprobs"], strict=True)
    inside = [_score(score) for offset, score in pairs if start <= offset < end]
    if not inside:
        raise ValueError("the server did not echo the option")
    return sum(inside)


def usage_of(body: Mapping[str, Any]) -> Usage:
    """Return the token counts of a body, 0 where missing."""
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return Usage()
    prompt = _part(usage, "prompt_tokens_details", "cached_tokens")
    # DeepSeek's name for the same figure.
    cached = prompt or _count(usage.get("prompt_cache_hit_tokens"))
    return Usage(
        prompt=_count(usage.get("prompt_tokens")),
        completion=_count(usage.get("completion_tokens")),
        cached=cached,
        reasoning=_part(usage, "completion_tokens_details", "reasoning_tokens"),
    )


def _part(usage: dict[str, Any], where: str, name: str) -> int:
    details = usage.get(where)
    return _count(details.get(name)) if isinstance(details, dict) else 0


def _count(value: object) -> int:
    """Return a number of a server as a count: 0 for what is none, at most `MOST_TOKENS`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return 0
    return int(min(value, MOST_TOKENS))


def loaded(payload: bytes | str) -> Any:  # noqa: ANN401
    """Return the value of a JSON text, None if it is not JSON."""
    mark = b"\xef\xbb\xbf"
    try:
        return orjson.loads(payload.removeprefix(mark) if isinstance(payload, bytes) else payload)
    except orjson.JSONDecodeError:
        return None


def beginning(payload: bytes) -> str:
    """Return as much of an error's text as is looked at."""
    return payload[:_READ].decode("utf-8", "replace")


def shown(payload: bytes) -> str:
    """Return the beginning of a payload on one line, quoted."""
    text = " ".join(payload[:SHOWN].decode("utf-8", "replace").split())
    return repr(text[:120]) if text else "nothing"


def _message(payload: bytes) -> str:
    body = loaded(payload)
    if isinstance(body, list) and body:
        body = body[0]  # as Gemini sends it
    error = body.get("error", body) if isinstance(body, dict) else None
    said = error.get("message") or error.get("detail") if isinstance(error, dict) else error
    return said[:SHOWN] if said and isinstance(said, str) else shown(payload)


def _unreadable(request: Request, why: str) -> Tried:
    return Tried(request.key, "unreadable", why=why, again=True, status=200)
