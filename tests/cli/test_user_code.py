"""Parts of the user's that raise anything, or never return: a message with their name, code 2."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]

PART = """
import sys, time
from audience.agents import RuleMind
from audience.memory import RecAgentMemory
from audience.recommenders import Popular
from audience.world import Woke

def harm():
    {harm}

class Metric:
    watches = (Woke,)
    def update(self, record, world): harm()
    def value(self): return {{"mine": 1.0}}

class Value:
    watches = (Woke,)
    def update(self, record, world): self.is_late = True
    def value(self):
        if hasattr(self, "is_late"): harm()
        return {{"mine": 1.0}}

class Words:
    watches = (Woke,)
    def update(self, record, world): self.is_late = True
    def value(self): return {{"mine": "many" if hasattr(self, "is_late") else 0}}

class Mind:
    async def decide(self, seen, memory, dice): harm()

class BatchMind(RuleMind):
    def decide_many(self, seen, dice): harm()

class Memory(RecAgentMemory):
    async def consolidate(self, life, dice): harm()

class Fit(Popular):
    def fit(self, interactions, rng): harm()

class Rank(Popular):
    def fit(self, interactions, rng): return self
    def rank(self, users, k, context): harm()

class Made:
    def __init__(self): harm()
"""
HARMS = {
    "raises": "raise KeyError('gone')",
    "exits": "sys.exit(0)",
    "exits in words": "sys.exit('done')",
    "is stopped": "raise GeneratorExit",
    "recurses": "harm()",
    "loops": "while True: pass",
    "sleeps": "time.sleep(3600)",
}
PLACES = {
    "metric": 'metrics = ["mine.py:Metric"]',
    "value": 'metrics = ["mine.py:Value"]',
    "mind": 'mind = "mine.py:Mind"',
    "batch mind": 'mind = "mine.py:BatchMind"',
    "memory": 'memory = "mine.py:Memory"',
    "fit": 'recommender = "mine.py:Fit"',
    "rank": 'recommender = "mine.py:Rank"',
}


def _run(cli: Cli, here: Path, place: str, harm: str) -> CompletedProcess[str]:
    (here / "mine.py").write_text(PART.format(harm=harm))
    # Only what never returns meets a deadline: a machine may be slow.
    seconds = 0.3 if harm in (HARMS["loops"], HARMS["sleeps"]) else 600
    text = f"agents = 20\nrounds = 2\n{place}\n[run]\npart_deadline = {seconds}\n"
    (here / "own.toml").write_text(text)
    return cli("run", "own.toml", "--no-report", "--json", "--out", "run")


@pytest.mark.parametrize("harm", ["exits", "exits in words", "loops", "sleeps", "recurses"])
@pytest.mark.parametrize("place", PLACES)
def test_harm_is_told_with_its_name_and_ends_with_2(
    cli: Cli, here: Path, place: str, harm: str
) -> None:
    told = _run(cli, here, PLACES[place], HARMS[harm])
    if (place, harm) == ("mind", "recurses"):  # an error of a mind is a failed decision
        assert told.returncode in (0, 1)
        assert '"failed": ' in told.stdout
        return
    assert told.returncode == 2, (told.stdout, told.stderr)
    assert "Traceback" not in told.stderr
    name = {"metric": "Metric.update", "value": "Value.value", "mind": "Mind", "fit": "Fit.fit"}
    assert name.get(place, "") in told.stderr
    assert "mine.py, line " in told.stderr
    assert "fix it, then" in told.stderr
    assert ("took longer than 0.3 s" in told.stderr) == (harm in ("loops", "sleeps"))


@pytest.mark.parametrize("harm", ["raises", "exits", "is stopped"])
@pytest.mark.parametrize("kind", ["mind", "memory", "recommender", "dataset"])
def test_a_part_that_cannot_be_made_is_told(cli: Cli, here: Path, kind: str, harm: str) -> None:
    told = _run(cli, here, f'{kind} = "mine.py:Made"', HARMS[harm])
    assert told.returncode == 2
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize("harm", ["raise KeyError('gone')", "import sys; sys.exit(0)"])
def test_a_file_that_ends_the_program_is_told(cli: Cli, here: Path, harm: str) -> None:
    (here / "mine.py").write_text(harm)
    told = cli("run", "--agents", "5", "--recommender", "mine.py:Mine", "--json")
    assert (told.returncode, told.stdout) == (2, "")
    assert "mine.py, line 1" in told.stderr
    told = cli("doctor", "--recommender", "mine.py:Mine")
    assert told.returncode in (1, 2)


def test_a_metric_that_gives_no_numbers_is_told(cli: Cli, here: Path) -> None:
    told = _run(cli, here, 'metrics = ["mine.py:Words"]', "pass")
    assert told.returncode == 2
    assert "Words.value gave 'many' as 'mine', which is no number" in told.stderr


def test_a_run_goes_on_once_the_part_is_fixed(cli: Cli, here: Path) -> None:
    assert _run(cli, here, PLACES["rank"], HARMS["exits"]).returncode == 2
    (here / "mine.py").write_text("from audience.recommenders import Popular as Rank\n")
    done = cli("resume", "run", "--no-report", "--json")
    assert done.returncode == 0
    straight = cli(
        "run", "--agents", "20", "--rounds", "2", "--recommender", "popular", "--no-report",
        "--out", "other",
    )  # fmt: skip
    assert straight.returncode == 0
    assert cli("doctor", "run").returncode == 0
