"""From a logical request to the body that goes over the wire."""

from __future__ import annotations

from typing import Any

import msgspec

from audience.llm.endpoint import Endpoint
from audience.llm.kinds import Message, Request
from audience.llm.offers import Form, Offers

TOP = 20
"""The most alternatives per token that servers give."""
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
        "max_tokens": request.max_tokens,
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
        body |= {"logprobs": True, "top_logprobs": TOP}
    if endpoint.reasoning:
        body["reasoning_effort"] = endpoint.reasoning
    if form and form != "told":
        body["response_format"] = _response_format(request.schema or {}, form)
    if "max_tokens" in offers.without:
        body["max_completion_tokens"] = body["max_tokens"]
    kept = {name: value for name, value in body.items() if name not in offers.without}
    return {**kept, **endpoint.body}


def echo_body(request: Request, endpoint: Endpoint, model: str) -> tuple[dict[str, Any], int]:
    """Return the body that has every option scored as a continuation, and where options begin."""
    lead = "\n\n".join(f"{one.role}: {one.content}" for one in request.messages)
    lead = f"{lead}\n\nassistant:"
    body = {
        "model": model,
        # Tokenizers put the blank with the word after it: the option begins with it.
        "prompt": [f"{lead} {option}" for option in request.options],
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": 1,
        "echo": True,
    }
    return {**body, **endpoint.body}, len(lead)


def embed_body(request: Request, offers: Offers, model: str) -> dict[str, Any]:
    """Return the body that asks for a vector; an endpoint's extra fields are meant for chats."""
    text = request.messages[-1].content
    body = {"model": model, "input": text, "encoding_format": "float"}
    return {name: value for name, value in body.items() if name not in offers.without}


def seed_of(request: Request, shift: int = 0) -> int:
    """Return the sampling seed of a request, for servers that honour one."""
    return (int(request.key[:8], 16) + shift) & 0x7FFFFFFF


def _messages(request: Request, form: Form | None) -> list[dict[str, str]]:
    messages = list(request.messages)
    if request.schema is not None and form in ("json_object", "told"):
        told = _TOLD + msgspec.json.encode(request.schema).decode()
        last = messages.pop() if messages and messages[-1].role == "user" else Message("user", "")
        messages.append(Message("user", (last.content + told).lstrip()))
    return [{"role": one.role, "content": one.content} for one in messages]


def _response_format(schema: dict[str, Any], form: Form) -> dict[str, Any]:
    if form == "json_object":
        return {"type": "json_object"}
    name = str(schema.get("title", "answer")).replace(" ", "_")[:60] or "answer"
    inner = {"name": name, "schema": schema, "strict": is_strict(schema)}
    return {"type": "json_schema", "json_schema": inner}


def is_strict(schema: object) -> bool:
    """Say whether every object of a schema is closed and whole, as strict servers demand."""
    if isinstance(schema, list):
        return all(is_strict(one) for one in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if isinstance(properties, dict):
        whole = set(schema.get("required", ())) == set(properties)
        if not whole or schema.get("additionalProperties") is not False:
            return False
        if not all(is_strict(one) for one in properties.values()):
            return False
    plain = ("properties", "required", "enum", "const")
    return all(is_strict(value) for name, value in schema.items() if name not in plain)
