"""The evaluations of minds from the command line, on a small world of walkers."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.lab.evaluation import part_of_user
from audience.lab.judging.cases import SequenceFile, read_file, way_pairs
from audience.llm.fake import Fake

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]
pytestmark = pytest.mark.usefixtures("without_trees")


def test_discrimination_prints_a_table_and_leaves_its_files(
    cli: Cli, here: Path, walkers: Path
) -> None:
    given = ("eval", "discrimination", "--data", walkers, "--mind", "rule", "--agents", 15)
    done = cli(*given, "--out", here / "out")
    assert done.returncode == 0, done.stderr
    for word in ("(1,5)", "(3,3)", "(3,7)", "(1,9)", "uniform", "matched", "logistic mix", "rule"):
        assert word in done.stdout
    assert "15 users, seed 1" in done.stdout
    assert "Model: none; 0 calls" in done.stdout
    names = {path.name for path in (here / "out").iterdir() if path.is_file()}
    assert {"result.json", "table.md", "table.csv", "figure.png", "figure.svg"} <= names


def test_a_second_run_pays_nothing_and_says_the_same(
    cli: Cli, here: Path, walkers: Path, serving: Serving
) -> None:
    with serving() as fake:
        asked = ("eval", "discrimination", "--data", walkers, "--mind", "llm", "--agents", 6)
        whole = (*asked, "--llm", fake.url, "--model", "fake", "--json")
        first = json.loads(cli(*whole).stdout.splitlines()[-1])
    # The server is gone, and there is no such cluster: all that is told comes from the folder.
    again = cli(*whole, "--cluster", "127.0.0.1:9")
    second = json.loads(again.stdout.splitlines()[-1])
    assert first["calls_now"] == 48
    assert second["calls_now"] == 0
    assert first["rows"] == second["rows"]
    assert first["written"] == second["written"]
    [row] = [row for row in first["rows"] if row["name"] == "llm"]
    assert row["spent"]["calls"] == 48
    assert row["model"] == "fake"


def test_answers_that_were_paid_for_are_not_asked_again_after_a_stop(
    cli: Cli, here: Path, walkers: Path, serving: Serving
) -> None:
    given = ("eval", "taste", "--data", walkers, "--mind", "llm", "--agents", 10)
    with serving() as fake:
        whole = (*given, "--llm", fake.url, "--model", "fake", "--out", here / "o", "--json")
        stopped = cli(*whole, "--max-calls", 13)
        assert stopped.returncode == 2
        done = json.loads(cli(*whole).stdout.splitlines()[-1])
    assert done["calls_now"] == 50 - 13


def test_unreadable_answers_are_counted_and_wrong(
    cli: Cli, here: Path, walkers: Path, serving: Serving
) -> None:
    given = ("eval", "discrimination", "--data", walkers, "--mind", "llm", "--agents", 5)
    with serving(says={"": "no idea"}) as fake:
        done = cli(*given, "--llm", fake.url, "--model", "fake", "--json")
    told = json.loads(done.stdout.splitlines()[-1])
    [row] = [row for row in told["rows"] if row["name"] == "llm"]
    assert row["unreadable"] == 40
    assert row["cells"]["uniform"]["(1,5)"]["value"]["mean"] == 0.0


def test_the_tuned_model_is_asked_about_people_it_has_not_seen(
    cli: Cli, here: Path, walkers: Path, serving: Serving
) -> None:
    unseen = sum(part_of_user(f"p{n}") == "test" for n in range(40))
    given = ("eval", "discrimination", "--data", walkers, "--mind", "grounded+tuned", "--unseen")
    with serving() as fake:
        whole = (*given, "--llm", fake.url, "--window", 20, "--json")
        other = cli(*whole, "--model", "another")
        told = json.loads(cli(*whole).stdout.splitlines()[-1])
    assert other.returncode == 2
    assert "leave --model out" in other.stderr
    rows = {row["name"]: row for row in told["rows"]}
    assert told["users"] == unseen
    assert rows["tuned"]["model"] == "audience-135m"
    assert rows["tuned"]["spent"]["calls"] == 16 * unseen
    assert rows["tuned"]["unreadable"] == 0
    assert rows["tuned"]["decided"] == 16 * unseen
    assert {pair["name"]: pair["than"] for pair in told["pairs"]} == {
        "grounded+tuned": "grounded",
        "tuned": "content and popularity",
    }
    assert any("windows of 20 ranks" in note for note in told["notes"])


def test_taste_on_any_dataset(cli: Cli, here: Path, walkers: Path) -> None:
    done = cli("eval", "taste", "--data", walkers, "--mind", "rule", "--agents", 12)
    assert done.returncode == 0, done.stderr
    for word in ("1:1", "1:9", "accuracy", "F1", "AUC", "chosen by MF"):
        assert word in done.stdout


def test_minds_that_score_say_yes_to_some(
    cli: Cli, here: Path, walkers: Path, serving: Serving
) -> None:
    given = ("eval", "taste", "--data", walkers, "--mind", "llm+score", "--agents", 8, "--json")
    with serving() as fake:
        told = json.loads(cli(*given, "--llm", fake.url, "--model", "fake").stdout.splitlines()[-1])
    [row] = [row for row in told["rows"] if row["name"] == "llm+score"]
    assert row["unreadable"] == 0
    assert 0.0 < row["cells"]["1:1"]["recall"]["value"]["mean"] <= 1.0


def test_ratings(cli: Cli, here: Path, walkers: Path, serving: Serving) -> None:
    with serving() as fake:
        given = ("--llm", fake.url, "--model", "fake", "--agents", 10)
        done = cli("eval", "ratings", "--data", walkers, "--mind", "llm-plain", *given)
        refused = cli("eval", "ratings", "--data", walkers, "--mind", "llm", *given)
    assert done.returncode == 0, done.stderr
    for word in ("RMSE", "MAE", "JSD", "bias + MF", "random split", "last 20 % in time", "llm"):
        assert word in done.stdout
    assert refused.returncode == 2
    assert "cannot rate here; give one of grounded, llm-plain" in refused.stderr


def test_a_model_may_be_asked_plainly_or_as_in_a_run(
    cli: Cli, here: Path, walkers: Path, serving: Serving
) -> None:
    kinds = ("llm", "llm+evidence", "llm-plain", "llm-plain+evidence")
    with serving() as fake:
        given = ("--llm", fake.url, "--model", "fake", "--agents", 4, "--json")
        whole = ("--data", walkers, "--mind", ",".join(kinds), *given)
        told = json.loads(cli("eval", "discrimination", *whole).stdout.splitlines()[-1])
    rows = {row["name"]: row for row in told["rows"]}
    for kind in kinds:
        assert rows[kind]["spent"]["calls"] == 32
        assert rows[kind]["unreadable"] == 0


def test_generation_exports_sequences(cli: Cli, here: Path, walkers: Path) -> None:
    given = ("eval", "generation", "--data", walkers, "--mind", "rule,grounded", "--agents", 6)
    done = cli(*given, "--out", here / "out")
    assert done.returncode == 0, done.stderr
    for word in ("N=5", "N=10", "genres", "sequence", "AUC"):
        assert word in done.stdout
    told = json.loads((here / "out" / "sequences.json").read_text())
    assert len(told["walks"]) == 12
    assert set(told["walks"][0]["ways"]) == {"rule", "grounded", "recsim", "truth"}
    found = read_file(here / "out" / "sequences.json", SequenceFile, "--sequences")
    against = {frozenset((seal.first, seal.second)) for _, seal in way_pairs(found, 2, 1)}
    assert frozenset(("grounded", "truth")) in against


def test_activity(cli: Cli, here: Path, walkers: Path) -> None:
    done = cli("eval", "activity", "--data", walkers)
    assert done.returncode == 2
    assert "all have equally many" in done.stderr
    done = cli("eval", "activity", "--data", here / "nowhere")
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("discrimination", ("--mind", "groundet"), "did you mean 'grounded'"),
        ("discrimination", ("--mind", "rule", "--window", "1"), "give 2 or more"),
        ("taste", ("--mind", "grounded+tuned"), "--mind"),
        ("discrimination", ("--mind", "rule", "--agents", "900"), "give 1 to 40"),
        ("discrimination", ("--mind", "rule", "--people", "nowhere.json"), "nowhere.json"),
        ("taste", ("--mind", "rule", "--also", "nowhere"), "no published split"),
        ("ratings", ("--mind", "rule"), "cannot rate here"),
        ("generation", ("--mind", "rule", "--agents", "0"), "give 1 to"),
    ],
)
def test_mistakes_are_told_with_a_remedy(
    cli: Cli, here: Path, walkers: Path, name: str, given: tuple[str, ...], told: str
) -> None:
    done = cli("eval", name, "--data", walkers, *given)
    assert done.returncode == 2
    assert told in done.stderr


def test_data_that_is_not_there_is_told(cli: Cli, here: Path) -> None:
    done = cli("eval", "discrimination", "--data", here / "nowhere", "--mind", "rule")
    assert done.returncode == 2
    assert "there is no such path" in done.stderr
