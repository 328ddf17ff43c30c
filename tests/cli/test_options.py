from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from audience.cli import options
from audience.errors import BadInput


def test_the_first_free_folder_is_named_after_the_scenario(here: Path) -> None:
    assert options.free_folder("My Scenario (2)") == Path("runs/my-scenario-2-1")
    Path("runs/my-scenario-2-1").mkdir(parents=True)
    assert options.free_folder("My Scenario (2)") == Path("runs/my-scenario-2-2")
    assert options.free_folder("!!!") == Path("runs/run-1")


def test_an_experiment_is_answered_with_its_runs(both: Path) -> None:
    with pytest.raises(BadInput, match=r"(?s)is an experiment; name one of its runs.*both/popular"):
        options.open_run(both)


def test_a_person_is_found_by_id_and_an_unknown_one_is_refused(one: Path) -> None:
    with options.open_run(one) as log:
        assert options.person_of(log, "7") == 7
        with pytest.raises(BadInput, match="person 'Ada' is unknown; give an id from 0 to 59"):
            options.person_of(log, "Ada")


@pytest.mark.parametrize("at", [-1, 5])
def test_a_round_that_is_not_there_is_refused(at: int) -> None:
    with pytest.raises(BadInput, match=f"--at {at}: runs/one has complete rounds 1 to 4"):
        options.round_within(at, 4, Path("runs/one"))
    with pytest.raises(BadInput, match="no complete round"):
        options.round_within(5, 0, Path("runs/one"))


def test_the_last_round_is_the_default() -> None:
    assert options.round_within(None, 4, Path("x")) == 4
    assert options.round_within(0, 4, Path("x")) == 0


def test_json_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    options.print_json({"a": "x\ny", "path": Path("p")})
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    assert json.loads(line) == {"a": "x\ny", "path": "p"}


def test_recommenders_are_listed_with_commas_or_by_repeating_the_flag() -> None:
    @click.command()
    @options.recommender_option("What serves.", "popular,ease")
    def command(recommender: tuple[str, ...]) -> None:
        click.echo(" ".join(recommender))

    def said(*words: str) -> str:
        return CliRunner().invoke(command, words, catch_exceptions=False).output.strip()

    assert said() == "popular ease"
    assert said("--recommender", "a, b", "--recommender", "c.py:C") == "a b c.py:C"
    with pytest.raises(BadInput, match="is empty"):
        said("--recommender", " , ")
