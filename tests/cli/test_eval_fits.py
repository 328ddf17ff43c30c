from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from tests.runs.calibration.test_fit import files

from audience.agents import GroundedMind
from audience.cli import main

QUICK = ("--agents", "10", "--tries", "4", "--max-pages", "5")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["eval", "calibration", *arguments])
    out, err = capsys.readouterr()
    return int(str(ended.value.code)), out, err


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and with the parameters fitted to it. To be read only."""
    folder = tmp_path_factory.mktemp("fitted")
    data, out = files(folder / "tiny"), folder / "params.toml"
    with pytest.raises(SystemExit) as ended:
        main(["eval", "calibration", "--data", str(data), *QUICK, "--out", str(out)])
    assert ended.value.code in (0, None)
    return folder


def test_a_table_parameters_and_a_figure_come_out(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = fitted / "tiny", fitted / "params.toml"
    code, text, _ = told(capsys, "--data", str(data), *QUICK)
    assert code == 0
    for word in ("stars", "pages per visit", "JSD", "±", "seed 1", "fitted on 20 people"):
        assert word in text
    assert tomllib.loads(out.read_text("utf-8"))["mind"]["fatigue"] == 0.0
    assert out.with_suffix(".svg").stat().st_size > 1000
    assert out.with_suffix(".png").stat().st_size > 1000
    code, text, _ = told(capsys, "--data", str(data), *QUICK, "--json")
    assert code == 0
    found = json.loads(text.splitlines()[-1])
    assert found["parameters"] == tomllib.loads(out.read_text("utf-8"))["mind"]
    assert found["files"] == []


def test_grounded_minds_are_calibrated_with_what_they_foresee(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = files(tmp_path / "tiny"), tmp_path / "params.toml"
    given = ("--data", str(data), "--mind", "grounded", *QUICK, "--out", str(out))
    code, text, _ = told(capsys, *given)
    assert code == 0
    assert "mind grounded on" in text
    assert "predicted choice, any beside" in text
    assert "predicted choice, as popular beside" in text
    found = tomllib.loads(out.read_text("utf-8"))["mind"]
    mind = GroundedMind(parameters=str(out))
    assert mind.parameters.no_pick == found["no_pick"]


def test_parameters_work_in_a_run_and_stand_in_its_report(fitted: Path, tmp_path: Path) -> None:
    parameters = (fitted / "params.toml").as_posix()
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        f'agents = 20\nrounds = 2\n[mind]\nkind = "rule"\nparameters = "{parameters}"\n', "utf-8"
    )
    with pytest.raises(SystemExit) as ended:
        main(["run", str(scenario), "--out", str(tmp_path / "run")])
    assert ended.value.code in (0, None)
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "fitted to tiny" in page
    assert (tmp_path / "run" / "figures" / "calibration_1.svg").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--out", "params.json"), "ends with .toml"),
        (("--mind", "nobody"), "nobody"),
        (("--gap", "0"), "more than 0"),
        (("--tries", "0"), "too small"),
    ],
)
def test_mistakes_exit_with_2_and_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: tuple[str, ...], said: str
) -> None:
    code, _, err = told(capsys, "--data", str(files(tmp_path / "tiny")), *given)
    assert code == 2
    assert said in err
