"""What a scenario will ask, before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.runs import WAYS, estimate, way_of, with_way
from audience.scenario import Scenario, changed, parse

GONE = "http://127.0.0.1:9/v1"


def scenario(rest: str = "", **keys: object) -> Scenario:
    known: dict[str, object] = {"agents": 20, "rounds": 2, "seeds": 1, "mind": '"llm"'}
    lines = "\n".join(f"{key} = {value}" for key, value in {**known, **keys}.items())
    return parse(f'{lines}\n[activation]\nmethod = "random"\nshare = 1.0\n{rest}')


def test_numbers_grow_with_people_rounds_seeds_and_arms() -> None:
    one = estimate(scenario(agents=40))
    assert one.calls > one.visits > 0
    assert one.prompt > 100 * one.calls
    assert one.completion > one.calls
    assert estimate(scenario(agents=40, seeds=3)).calls == pytest.approx(3 * one.calls)
    assert estimate(scenario(agents=40, rounds=20)).calls == pytest.approx(10 * one.calls)
    hundred, thousand = (estimate(scenario(agents=agents)).calls for agents in (100, 1000))
    assert thousand == pytest.approx(10 * hundred)
    assert hundred == pytest.approx(2.5 * one.calls, rel=0.3)
    arms = '[arms.a]\nrecommender = "popular"\n[arms.b]\nrecommender = "popular"\n'
    assert estimate(scenario(arms, agents=40)).calls == pytest.approx(2 * one.calls)


def test_arms_that_ask_nobody_cost_nothing() -> None:
    arms = '[arms.a]\nmind = "rule"\n[arms.b]\n'
    both, one = estimate(scenario(arms)), estimate(scenario())
    assert both.calls == one.calls
    assert estimate(scenario(mind='"rule"')).calls == 0


def test_purposes_add_up() -> None:
    one = estimate(scenario(agents=50))
    assert set(one.by_purpose) >= {"home", "page", "social"}
    assert sum(one.by_purpose.values()) == pytest.approx(one.calls)
    assert one.calls_per_visit == one.calls / one.visits


def test_faithful_prompting_costs_more() -> None:
    fused = estimate(scenario(agents=50))
    faithful = estimate(scenario(agents=50, mind='{kind = "llm", prompting = "faithful"}'))
    assert faithful.calls_per_visit > fused.calls_per_visit
    assert {"summary.take_action", "take_action"} <= set(faithful.by_purpose)


def test_a_few_at_a_time_are_not_taken_for_all() -> None:
    few = parse(
        'agents = 1000\nrounds = 1\nmind = "llm"\n[activation]\nshare = 1.0\nat_most = 50\n'
    )
    assert estimate(few).visits == pytest.approx(50, rel=0.2)


@pytest.mark.parametrize(
    ("llm", "dollars"),
    [
        ("", 0.0),
        (f'url = "{GONE}"\nprice = "free"', 0.0),
        (f'url = "{GONE}"\nmodel = "my-own"', None),
    ],
    ids=["embedded", "free", "unknown"],
)
def test_money(llm: str, dollars: float | None) -> None:
    assert estimate(scenario(f"[llm]\n{llm}")).dollars == dollars


def test_prices_of_ones_own_count(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text('["my-own"]\nprompt = 2.0\ncompletion = 10.0\n')
    llm = f'[llm]\nurl = "{GONE}"\nmodel = "my-own"\nprices = "{tmp_path / "prices.toml"}"'
    one = estimate(scenario(llm))
    wanted = (2.0 * round(one.prompt) + 10.0 * round(one.completion)) / 1e6
    assert one.dollars == pytest.approx(wanted)


def test_nothing_is_needed_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    voiced = scenario(
        '[llm]\nurl = "http://127.0.0.1:9/v1"\nkey_env = "NO_SUCH_KEY"', mind='"voiced"'
    )
    assert estimate(voiced).calls > 0
    assert estimate(changed(voiced, llm={"url": "", "model": "/no/such/file.gguf"})).calls > 0
    assert list(tmp_path.iterdir()) == []


def remembering() -> Scenario:
    return scenario(memory='"recagent"', agents=6, rounds=4)


def test_memories_cost_by_their_way() -> None:
    base = remembering()
    assert way_of(base) == "fused"
    fused, faithful, rule = (estimate(with_way(base, way)) for way in WAYS)
    assert rule.memory_calls == 0 < rule.calls
    assert 0 < fused.memory_calls_per_visit <= 1.0
    assert faithful.memory_calls > 2 * fused.memory_calls
    assert fused.memory_prompt > 100 * fused.memory_calls
    assert fused.calls > fused.memory_calls
    assert sum(fused.by_purpose.values()) == pytest.approx(fused.calls)


def test_rounds_that_are_not_lived_count_as_the_later_ones() -> None:
    base = with_way(remembering(), "rule")
    few, many = (estimate(changed(base, rounds=rounds)) for rounds in (8, 48))
    assert many.visits == pytest.approx(6 * few.visits, rel=0.2)
    # What is remembered fills up, so that later prompts are longer than the first ones.
    assert many.prompt / many.calls > few.prompt / few.calls


def test_the_way_is_the_scenario_s_or_the_memory_s_or_suits_the_minds() -> None:
    assert way_of(scenario()) == ""
    assert way_of(scenario(mind='"rule"', memory='"recagent"')) == "rule"
    assert way_of(scenario(memory='"agent4rec"')) == "rule"
    chosen = scenario(memory='{kind = "recagent", consolidation = "faithful"}')
    assert way_of(chosen) == "faithful"
    assert way_of(with_way(chosen, "fused")) == "fused"
