from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.llm import Price, Prices, Usage, load_prices


def test_cached_and_reasoning_tokens_have_their_own_price() -> None:
    price = Price(prompt=2.0, completion=8.0, cached=0.5, reasoning=4.0)
    usage = Usage(prompt=1_000_000, completion=500_000, cached=400_000, reasoning=100_000)
    assert price.of(usage) == pytest.approx(0.6 * 2.0 + 0.4 * 0.5 + 0.4 * 8.0 + 0.1 * 4.0)
    plain = Price(prompt=2.0, completion=8.0)
    assert plain.of(usage) == pytest.approx(2.0 + 4.0)


def test_a_dated_version_has_the_price_of_its_model_and_a_relative_has_not() -> None:
    prices = load_prices()
    assert prices.find("gpt-4o-mini-2024-07-18") == prices.find("gpt-4o-mini") is not None
    assert prices.find("gpt-4o-audio-preview") is None
    assert prices.find("my-own") is None
    assert prices.find("") is None
    assert "gpt-4o" in prices.names


def test_the_packaged_table_says_of_when_and_from_where_it_is() -> None:
    prices = load_prices()
    assert date.fromisoformat(prices.date) >= date(2026, 11, 1)
    assert prices.source.startswith("genai-prices ")
    for model in ("gpt-5-mini", "claude-opus-4-7", "gemini-2.5-flash", "deepseek-chat", "grok-4"):
        assert prices.find(model) is not None


def test_a_users_table_has_its_own_date(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("date = 2027-01-02\nmine = { prompt = 1.0, completion = 2.0 }\n")
    prices = load_prices(path)
    assert prices.date == "2027-01-02"
    assert prices.find("mine") == Price(prompt=1.0, completion=2.0)


def test_a_users_table_is_laid_over_ours(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        '["my-own"]\nprompt = 1.0\ncompletion = 2.0\n["gpt-4o"]\nprompt=9\ncompletion=9'
    )
    prices = load_prices(path)
    assert prices.find("my-own") == Price(prompt=1.0, completion=2.0)
    assert prices.table["gpt-4o"].prompt == 9.0
    assert prices.find("gpt-4o-mini") is not None


@pytest.mark.parametrize(
    "text", ["[x]\nprompt = 1", "[x]\nprompt = 'a'\ncompletion = 1", "=", "\xff"]
)
def test_a_wrong_table_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BadInput, match="dollars per million"):
        load_prices(path)
    with pytest.raises(BadInput, match="cannot be read"):
        load_prices(tmp_path / "none.toml")


def test_an_empty_table_knows_nothing() -> None:
    assert Prices().find("gpt-4o") is None
