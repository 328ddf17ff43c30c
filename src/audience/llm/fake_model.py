"""The fake model: its faults, its manners, and the bodies with which it answers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Literal

import msgspec
import orjson

from audience.errors import BadInput, unknown
from audience.llm.fake_answers import (
    INVENT,
    PREFER,
    answer,
    draw,
    free,
    mark_weight,
    marks_in,
    sentence,
)

KINDS = tuple(
    "429 429-after 429-says 500 hang reset garbage half empty refusal filter drip broken".split()
)
"""What may go wrong. `half` is a truncated body, `broken` a truncated text or vector. Asked for
vectors, `refusal` returns some without numbers and `filter` none."""
FINE = "ok"


class Faults(msgspec.Struct, frozen=True):
    """Faults by rate, drawn for each attempt, or by script, one name per attempt."""

    rates: dict[str, float] = {}
    script: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*self.rates, *self.script):
            if name not in (*KINDS, FINE):
                raise unknown("fault", name, (*KINDS, FINE))
        if not 0.0 <= sum(self.rates.values()) <= 1.0:
            raise BadInput("the rates of all faults together must lie between 0 and 1")

    def choose(self, key: str, attempt: int) -> str:
        """Return the fault of the nth attempt of a request; attempts count from 1."""
        if attempt <= len(self.script):
            return self.script[attempt - 1]
        left = draw(key, attempt, "fault")
        for name, rate in self.rates.items():
            left -= rate
            if left < 0.0:
                return name
        return FINE


def parse_faults(rates: Iterable[str], script: str = "") -> Faults:
    """Return the faults of a command line: `500=0.1` each, and `429,500,ok` for the script."""
    found = {}
    for text in rates:
        name, _, rate = text.partition("=")
        try:
            found[name] = float(rate)
        except ValueError:
            raise BadInput(f"--fault {text!r} is no rate; write it as 500=0.1") from None
    return Faults(found, tuple(part for part in script.split(",") if part))


def parse_latency(text: str) -> tuple[float, float]:
    """Return the least and the most seconds that `50ms`, `0.2s` or `20ms-200ms` means."""
    parts = [re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)", part) for part in text.split("-")]
    found = [float(part[1]) * (0.001 if part[2] == "ms" else 1.0) for part in parts if part]
    if len(found) != len(parts) or len(found) > 2 or found[-1] < found[0]:
        raise BadInput(f"latency {text!r} is no duration; write 50ms, 0.2s or 20ms-200ms")
    return found[0], found[-1]


MODEL = "fake"
_DIMENSIONS = 64
_OWN = 0.3
"""The weight of a text as a whole in its vector, where each word weighs 1."""
_TOKEN = re.compile(r"\s*\S+")
_WORD = re.compile(r"\w+")
_TAKEN = {"none": 0, "json_object": 1, "json_schema": 2, "ignored": 2}


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """How the server behaves."""

    latency: tuple[float, float] = (0.0, 0.0)
    faults: Faults = Faults()
    schema: Literal["json_schema", "json_object", "none", "ignored"] = "json_schema"
    """The best form of structured output supported; `ignored`: accepted but not followed."""
    schema_status: int = 400
    """The status with which other forms are answered."""
    many: bool = True
    """Whether `n` is honoured."""
    scores: Literal["none", "top", "echo"] = "top"
    unwanted: tuple[str, ...] = ()
    """Fields that are refused with status 400."""
    key: str = ""
    """The only accepted key; empty accepts everybody."""
    slots: int = 0
    """Requests processed concurrently while others wait; 0 is no limit."""
    crowd: float = 0.0
    """Seconds by which each request in work slows one that begins, as on a server that batches."""
    most: int = 0
    """Requests in flight above which others get status 429; 0 is no limit."""
    silent_after: int = 0
    """Requests after which none is answered, though connections stay open; 0: all are."""
    retry_after: float = 1.0
    drip: float = 2.0
    """Seconds a dripping answer takes."""
    models: tuple[str, ...] = (MODEL,)
    prefer: dict[str, float] = {}
    """Weights of some words of enums and of some options, where others weigh 1."""
    says: dict[str, str] = {}
    """Fixed answers by a text that the last message contains; the first match counts."""
    invents: float = 0.0
    """Share of free texts that name, as `<title>`, a work that does not exist."""


class Unwilling(Exception):
    """The request asks for something that this server does not support."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def chat(body: dict[str, Any], key: str, manners: Manners) -> dict[str, Any]:
    """Return the body that answers a chat request."""
    _check(body, manners)
    most = int(body.get("max_tokens") or body.get("max_completion_tokens") or 512)
    count = int(body.get("n", 1)) if manners.many else 1
    schema = _schema(body, manners)
    prompt_text = str(body["messages"][-1]["content"])
    texts = [_said(schema, prompt_text, f"{key}/{place}", most, manners) for place in range(count)]
    choices: list[dict[str, Any]] = [
        {"index": i, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        for i, text in enumerate(texts)
    ]
    if body.get("logprobs") and manners.scores != "none":
        choices[0]["logprobs"] = {
            "content": [{"top_logprobs": _top(body, f"{key}/0", manners.prefer)}]
        }
    lengths = [(message["role"], tokens(message["content"])) for message in body["messages"]]
    fixed = sum(length for role, length in lengths if role == "system")
    prompt = sum(length for _, length in lengths)
    return {
        "id": f"chatcmpl-{key}",
        "object": "chat.completion",
        "model": body.get("model", MODEL),
        "choices": choices,
        "usage": _usage(prompt, sum(tokens(text) for text in texts), fixed // 16 * 16),
    }


def complete(body: dict[str, Any], key: str, manners: Manners) -> dict[str, Any]:
    """Return the body that answers a completion request, with echo if supported."""
    prompts = body["prompt"] if isinstance(body["prompt"], list) else [body["prompt"]]
    echo = bool(body.get("echo"))
    if echo and manners.scores != "echo":
        raise Unwilling("echo is not offered here")
    choices = []
    for place, prompt in enumerate(prompts):
        said = " " + sentence(f"{key}/{place}", int(body.get("max_tokens", 16)))
        text = prompt + said if echo else said
        choice = {"index": place, "text": text, "finish_reason": "length"}
        if body.get("logprobs") is not None and manners.scores == "echo":
            choice["logprobs"] = _logprobs(text)
        choices.append(choice)
    used = sum(tokens(prompt) for prompt in prompts)
    return {"model": body.get("model", MODEL), "choices": choices, "usage": _usage(used, 1, 0)}


def embed(body: dict[str, Any], key: str, manners: Manners) -> dict[str, Any]:
    """Return the body that answers a request for embeddings."""
    _check(body, manners)
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    rows = [
        {"object": "embedding", "index": place, "embedding": vector(str(text))}
        for place, text in enumerate(texts)
    ]
    used = sum(tokens(str(text)) for text in texts)
    return {"model": body.get("model", MODEL), "data": rows, "usage": _usage(used, 0, 0)}


def spoilt(body: dict[str, Any], fault: str) -> dict[str, Any]:
    """Return a body that is valid JSON but useless."""
    if "data" in body:
        return _spoilt_vectors(body, fault)
    for choice in body["choices"]:
        message = choice.get("message", {})
        if fault == "refusal":
            message |= {"content": None, "refusal": "I'm sorry, I can't help with that."}
        elif fault == "filter":
            choice["finish_reason"] = "content_filter"
        else:
            choice["finish_reason"] = "length"
            message["content"] = message["content"][: len(message["content"]) // 2]
    return body


def _spoilt_vectors(body: dict[str, Any], fault: str) -> dict[str, Any]:
    """Return no vectors, vectors without numbers, or vectors of half the length."""
    if fault == "filter":
        return {**body, "data": []}
    for row in body["data"]:
        half = row["embedding"][: _DIMENSIONS // 2]
        row["embedding"] = half if fault == "broken" else [None] * _DIMENSIONS
    return body


def vector(text: str) -> list[float]:
    """Return a unit vector; texts that share words are near, equal texts are equal."""
    sums = [_OWN * number for number in _direction(text)]
    for word in _WORD.findall(text.lower()):
        sums = [number + more for number, more in zip(sums, _direction(word), strict=True)]
    length = math.sqrt(sum(number * number for number in sums)) or 1.0
    return [number / length for number in sums]


def _direction(text: str) -> list[float]:
    digest = blake2b(text.encode(), digest_size=_DIMENSIONS).digest()
    return [byte - 127.5 for byte in digest]


def tokens(text: str) -> int:
    """Return roughly how many tokens a text has."""
    return (len(text) + 3) // 4


def _check(body: dict[str, Any], manners: Manners) -> None:
    for name in manners.unwanted:
        if name in body:
            instead = "; use 'max_completion_tokens'" if name == "max_tokens" else ""
            raise Unwilling(f"Unsupported parameter: '{name}' is not supported{instead}.")
    kind = body.get("response_format", {}).get("type", "text")
    if {"json_object": 1, "json_schema": 2}.get(kind, 0) > _TAKEN[manners.schema]:
        # A server that breaks on a form does not say that the form is why.
        broke = manners.schema_status >= 500
        why = "The server had an error." if broke else f"response_format {kind} is not offered here"
        raise Unwilling(why, manners.schema_status)
    if body.get("logprobs") and manners.scores == "none":
        raise Unwilling("'logprobs' is not supported by this model")
    if body.get("stream"):
        raise Unwilling("streams are not offered here")


def _schema(body: dict[str, Any], manners: Manners) -> dict[str, Any] | None:
    if manners.schema == "ignored" and "response_format" in body:
        return None
    inner: dict[str, Any] = body.get("response_format", {}).get("json_schema", {})
    if "schema" in inner:
        schema: dict[str, Any] = inner["schema"]
        return schema
    # A schema given in words is followed as well.
    _, separator, text = body["messages"][-1]["content"].rpartition("JSON schema:\n")
    if not separator:
        return None
    parsed: dict[str, Any] = orjson.loads(text)
    return parsed


def _said(schema: dict[str, Any] | None, prompt: str, key: str, most: int, manners: Manners) -> str:
    for text, answer_ in manners.says.items():
        if text in prompt:
            return answer_
    if schema is None:
        return free(prompt, key, most, manners.invents)
    manner = {PREFER: manners.prefer, INVENT: manners.invents}
    return orjson.dumps(answer({**schema, **manner}, key)).decode()


def _top(body: dict[str, Any], key: str, prefer: dict[str, float]) -> list[dict[str, Any]]:
    """Return alternatives for the first token: the options of the prompt, else its words."""
    prompt = body["messages"][-1]["content"]
    marks = marks_in(prompt)
    if marks:
        weights = [mark_weight(key, mark) * prefer.get(mark, 1.0) for mark in marks]
        scored = [
            {"token": mark, "logprob": math.log(weight / sum(weights))}
            for mark, weight in zip(marks, weights, strict=True)
        ]
    else:
        words = list(dict.fromkeys(prompt.split()))
        scored = [
            {"token": word, "logprob": math.log(draw(word, "top") * 0.9 + 0.01)} for word in words
        ]
    scored.sort(key=lambda option: -float(str(option["logprob"])))
    return scored[: int(body.get("top_logprobs", 5))]


def _logprobs(text: str) -> dict[str, Any]:
    found = list(_TOKEN.finditer(text))
    scores = [math.log(draw(match_.group(), "echo") * 0.9 + 0.01) for match_ in found]
    return {
        "tokens": [match_.group() for match_ in found],
        "text_offset": [match_.start() for match_ in found],
        "token_logprobs": [None, *scores[1:]] if scores else [],
    }


def _usage(prompt: int, completion: int, cached: int) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
