from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.cli.run import changed_by
from audience.errors import BadInput
from audience.runs import embedded_scenario

Cli = Callable[..., CompletedProcess[str]]
PROMISED = {
    "run", "digest", "agents", "rounds", "decisions", "seconds", "seconds_per_round", "picks",
    "refused", "failed", "calls", "prompt_tokens", "completion_tokens", "cost",
}  # fmt: skip
QUICK = ("--agents", 40, "--rounds", 2, "--no-report")


def last_object(told: CompletedProcess[str]) -> dict[str, object]:
    found = json.loads(told.stdout.splitlines()[-1])
    assert isinstance(found, dict)
    return found


def test_two_arms_give_an_answer_a_report_and_what_to_do_next(cli: Cli, here: Path) -> None:
    told = cli("run", "--agents", 60, "--rounds", 3, "--seeds", 2)
    assert told.returncode == 0
    assert "popular − random" in told.stdout
    verdict = r"(popular serves .* than random|No clear difference .*popular and random): satisf"
    assert re.search(verdict, told.stdout)
    assert "95 % interval" in told.stdout
    report = here / "runs/two-recommenders-1/report.html"
    assert "Report: runs/two-recommenders-1/report.html" in told.stdout
    assert "</html>" in report.read_text()
    assert "Look closer: audience show runs/two-recommenders-1/popular/seed-2" in told.stdout
    assert "60 people, 3 rounds of 1d, 2 seeds" in told.stderr
    assert "12/12" in told.stderr


def test_json_is_the_last_line_and_holds_what_was_promised(cli: Cli, here: Path) -> None:
    told = cli("run", *QUICK, "--recommender", "popular", "--out", "one", "--json")
    assert told.returncode == 0
    found = last_object(told)
    assert set(found) >= PROMISED
    assert (found["run"], found["agents"], found["rounds"]) == ("one", 40, 2)
    assert found["digest"] == cli("digest", "one").stdout.strip()
    assert found["calls"] == found["prompt_tokens"] == found["completion_tokens"] == 0
    assert told.stdout.count("\n") == 1


def test_json_of_an_experiment_sums_its_runs(cli: Cli, here: Path) -> None:
    told = cli("run", *QUICK, "--seeds", 2, "--out", "both", "--json")
    found = last_object(told)
    each = found["runs"]
    assert isinstance(each, list)
    assert set(found) >= PROMISED
    assert len(each) == 4
    assert found["picks"] == sum(one["picks"] for one in each)
    assert found["decisions"] == sum(one["decisions"] for one in each)
    assert {one["seed"] for one in each} == {1, 2}


def test_a_scenario_file_is_laid_under_the_command_line(cli: Cli, here: Path) -> None:
    (here / "s.toml").write_text('agents = 50\nrounds = 9\nseeds = 3\nmind = "rule"\n')
    told = cli("run", "s.toml", "--rounds", 2, "--seed", 5, "--seeds", 1, "--no-report", "--json")
    found = last_object(told)
    assert (found["agents"], found["rounds"], found["seed"]) == (50, 2, 5)
    assert found["run"] == "runs/s-1"


def test_a_seed_gives_the_same_bytes_and_another_seed_others(cli: Cli, here: Path) -> None:
    single = (*QUICK, "--recommender", "random", "--json")
    first, again, other = (
        last_object(cli("run", *single, "--out", name, "--seed", seed))["digest"]
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == again != other


def test_a_folder_that_holds_a_run_is_refused_unless_told(cli: Cli, one: Path) -> None:
    before = (one / "run.db").read_bytes()
    refused = cli("run", *QUICK, "--recommender", "popular", "--out", one)
    assert refused.returncode == 2
    assert "one already holds a run; continue with `audience resume one`" in refused.stderr
    assert "--overwrite" in refused.stderr
    assert (one / "run.db").read_bytes() == before
    done = cli("run", *QUICK, "--recommender", "popular", "--out", one, "--overwrite", "--json")
    assert done.returncode == 0
    assert last_object(done)["agents"] == 40


def test_overwriting_removes_nothing_that_is_not_a_run(cli: Cli, one: Path) -> None:
    (one / "thesis.tex").write_text("years of work")
    before = (one / "run.db").read_bytes()
    refused = cli("run", *QUICK, "--out", one, "--overwrite")
    assert refused.returncode == 2
    assert "holds thesis.tex besides a run" in refused.stderr
    assert (one / "thesis.tex").read_text() == "years of work"
    assert (one / "run.db").read_bytes() == before


def test_a_bad_scenario_does_not_cost_the_run_it_would_replace(cli: Cli, one: Path) -> None:
    before = (one / "run.db").read_bytes()
    assert cli("run", "--mind", "nobody", "--out", one, "--overwrite").returncode == 2
    assert (one / "run.db").read_bytes() == before


def test_data_is_a_name_or_a_folder(here: Path) -> None:
    plain = embedded_scenario()
    assert changed_by(plain, (), {"data": "books"}).dataset.kind == "books"
    (here / "mine").mkdir()
    mine = changed_by(plain, (), {"data": "mine"}).dataset
    assert (mine.kind, mine.options) == ("folder", {"path": str(here / "mine")})
    with pytest.raises(BadInput, match=r"no such folder, and dataset 'bocks' .*'books'"):
        changed_by(plain, (), {"data": "bocks"})


def test_recommenders_become_arms_in_the_order_given(here: Path) -> None:
    plain = embedded_scenario()
    arms = changed_by(plain, ("popular", "lib/mine.py:Mine"), {}).arms
    assert list(arms) == ["popular", "Mine"]
    assert arms["Mine"]["recommender"] == f"{here}/lib/mine.py:Mine"
    alone = changed_by(plain, ("random",), {})
    assert (alone.arms, alone.recommender.kind, alone.seeds) == ({}, "random", 1)
    with pytest.raises(BadInput, match="duplicate name"):
        changed_by(plain, ("a.py:Mine", "b.py:Mine"), {})


def test_an_intervention_after_the_last_round_is_told(cli: Cli, here: Path) -> None:
    late = '[[interventions]]\nround = 9\ndo = "announce"\ntext = "too late"\n'
    (here / "s.toml").write_text(f"recommender = 'popular'\n{late}")
    told = cli("run", "s.toml", *QUICK, "--out", "one")
    assert told.returncode == 0
    assert "intervention 1 (announce) is set for round 9, after the last one (2)" in told.stderr


def test_a_preset_without_a_model_says_what_is_missing(cli: Cli, here: Path) -> None:
    told = cli("run", "recagent", "--agents", 4, "--rounds", 1)
    assert told.returncode == 2
    assert "people decide by a language model, and none is given" in told.stderr
    assert "audience run recagent --llm embedded --mind llm" in told.stderr
    assert not (here / "runs").exists()
    told = cli("run", "--mind", "llm", "--agents", 4, "--rounds", 1)
    assert told.returncode == 2
    assert "audience run SCENARIO --llm URL" in told.stderr


def test_a_cluster_that_is_not_there_costs_no_run(cli: Cli, here: Path) -> None:
    words = ("run", *QUICK, "--recommender", "popular", "--seeds", 2, "--out", "mine")
    assert cli(*words).returncode == 0
    before = sorted(path.name for path in (here / "mine").rglob("*"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    refused = cli(*words, "--overwrite", "--cluster", f"127.0.0.1:{port}")
    assert refused.returncode == 2
    assert "ray" in refused.stderr.lower()
    assert sorted(path.name for path in (here / "mine").rglob("*")) == before
