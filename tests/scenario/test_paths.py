from __future__ import annotations

from pathlib import Path

import pytest
from tests.scenario.test_scenario import WHOLE

from audience.scenario import Scenario, changed, load


def test_paths_start_from_the_scenario_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    swap = '[[interventions]]\nround = 3\ndo = "swap_recommender"\nkind = "../b.py:B"\n'
    (tmp_path / "sub" / "s.toml").write_text(WHOLE + swap)
    monkeypatch.chdir(tmp_path)
    found = load(Path("sub/s.toml"))
    place = tmp_path / "sub"
    assert found.dataset.options["path"] == str(place / "mine")
    assert found.metrics == (f"{place}/a.py:Joy",)
    assert found.arms["new"]["recommender"]["kind"] == f"{place}/lib/new.py:New"
    assert found.arms["old"]["recommender"] == "popular"
    assert found.interventions[1]["kind"] == f"{tmp_path}/b.py:B"
    assert load(place / "s.toml") == found


def test_paths_in_changes_start_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = changed(Scenario(), recommender="mine.py:Mine", dataset={"kind": "folder", "path": "d"})
    assert found.recommender.kind == f"{tmp_path}/mine.py:Mine"
    assert found.dataset.options == {"path": f"{tmp_path}/d"}
    absolute = changed(Scenario(), recommender="/lib/mine.py:Mine", mind="rule")
    assert absolute.recommender.kind == "/lib/mine.py:Mine"


@pytest.mark.parametrize(
    ("part", "option"),
    [("mind", "prompts"), ("memory", "prompts"), ("rule", "parameters"), ("agent4rec", "prompts")],
)
def test_options_that_name_files_start_from_the_scenario_file(
    tmp_path: Path, part: str, option: str
) -> None:
    kind = {"mind": "llm", "memory": "recagent"}.get(part, part)
    key = "memory" if kind in ("recagent", "agent4rec") else "mind"
    text = f'[{key}]\nkind = "{kind}"\n{option} = "words"\n'
    (tmp_path / "s.toml").write_text(text)
    found = load(tmp_path / "s.toml")
    assert getattr(found, key).options[option] == str(tmp_path / "words")
