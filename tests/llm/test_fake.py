from __future__ import annotations

import json
import math
import subprocess
import sys
import urllib.request
from typing import Any

import aiohttp
import pytest
from hypothesis import given, strategies as st
from tests.llm.conftest import until

from audience.errors import BadInput
from audience.llm import answer, free
from audience.llm.fake import Fake, main
from audience.llm.fake_answers import INVENT
from audience.llm.fake_model import KINDS, Faults, parse_faults, parse_latency, vector

PAGE = {
    "type": "object",
    "$defs": {"item": {"type": "integer", "enum": [3, 5, 8, 13]}},
    "properties": {
        "picks": {
            "type": "array",
            "items": {"$ref": "#/$defs/item"},
            "uniqueItems": True,
            "maxItems": 2,
        },
        "rating": {"type": "number", "minimum": 0.5, "maximum": 5, "multipleOf": 0.5},
        "next": {"anyOf": [{"const": "leave"}, {"type": "null"}]},
        "why": {"type": "string", "minLength": 40, "maxLength": 60},
        "sure": {"type": ["boolean", "null"]},
    },
    "required": ["picks", "rating", "next", "why", "sure"],
}


@given(st.text(max_size=8))
def test_answers_follow_the_schema(key: str) -> None:
    found = answer(PAGE, key)
    assert set(found) == set(PAGE["required"])
    assert len(set(found["picks"])) == len(found["picks"]) <= 2
    assert set(found["picks"]) <= {3, 5, 8, 13}
    assert 0.5 <= found["rating"] <= 5.0
    assert found["rating"] * 2 == int(found["rating"] * 2)
    assert found["next"] in ("leave", None)
    assert 30 <= len(found["why"]) <= 60
    assert found["sure"] in (True, False, None)
    assert found == answer(PAGE, key)


def test_answers_vary() -> None:
    assert len({json.dumps(answer(PAGE, str(number))) for number in range(50)}) > 40


def test_a_share_of_free_texts_names_works_that_do_not_exist() -> None:
    keys = [str(number) for number in range(400)]
    for share, least, most in ((0.0, 0, 0), (0.5, 120, 280), (1.0, 400, 400)):
        schema = {**PAGE, "properties": {"said": {"type": "string"}}, "required": ["said"]}
        texts = [answer({**schema, INVENT: share}, key)["said"] for key in keys]
        assert least <= sum(text.startswith("<The ") for text in texts) <= most
        assert all(text.count("<") == text.count(">") <= 1 for text in texts)
    assert free("Tell me.", "k", invents=1.0).startswith("<The ")
    assert free(LETTERS, "k", invents=1.0) in ("A", "B", "C")


def test_faults_belong_to_the_request_and_the_attempt() -> None:
    faults = parse_faults(["500=0.2", "hang=0.1"], "")
    met = [faults.choose(str(number), 1) for number in range(2000)]
    assert met == [faults.choose(str(number), 1) for number in range(2000)]
    assert 300 < met.count("500") < 500
    assert 130 < met.count("hang") < 270
    scripted = parse_faults([], "429,500")
    assert [scripted.choose("k", attempt) for attempt in (1, 2, 3)] == ["429", "500", "ok"]


@pytest.mark.parametrize("words", [["505=0.1"], ["500=often"], ["500=0.7", "429=0.7"]])
def test_wrong_faults_are_told(words: list[str]) -> None:
    with pytest.raises(BadInput):
        parse_faults(words)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("50ms", (0.05, 0.05)), ("20ms-0.2s", (0.02, 0.2)), ("1.5s", (1.5, 1.5))],
)
def test_latencies_are_read(text: str, seconds: tuple[float, float]) -> None:
    assert parse_latency(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["50", "fast", "3s-1s", "1s-2s-3s", ""])
def test_wrong_latencies_are_told(text: str) -> None:
    with pytest.raises(BadInput):
        parse_latency(text)


