from __future__ import annotations

from typing import Any

import pytest

from audience.llm import Endpoint
from audience.llm.offers import Offers
from audience.llm.wire import chat_body, is_strict, seed_of

CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        ({**CLOSED, "required": []}, False),
        ({**CLOSED, "additionalProperties": True}, False),
        ({"type": "array", "items": CLOSED}, True),
        ({"anyOf": [CLOSED, {"type": "object", "properties": {"b": {}}}]}, False),
        ({**CLOSED, "$defs": {"x": {"type": "object", "properties": {"b": {}}}}}, False),
        ({**CLOSED, "properties": {"a": {"enum": [{"properties": {"b": 1}}]}}}, True),
    ],
)
def test_only_closed_and_whole_schemas_are_strict(schema: Any, strict: bool) -> None:
    assert is_strict(schema) is strict


def test_the_schema_told_in_words_comes_last(wish: Any) -> None:
    request, endpoint = wish(schema=CLOSED), Endpoint(url="http://h")
    told = chat_body(request, endpoint, Offers(), model="m", form="told")
    assert "response_format" not in told
    assert told["messages"][0]["content"] == request.messages[0].content
    assert told["messages"][-1]["content"].startswith(request.messages[-1].content)
    assert '"additionalProperties":false' in told["messages"][-1]["content"]
    enforced = chat_body(request, endpoint, Offers(), model="m", form="json_schema")
    assert enforced["messages"][-1]["content"] == request.messages[-1].content
    assert enforced["response_format"]["json_schema"]["strict"] is True


def test_the_seed_belongs_to_the_request(wish: Any) -> None:
    assert seed_of(wish(1)) == seed_of(wish(1)) != seed_of(wish(2))
    assert seed_of(wish(1), 1) != seed_of(wish(1))


def test_an_endpoints_own_fields_win(wish: Any) -> None:
    endpoint = Endpoint(url="http://h", body={"temperature": 0.0})
    assert chat_body(wish(), endpoint, Offers(), model="m")["temperature"] == 0.0
