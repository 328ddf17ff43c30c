"""Presets: shipped with the package, the same as the examples, and run against the fake server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import conduct, how_to_choose, lacks_model, warning_of
from audience.scenario import PRESETS, SpendingOptions, changed, load, preset_text

Serving = Callable[..., AbstractContextManager[Fake]]
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_the_example_of_its_name(name: str) -> None:
    assert preset_text(name) == (EXAMPLES / f"{name}.toml").read_text("utf-8")
    assert load(Path(name)) == load(EXAMPLES / f"{name}.toml")
    assert f"audience run {name} --llm" in preset_text(name)


def test_a_name_that_is_none_is_told_the_presets() -> None:
    with pytest.raises(BadInput, match="presets are recagent, agent4rec"):
        load(Path("recagnt"))


def test_recagent_has_the_settings_of_its_config() -> None:
    scenario = load(Path("recagent"))
    assert (scenario.agents, scenario.rounds, scenario.clock.step) == (10, 30, "5h")
    assert (scenario.platform.page_size, scenario.run.order) == (5, "one-by-one")
    assert scenario.mind.options["temperature"] == 0.3
    assert scenario.mind.options["prompting"] == "faithful"


def test_agent4rec_has_the_paper_s_pages_and_recommenders() -> None:
    scenario = load(Path("agent4rec"))
    assert (scenario.agents, scenario.platform.page_size, scenario.platform.max_pages) == (
        1000,
        4,
        5,
    )
    assert list(scenario.arms) == ["random", "popular", "mf", "lightgcn", "multvae"]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_runs_against_a_server(name: str, serving: Serving, tmp_path: Path) -> None:
    few = {"agents": 6, "rounds": 2} if name == "recagent" else {"agents": 12}
    scenario = changed(load(Path(name)), **few)
    if name.startswith("s3"):
        scenario = changed(scenario, rounds=3)
    with serving() as server:
        url = f"http://127.0.0.1:{server.port}/v1"
        scenario = changed(scenario, llm={"url": url, "price": "free"})
        outcome = conduct(scenario, tmp_path / "out")
    assert not lacks_model(scenario)
    assert warning_of(scenario) == ""
    assert all(finished.spent.calls > 0 for finished in outcome.finished)
    for finished in outcome.finished:
        with Log.open(Path(finished.measured.folder)) as log:
            assert log.complete_rounds() == scenario.rounds


@pytest.mark.parametrize("name", PRESETS)
def test_without_a_model_nothing_starts_and_the_remedy_is_told(name: str, tmp_path: Path) -> None:
    scenario = changed(load(Path(name)), agents=8, rounds=1)
    assert lacks_model(scenario)
    remedy = how_to_choose(scenario, name)
    assert f"audience run {name} --llm URL" in remedy
    assert f"audience run {name} --llm embedded" in remedy
    assert "minutes on two cores" in remedy
    assert "at chance level" in remedy
    with pytest.raises(BadInput, match="give an OpenAI-compatible endpoint"):
        conduct(scenario, tmp_path / "out")
    assert not list(tmp_path.glob("out/**/run.db"))


def test_the_embedded_model_is_warned_of() -> None:
    scenario = changed(load(Path("recagent")), llm={"url": "embedded"}, rounds=2)
    assert not lacks_model(scenario)
    assert "free format can be read" in warning_of(scenario)
    assert "at chance level" in warning_of(changed(scenario, mind="llm"))
    assert warning_of(changed(scenario, mind="voiced")) == ""
    own = changed(scenario, llm={"url": "", "model": "/models/large.gguf"})
    assert warning_of(own) == ""


def test_how_long_the_tuned_model_takes_on_this_machine_is_told() -> None:
    scenario = changed(load(Path("recagent")), mind="tuned", agents=8, rounds=1)
    assert not lacks_model(scenario)
    assert warning_of(scenario).startswith("audience-135m takes roughly ")
    served = changed(scenario, llm={"url": "http://127.0.0.1:9/v1"})
    assert warning_of(served) == ""


def test_stored_calls_need_no_model(tmp_path: Path) -> None:
    scenario = changed(load(Path("s3-gender")), agents=8, rounds=1)  # nobody reads in round 1
    outcome = conduct(scenario, tmp_path / "out", spending=SpendingOptions(calls="stored"))
    assert len(outcome.finished) == 1
