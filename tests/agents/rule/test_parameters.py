from __future__ import annotations

from pathlib import Path

import pytest

from audience.agents.rule import RuleMind, RuleParameters
from audience.agents.rule.parameters import load_parameters
from audience.errors import BadInput
from audience.scenario import load


def written(folder: Path, text: str) -> Path:
    path = folder / "params.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_file_changes_what_it_names_and_options_go_before_it(tmp_path: Path) -> None:
    path = written(
        tmp_path, "[mind]\ntaste = 3\nleave = -1.5\nmost_picks = 4\n[calibration]\na = 1\n"
    )
    mind = RuleMind(parameters=str(path), leave=-2.0)
    assert mind.parameters == RuleParameters(taste=3, leave=-2.0, most_picks=4)
    assert RuleMind().parameters == RuleParameters()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[mind]\ntast = 3\n", "tast"),
        ("[mind]\ntaste = 'much'\n", "'much' is not a number"),
        ("[mind]\ntaste = true\n", "True is not a number"),
        ("[mind]\nmost_picks = 2.5\n", "2.5 is not a whole number"),
        ("taste = 3\n", "no table"),
        ("[mind\n", "fix the TOML"),
    ],
)
def test_mistakes_name_the_file_and_the_key(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadInput, match=r"params\.toml") as refused:
        load_parameters(path)
    assert said in str(refused.value)


def test_a_missing_file_says_how_to_come_by_one(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="audience eval calibration"):
        load_parameters(tmp_path / "none.toml")


def test_a_scenario_finds_the_file_beside_it(tmp_path: Path) -> None:
    path = written(tmp_path, "[mind]\ntaste = 1.0\n")
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('[mind]\nkind = "rule"\nparameters = "params.toml"\n', "utf-8")
    assert load(scenario).mind.options == {"parameters": str(path)}
