from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from audience.llm import ChatMessage, Request
from audience.llm.wire import read_chat

REQUEST = Request("test", (ChatMessage("user", "hello"),), options=("Alien", "Heat"))


def read(body: object, status: int = 200) -> Any:
    return read_chat(REQUEST, status, json.dumps(body).encode(), {})


def choice(**message: object) -> dict[str, Any]:
    return {"index": 0, "message": message, "finish_reason": "stop"}


def test_tokens_of_every_kind_are_read() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 30},
    }
    found = read({"choices": [choice(content="hi")], "usage": usage}).usage
    assert (found.prompt, found.completion, found.cached, found.reasoning) == (100, 50, 64, 30)
    deep = {"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 8}
    assert read({"choices": [choice(content="hi")], "usage": deep}).usage.cached == 8


def test_parts_of_a_text_are_joined() -> None:
    parts = [{"type": "text", "text": "he"}, {"type": "text", "text": "llo"}]
    assert read({"choices": [choice(content=parts)]}).text == "hello"


def test_a_model_that_thinks_its_tokens_away_is_not_asked_again() -> None:
    cut = {"index": 0, "message": {"content": ""}, "finish_reason": "length"}
    found = read({"choices": [cut]})
    assert (found.outcome, found.again) == ("unreadable", False)


def test_an_empty_purse_is_not_asked_again() -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    found = read(body, 429)
    assert (found.outcome, found.again, found.elsewhere) == ("error", False, True)


def test_a_filter_is_a_refusal() -> None:
    body = {"error": {"message": "filtered", "code": "content_filter"}}
    assert read(body, 400).outcome == "refusal"


def test_one_refused_candidate_does_not_spoil_the_others() -> None:
    found = read({"choices": [choice(refusal="no"), choice(content="yes")]})
    assert (found.outcome, found.texts) == ("reply", ("yes",))


@pytest.mark.parametrize(
    ("top", "scores"),
    [
        ([("Al", -0.1), ("He", -2.0)], (-0.1, -2.0)),
        ([(" Heat", -0.5), ("x", -3.0)], (-3.0, -0.5)),
        ([("x", -0.5)], ()),
        ([], ()),
    ],
)
def test_first_tokens_tell_options_apart(
    top: list[tuple[str, float]], scores: tuple[float, ...]
) -> None:
    rows = [{"token": token, "logprob": score} for token, score in top]
    one = {**choice(content="x"), "logprobs": {"content": [{"top_logprobs": rows}]}}
    assert read({"choices": [one]}).scores == scores


def test_a_token_that_begins_two_options_tells_nothing() -> None:
    request = Request("test", (ChatMessage("user", "hello"),), options=("Alien", "Aliens"))
    rows = [{"token": "Alien", "logprob": -0.1}, {"token": "Aliens", "logprob": -3.0}]
    one = {**choice(content="x"), "logprobs": {"content": [{"top_logprobs": rows}]}}
    found = read_chat(request, 200, json.dumps({"choices": [one]}).encode(), {})
    assert found.scores == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "usage", "error", "index", "logprobs", "refusal"]
            ),
            inner,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from([200, 400, 429, 500]))
def test_no_body_raises(body: object, status: int) -> None:
    found = read_chat(REQUEST, status, json.dumps(body).encode(), {})
    assert (found.outcome == "reply") == bool(found.texts)


@given(st.binary(max_size=200))
def test_no_bytes_raise(payload: bytes) -> None:
    assert read_chat(REQUEST, 200, payload, {}).outcome != "reply"
