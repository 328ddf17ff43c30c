from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.llm import find_key, read_dotenv, scrub
from audience.llm.endpoint import Endpoint, filled, headers_of, hide, secrets_in, secrets_of


def test_the_environment_comes_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(
        "# keys\nexport A_KEY='one two'\nB_KEY=from-file # mine\nC_KEY=\"quoted\"\nnonsense\n"
    )
    monkeypatch.setenv("B_KEY", "from-environment")
    monkeypatch.delenv("C_KEY", raising=False)
    assert find_key("B_KEY", tmp_path) == "from-environment"
    assert find_key("C_KEY", tmp_path) == "quoted"
    assert filled("token ${C_KEY}", tmp_path) == "token quoted"
    assert read_dotenv(tmp_path)["A_KEY"] == "one two"
    with pytest.raises(BadInput, match="A_KEY holds blanks"):
        find_key("A_KEY", tmp_path)


def test_a_missing_key_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_KEY", raising=False)
    with pytest.raises(BadInput, match="export NO_KEY"):
        find_key("NO_KEY", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-proj-abcd1234efgh",
        "Authorization: Bearer abcdef0123456789",
        "http://user:hidden0123@proxy:80 refused",
        "GET https://host/v1?api_key=abcdef0123456789&x=1",
        "key gsk_abcd1234efgh is wrong",
        "the key plainly-mine is wrong",
    ],
)
def test_nothing_that_looks_like_a_key_is_left(text: str) -> None:
    left = scrub(text, ["plainly-mine"])
    assert "***" in left
    for secret in ("abcd1234", "abcdef01", "hidden0123", "plainly-mine"):
        assert secret not in left


def test_ordinary_words_are_left_alone() -> None:
    text = "status 404: no model gpt-4o-mini at http://127.0.0.1:8099/v1 (max_tokens=16)"
    assert scrub(text) == text


def test_secrets_are_found_in_headers() -> None:
    headers = {"Authorization": "Bearer abcdef", "X-Api-Key": "ghijkl", "Accept": "all/things"}
    assert set(secrets_in(headers)) == {"Bearer abcdef", "abcdef", "ghijkl"}


@pytest.mark.parametrize(
    "text",
    [
        "the key plainly\u200b-mi\u00adne is wrong",
        "the key plainly\x07-mine is wrong",
        'the key {"why": "plainly\\u002dmine"} is wrong',
        'the key {"why": "plain\\u200bly-\\u006dine"} is wrong',
        "the key pl\u202eainly\u2066-min\U000e0041e is wrong",
    ],
)
def test_what_nobody_sees_hides_no_key(text: str) -> None:
    assert "plainly-mine" not in hide(text, ["plainly-mine"])
    assert "***" in hide(text, ["plainly-mine"])
    assert "***" in scrub(text, ["plainly-mine"])


def test_a_text_without_a_key_is_left_as_it_is() -> None:
    text = 'emoji \U0001f469\u200d\U0001f680 and \\u00e9 and \u200b "plainly"'
    assert hide(text, ["plainly-mine"]) == text


@pytest.mark.parametrize("end", ["", "'", "...", "…"])
def test_a_key_that_is_cut_off_is_hidden_too(end: str) -> None:
    assert scrub(f"your key is plainly-m{end}", ["plainly-mine"]) == f"your key is ***{end}"
    assert scrub("this is plain", ["plainly-mine"]) == "this is plain"


def test_every_variable_in_a_header_is_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "plainly-mine")
    monkeypatch.setenv("MY_TEAM", "of-the-team")
    headers = {"X-Team": "team ${MY_TEAM}"}
    endpoint = Endpoint(url="http://h/v1", key_env="MY_KEY", headers=headers)
    secrets = secrets_of(endpoint, headers_of(endpoint))
    assert {"plainly-mine", "of-the-team"} <= set(secrets)
