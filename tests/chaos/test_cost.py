"""What a reply costs to read: in proportion to its length, whatever it holds."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

from audience.agents.language.faithful import tagged
from audience.llm import asked_wait, loose_json, openai, request, wire
from audience.llm.lenient_json import Unreadable
from audience.llm.offers import Offers

SHAPES: dict[str, Callable[[int], str]] = {
    "lists": lambda size: "[" * size,
    "objects": lambda size: "{ " * (size // 2),
    "quotes": lambda size: '"' * size,
    "open quotes": lambda size: '{"do": "' + '" x' * (size // 3),
    "spaced quotes": lambda size: ('"' + " " * 100) * (size // 101),
    "keys": lambda size: '{"a":' * (size // 5),
    "many keys": lambda size: "{" + ",".join(f'"k{n}":1' for n in range(size // 9)) + "}",
    "thoughts": lambda size: "<think>" * (size // 7),
    "ended thoughts": lambda size: "</think>" * (size // 8),
    "values": lambda size: "[1]" * (size // 3),
    "answers": lambda size: "{}" * (size // 2),
    "like answers": lambda size: "[" + '{"a":1},' * (size // 8) + "{}]",
    "comments": lambda size: "{" + "/*" * (size // 2),
    "escapes": lambda size: '{"a": "' + "\\" * size,
    "wrappers": lambda size: '{"answer":' * (size // 10) + "1" + "}" * (size // 10),
    "titles": lambda size: "[<a" * (size // 3),
    "blanks": lambda size: " " * size + "x",
}
SMALL, TIMES = 6_000, 10


def steps(work: Callable[[], object]) -> int:
    """Return how many lines of our own code, and calls to others', a piece of work takes."""
    count = 0

    def trace(frame: Any, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_text_takes_no_more_than_fifteen_times_the_steps(shape: str) -> None:
    few = steps(lambda: loose_json(SHAPES[shape](SMALL)))
    many = steps(lambda: loose_json(SHAPES[shape](TIMES * SMALL)))
    assert many <= 15 * few + 1_000


def test_a_text_that_is_too_long_is_not_read() -> None:
    text = "word " * wire.LONGEST_TEXT
    body = f'{{"choices": [{{"message": {{"content": "{text}"}}}}]}}'.encode()
    found = wire.read_chat(REQUEST, 200, body, {})
    assert (found.outcome, found.texts) == ("unreadable", ())
    assert "characters" in found.why


REQUEST = request.Request("home", (request.ChatMessage("user", "Well?"),))


class Measuring:
    """A pattern that remembers the longest text it was given."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.longest = 0
        self._pattern = pattern

    def search(self, text: str) -> re.Match[str] | None:
        self.longest = max(self.longest, len(text))
        return self._pattern.search(text)


def test_no_pattern_looks_at_the_whole_of_a_long_error(monkeypatch: pytest.MonkeyPatch) -> None:
    measuring = Measuring(request._WORDS)
    monkeypatch.setattr(request, "_WORDS", measuring)
    assert asked_wait({}, "wait" + " " * 2_000_000) == 0.0
    assert 0 < measuring.longest <= 2_000
    assert len(wire.beginning(b" " * 2_000_000)) <= 20_000


def test_blanks_are_not_matched_in_two_ways() -> None:
    # Two neighbouring repetitions of the same sign take quadratic time on a long run of it.
    for pattern in (request._WORDS, request._PART):
        assert not re.search(r"(?<!\\)[*+]", pattern.pattern.replace("(?i)", "")), pattern.pattern


@pytest.mark.parametrize("words", ["try again in 2 s", "Please wait 1.5 minutes", "retry in 20ms"])
def test_waits_in_words_are_still_understood(words: str) -> None:
    assert asked_wait({}, words) in (2.0, 90.0, 0.02)


@pytest.mark.parametrize(
    "said", ["1e308", "-5", "nan", "inf", "soon", "9" * 400, "1e8", "Fri, 31 Dec 9999 23:59:59 GMT"]
)
def test_an_absurd_wait_is_none(said: str) -> None:
    date = "Mon, 16 Nov 2026 12:00:00 GMT"
    assert asked_wait({"Retry-After": said, "Date": date}, "") == 0.0


def test_a_server_that_changes_its_mind_is_corrected_a_few_times_only() -> None:
    offers = Offers("http://h/v1")
    learnt = sum(
        offers.learn(400, f"supports at most {number} completion tokens", {"max_tokens"}, "m")
        for number in range(10_000)
    )
    assert learnt == 1
    assert not offers.learn(400, f"supports at most {'9' * 5_000} completion tokens", {"n"}, "m")
    assert openai._CORRECTIONS < 20


def test_a_long_answer_is_no_lone_tag() -> None:
    assert isinstance(tagged("BUY" + " :" * 50_000 + "x", ["BUY"]), Unreadable)
    assert tagged("BUY :: 3", ["BUY"]) == ("BUY", "3")
