from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import audience
from audience.errors import BadInput
from audience.runs import conduct, handle as module, start
from audience.runs.exports import COLUMNS
from audience.scenario import parse

SMALL = parse("agents = 30\nrounds = 2\nrecommender = 'popular'")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("loaded") / "one"
    start(SMALL, 1, place)
    return place


def run_in(folder: Path) -> audience.Run:
    found = audience.load(folder)
    assert isinstance(found, audience.Run)
    return found


def test_a_folder_is_a_run_and_a_file_a_scenario(folder: Path, tmp_path: Path) -> None:
    run = run_in(folder)
    assert (run.seed, run.scenario.agents) == (1, 30)
    assert repr(run) == f"Run('{folder}')"
    (tmp_path / "s.toml").write_text("agents = 7\n")
    scenario = audience.load(tmp_path / "s.toml")
    assert isinstance(scenario, audience.Scenario)
    assert scenario.agents == 7
    with pytest.raises(BadInput, match="does not exist"):
        audience.load(tmp_path / "no.toml")


def test_columns_need_nothing(folder: Path) -> None:
    run = run_in(folder)
    taken, shown = run.columns(), run.columns(exposures=True)
    assert list(taken) == list(COLUMNS)
    assert len({len(values) for values in taken.values()}) == 1
    assert 0 < len(taken["item"]) < len(shown["item"])
    assert len(taken["item"]) == run.measured().totals["picks"]


def test_frames_come_where_their_library_is(folder: Path) -> None:
    run = run_in(folder)
    for name in module.FRAMES:
        if find_spec(name) is None:
            with pytest.raises(BadInput, match=f"{name} is not installed; `pip install {name}`"):
                run.interactions(frame=name)
            continue
        frame = run.interactions(frame=name)
        assert type(frame).__module__.startswith(name)
        assert list(frame.columns) == list(COLUMNS)
        assert len(frame) == len(run.columns()["item"])
        assert "float" in str(frame["propensity"].dtype).lower()
    with pytest.raises(BadInput, match="known: pandas, polars"):
        run.interactions(frame="spark")


def test_without_both_libraries_plain_columns_are_offered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FRAMES", ())
    with pytest.raises(BadInput, match=r"neither .* is installed; .* or take .columns\(\)"):
        run_in(folder).interactions()


def test_an_experiment_names_its_runs(tmp_path: Path) -> None:
    arms = "[arms.a]\nrecommender = 'popular'\n[arms.b]\nrecommender = 'random'\n"
    conduct(parse(f"agents = 10\nrounds = 1\n{arms}"), tmp_path / "both")
    with pytest.raises(BadInput, match=r"is an experiment; name one of its runs: .*a/seed-1"):
        audience.load(tmp_path / "both")


def test_a_run_can_be_run_again(folder: Path, tmp_path: Path) -> None:
    again = audience.run(run_in(folder), out=tmp_path / "again", report=False)
    assert again.finished[0].measured.digest == run_in(folder).measured().digest