def test_it_speaks_the_protocol_to_any_client(with_fake: Any) -> None:
    async def test(fake: Fake) -> None:
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{fake.url}/models") as response:
                assert (await response.json())["data"][0]["id"] == "fake"
            texts = {"input": ["a good film", "a good book", "xyzzy"]}
            async with session.post(f"{fake.url}/embeddings", json=texts) as response:
                rows = [row["embedding"] for row in (await response.json())["data"]]
            near, far = (sum(a * b for a, b in zip(rows[0], row, strict=True)) for row in rows[1:])
            assert near > far
            async with session.post(f"{fake.url}/chat/completions", data=b"{") as response:
                assert response.status == 400
            body = {"messages": [{"role": "user", "content": "hi"}], "stream": True}
            async with session.post(f"{fake.url}/chat/completions", json=body) as response:
                assert response.status == 400
            async with session.get(fake.url.replace("/v1", "/counters")) as response:
                counters = await response.json()
        assert counters["requests"] == 3
        assert counters["outcomes"] == {"ok": 1, "400": 2}

    with_fake(test)


def test_vectors_have_length_one() -> None:
    assert sum(one * one for one in vector("some words")) == pytest.approx(1.0)


def test_it_runs_as_a_program() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "audience.llm.fake", "--latency", "1ms", "--fault", "500=0.0"],
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        url = child.stdout.readline().strip()
        body = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode()
        request = urllib.request.Request(f"{url}/chat/completions", body)
        with urllib.request.urlopen(request, timeout=100) as response:
            said = json.loads(response.read())
        assert said["choices"][0]["message"]["content"]
        assert url.startswith("http://127.0.0.1:")
        child.terminate()


LETTERS = "Which one?\nA) <Heat>\nB) <Alien>\nC) <Big>\nAnswer with the letter alone."
WORDS = "Is there a film <Heat>?\nAnswer with one word, yes or no."


@pytest.mark.parametrize(("prompt", "marks"), [(LETTERS, {"A", "B", "C"}), (WORDS, {"yes", "no"})])
def test_of_what_is_to_be_chosen_it_says_what_it_gives_most_to(
    with_fake: Any, prompt: str, marks: set[str]
) -> None:
    async def test(fake: Fake) -> None:
        said = set()
        async with aiohttp.ClientSession() as session:
            for seed in range(40):
                body = {"messages": [{"role": "user", "content": prompt}], "seed": seed}
                body |= {"logprobs": True, "top_logprobs": 20}
                async with session.post(f"{fake.url}/chat/completions", json=body) as response:
                    (choice,) = (await response.json())["choices"]
                top = choice["logprobs"]["content"][0]["top_logprobs"]
                assert {one["token"] for one in top} == marks
                assert sum(math.exp(one["logprob"]) for one in top) == pytest.approx(1.0)
                assert choice["message"]["content"] == top[0]["token"]
                said.add(top[0]["token"])
        assert said == marks

    with_fake(test)


def test_a_wrong_command_line_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--latency", "fast"]) == 1
    assert "20ms-200ms" in capsys.readouterr().err
    assert main(["--invents", "2"]) == 1
    assert "between 0 and 1" in capsys.readouterr().err


def test_every_fault_has_an_end(with_fake: Any) -> None:
    """No fault but `hang` keeps a client waiting, and closing ends even that."""

    async def test(fake: Fake) -> None:
        body = {"messages": [{"role": "user", "content": "hi"}]}
        async with aiohttp.ClientSession() as session:
            for kind in KINDS:
                limit = aiohttp.ClientTimeout(total=1.0 if kind == "hang" else 100.0)
                try:
                    async with session.post(
                        f"{fake.url}/chat/completions", json=body, timeout=limit
                    ) as response:
                        await response.read()
                except (aiohttp.ClientError, TimeoutError):
                    assert kind in ("hang", "reset")
        await until(lambda: fake.in_flight == 0)
        assert fake.outcomes == dict.fromkeys(KINDS, 1)

    with_fake(test, faults=Faults(script=KINDS), drip=0.05)
