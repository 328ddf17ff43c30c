from __future__ import annotations

from pathlib import Path

import pytest
from tests.datasets.files import RECAGENT, write

from audience.errors import BadInput
from audience.scenario import dump, imported, load

CONFIG = """# path for item data
item_path: data/item.csv
user_path: data/user_1000.csv
relationship_path: data/relationship_1000.csv
interaction_path: data/interaction.csv
index_name: data/faiss_index
simulator_restore_file_name:
rec_model: Random
epoch: 30
agent_num: 2
page_size: 6
temperature: 0.3
execution_mode: serial
interval: 5h
llm: gpt-3.5
active_agent_threshold: 100
active_method: random
active_prob: 1
recagent_memory: none
colour: red
api_keys:
  - sk-secret
"""


def program(folder: Path, config: str = CONFIG) -> Path:
    """Lay out the published program's folders and return its config."""
    write(folder / "data", RECAGENT)
    return write(folder / "config", {"config.yaml": config}) / "config.yaml"


def test_a_config_becomes_a_scenario_that_loads(tmp_path: Path) -> None:
    config, out = program(tmp_path), tmp_path / "mine.toml"
    found = imported(config, out)
    out.write_text(dump(found.tree), "utf-8")
    scenario = load(out)
    assert (scenario.agents, scenario.rounds, scenario.platform.page_size) == (2, 30, 6)
    assert (scenario.run.order, scenario.clock.step) == ("one-by-one", "5h")
    waking = scenario.activation
    assert (waking.method, waking.share, waking.at_most) == ("random", 1, 100)
    assert scenario.recommender.kind == "random"
    assert (scenario.llm.model, scenario.llm.key_env) == ("gpt-3.5-turbo", "OPENAI_API_KEY")
    assert scenario.llm.url == "https://api.openai.com/v1"
    assert scenario.mind.options["prompting"] == "faithful"
    law = {"law": "pareto", "alpha": 10.0, "minimum": 0.0}
    assert scenario.dataset.options["activity"] == law
    assert scenario.dataset.kind == "recagent"
    assert scenario.dataset.options["path"] == str(tmp_path / "data")
    assert scenario.dataset.options["user"] == "user_1000.csv"


def test_what_has_no_equivalent_is_named_and_keys_stay_where_they_are(tmp_path: Path) -> None:
    found = imported(program(tmp_path), tmp_path / "mine.toml")
    keys = [line.partition(":")[0] for line in found.without]
    assert keys == ["index_name", "colour", "api_keys"]
    assert "unknown" in found.without[1]
    assert "sk-secret" not in dump(found.tree) + "".join(found.without)


def test_what_serves_instead_is_said(tmp_path: Path) -> None:
    text = CONFIG.replace("Random", "Oracle").replace("gpt-3.5", "custom")
    text = text.replace("memory: none", "memory: elephant").replace("serial", "sideways")
    (line,) = [one for one in CONFIG.splitlines() if one.startswith("interaction_path")]
    found = imported(
        program(tmp_path, text.replace(line, "interaction_path: later.csv")), tmp_path / "s.toml"
    )
    told = "\n".join(found.without)
    assert "later.csv is not there, so people begin without a past" in told
    assert "rec_model: Oracle is not among" in told
    assert "recagent_memory: elephant is not among" in told
    assert "llm: set [llm] url to the endpoint that serves custom" in told
    assert "sideways is neither serial nor parallel" in told
    assert (found.tree["recommender"], found.tree["memory"]) == (
        {"kind": "popular"},
        {"kind": "none"},
    )


def test_activity_follows_the_law_of_the_config(tmp_path: Path) -> None:
    text = CONFIG.replace("method: random", "method: sample").replace("prob: 1", "prob: 0.3")
    config, out = program(tmp_path, text.replace("memory: none", "memory: recagent")), "mine.toml"
    found = imported(config, tmp_path / out)
    (tmp_path / out).write_text(dump(found.tree), "utf-8")
    scenario = load(tmp_path / out)
    assert scenario.dataset.options["activity"]["alpha"] == pytest.approx(3.0)
    levels = [1.0 / 0.75 ** (1 / 3) - 1.0, 1.0 / 0.25 ** (1 / 3) - 1.0]
    share = sum(levels) / 2 / levels[1]
    assert scenario.activation.share == pytest.approx(share, abs=1e-4), "levels over the highest"
    assert scenario.memory.options["consolidation"] == "faithful"


@pytest.mark.parametrize(
    ("given", "url", "key"),
    [
        ("llm: yulan\napi_keys:\n  - http://10.0.0.7:8000/v1", "http://10.0.0.7:8000/v1", ""),
        ("llm: gpt-4\napi_base: http://proxy/v1", "http://proxy/v1", "OPENAI_API_KEY"),
    ],
)
def test_the_endpoint_is_the_one_given(tmp_path: Path, given: str, url: str, key: str) -> None:
    begin = CONFIG.partition("api_keys")[0].replace("llm: gpt-3.5\n", "")
    found = imported(program(tmp_path, begin + given + "\n"), tmp_path / "s.toml").tree["llm"]
    assert (found["url"], found.get("key_env", "")) == (url, key)
    assert found["model"] == given.split()[1]


def test_several_endpoints_share_the_calls(tmp_path: Path) -> None:
    two = "llm: mine\napi_keys:\n  - http://a/v1\n  - http://b/v1\n"
    text = CONFIG.partition("api_keys")[0].replace("llm: gpt-3.5\n", "") + two
    found = imported(program(tmp_path, text), tmp_path / "s.toml").tree["llm"]
    assert [one["url"] for one in found["endpoints"]] == ["http://a/v1", "http://b/v1"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("data/item.csv", "data/items.csv", r"item_path: data/items.csv is neither below"),
        ("item_path: data/item.csv\n", "", r"item_path and user_path are needed"),
        ("active_prob: 1", "active_prob: 3", r"share: 3\S* is not between 0 and 1"),
        ("active_method: random", "active_method: magic", r"activation method 'magic' is unknown"),
        ("epoch: 30", "epoch: many", r"rounds"),
    ],
)
def test_a_config_with_a_mistake_is_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        imported(program(tmp_path, CONFIG.replace(old, new)), tmp_path / "s.toml")


@pytest.mark.parametrize("name", ["BPR", "Bpr", "bpr", "MF"])
def test_a_recommender_is_found_in_any_case(tmp_path: Path, name: str) -> None:
    config = program(tmp_path, CONFIG.replace("Random", name))
    assert imported(config, tmp_path / "s.toml").tree["recommender"] == {"kind": "bpr"}


def test_a_misspelt_recommender_is_told_its_neighbour(tmp_path: Path) -> None:
    config = program(tmp_path, CONFIG.replace("Random", "LightGNC"))
    told = "".join(imported(config, tmp_path / "s.toml").without)
    assert "(did you mean lightgcn?): popular serves" in told
