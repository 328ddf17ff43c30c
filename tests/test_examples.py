"""Every example runs as it lies there, with fewer people; minds with a model take too long here."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from tests.llm.adapter_file import write_adapter

from audience.cli import main
from audience.llm import adapter, embedded, tuned_missing
from audience.log import Log, world_at
from audience.world import Intervened

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.toml"))
NAMES = {path.stem for path in EXAMPLES}
FAST = ("rule", "recsim", "grounded")


def minds_of(path: Path) -> set[str]:
    """Return the kinds of minds that an example and its arms ask for."""
    tree = tomllib.loads(path.read_text("utf-8"))
    scopes = (tree, *tree.get("arms", {}).values())
    minds = [scope.get("mind", "rule") for scope in scopes]
    return {mind["kind"] if isinstance(mind, dict) else mind for mind in minds}


QUICK = [path for path in EXAMPLES if minds_of(path) <= set(FAST)]


def test_there_are_the_examples_that_the_documentation_names() -> None:
    assert {
        "two-recommenders",
        "your-own-recommender",
        "what-if",
        "books",
        "one-by-one",
        "own-clocks",
        "recsim",
        "spread-gender-case",
        "spread-waste-water",
        "family-evening",
    } <= NAMES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_says_what_it_shows_and_how_to_run_it(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.startswith("# ")
    assert f"audience run examples/{path.name}" in text
    assert "title" in tomllib.loads(text)


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.stem)
def test_an_example_runs(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    rounds = ["--rounds", "2"] if path.stem != "what-if" else []
    words = ["run", str(path), "--agents", "40", *rounds, "--no-report", "--json"]
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--seeds", "1", "--out", "out"])
    told = capsys.readouterr()
    assert stopped.value.code == 0, told.err
    found = json.loads(told.out.splitlines()[-1])
    assert found["failed"] == 0
    assert found["refused"] == 0
    if "spread" in tomllib.loads(path.read_text("utf-8")):
        assert found["decisions"] > 0  # news is read there, and nothing picked
    else:
        assert found["picks"] > 0


@pytest.mark.slow
@pytest.mark.skipif(bool(embedded.missing()), reason=embedded.missing() or "it is here")
def test_the_example_of_the_tuned_model_runs_and_replays(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.chdir(tmp_path)
    if tuned_missing():  # a clone without the adapter: one at random chooses as well
        monkeypatch.setattr(adapter, "FOLDER", tmp_path / "tuned")
        write_adapter(tmp_path / "tuned", 0.01)
    path = next(path for path in EXAMPLES if path.stem == "tuned")
    stored = ["--calls", "stored", "--calls-from", "first"]
    for more in (["--out", "first"], ["--out", "again", *stored]):
        with pytest.raises(SystemExit) as stopped:
            main(["run", str(path), "--no-report", "--json", *more])
        told = capsys.readouterr()
        assert stopped.value.code == 0, told.err
        found = json.loads(told.out.splitlines()[-1])
        assert found["failed"] == 0
        assert (found["calls"] > 0) == (more[1] == "first")
    terms = [record for record in caplog.records if "no commercial use" in record.getMessage()]
    assert len(terms) == 1
    with Log.open(tmp_path / "first") as first, Log.open(tmp_path / "again") as again:
        assert [*first.records()] == [*again.records()]


def test_the_sweep_of_its_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = next(path for path in EXAMPLES if path.stem == "sweep")
    vary = ["--vary", "recommender=ease,popular", "--vary", "mind.position=0.05,0.5"]
    small = ["--agents", "20", "--rounds", "1", "--seeds", "1", "--workers", "1"]
    with pytest.raises(SystemExit) as stopped:
        main(["sweep", str(path), *vary, *small, "--out", "out"])
    told = capsys.readouterr()
    assert stopped.value.code == 0, told.err
    assert "Satisfaction is highest with recommender=" in told.out
    assert (tmp_path / "out" / "effects.png").is_file()


def test_all_nine_kinds_of_intervention_happen_in_what_if(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = next(path for path in EXAMPLES if path.stem == "what-if")
    with pytest.raises(SystemExit):
        main(["run", str(path), "--agents", "40", "--no-report", "--out", "out"])
    with Log.open(tmp_path / "out") as log:
        changes = [type(r.event.change) for r in log.records() if isinstance(r.event, Intervened)]
        world = world_at(log, 8)
    assert len(changes) == len(set(changes)) == 9
    assert world.profile(40).name == "Nova Reed"


def test_the_starter_is_the_example() -> None:
    import audience.cli

    starter = Path(audience.cli.__file__).parent / "starter" / "my_recommender.py"
    example = EXAMPLES[0].parent / "my_recommender.py"
    assert starter.read_text() == example.read_text()
    assert len(example.read_text().splitlines()) < 30
