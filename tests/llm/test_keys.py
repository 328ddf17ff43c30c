from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.llm import find_key, read_dotenv, scrub
from audience.llm.endpoint import filled, secrets_in


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
