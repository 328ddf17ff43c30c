"""A recommender file of the user's own that is wrong: told where, kept what was lived, resumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.log import Log
from audience.runs.calibration import with_fitted_people
from audience.scenario import Part, Scenario, genesis_of

Cli = Callable[..., CompletedProcess[str]]

WORDS = ("--recommender", "mine.py:Mine", "--agents", 40, "--rounds", 4, "--no-report")
SOUND = """import numpy as np
class Mine:
    def fit(self, interactions, rng):
        lived = len(interactions)
        pass
        return Ranker(len(interactions.catalogue), lived)
class Ranker:
    def __init__(self, items, lived):
        self.items, self.lived = items, lived
    def rank(self, users, k, context):
        every = range(self.items)
        slates = np.array([[i for i in every if i not in set(no)][:k] for no in context.exclude])
        lived = self.lived
        ...
        return slates
"""


def faulty(statement: str, *, in_fit: bool = False) -> str:
    """Return the file with a statement that runs once enough was lived: in a later round."""
    past = len(genesis_of(Scenario(agents=40, dataset=Part("films")), 1).past)
    line = f"if lived > {past + 20}: {statement}"
    return SOUND.replace("pass", line) if in_fit else SOUND.replace("...", line)


UNREADABLE = {
    "a syntax error": (SOUND.replace("class Ranker:", "class Ranker"), "mine.py, line 7: "),
    "an import that fails": ("import numpy\nimport no_such_package\n", "mine.py, line 2: Mod"),
    "no such class": ("class Mein: pass\n", "class 'Mine' is unknown (did you mean 'Mein'?)"),
    "no fit": ("class Mine: pass\n", "has no `fit`; give it fit(interactions, rng)"),
    "options it needs": (
        "class Mine:\n  def __init__(self, size): pass\n",
        "does not take these options (none)",
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_cannot_be_used_is_refused_before_anything_is_made(
    cli: Cli, here: Path, name: str
) -> None:
    text, told = UNREADABLE[name]
    (here / "mine.py").write_text(text)
    for words in (WORDS, (*WORDS, "--recommender", "popular")):
        refused = cli("run", *words, "--out", "out")
        assert refused.returncode == 2
        assert told in refused.stderr
        assert "Traceback" not in refused.stderr
        assert not (here / "out").exists()


FAULTS = {
    "raises in fit": (
        faulty("raise ValueError('out of luck')", in_fit=True),
        "Mine.fit raised ValueError('out of luck')",
        "mine.py, line 5)",
    ),
    "raises in rank": (
        faulty("raise KeyError('gone')"),
        "Ranker.rank raised KeyError('gone')",
        "mine.py, line 14)",
    ),
    "gives items that do not exist": (
        faulty("slates[0, 0] = 99999"),
        "Ranker.rank gave user ",
        "item 99999, which is not in the catalogue",
    ),
    "gives too few": (
        faulty("slates[0, 3:] = -1"),
        "3 items; 25 were asked for",
        "rank the whole catalogue",
    ),
    "gives an item twice": (faulty("slates[0, 1] = slates[0, 0]"), "Ranker.rank gave", "twice"),
    "gives another shape": (faulty("slates = slates[:, :2]"), "it must return whole numbers", ""),
    "gives no ranker": (faulty("return None", in_fit=True), "fit returned NoneType", "no `rank`"),
}


@pytest.fixture(scope="module")
def unfailing(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the run that never failed."""
    from audience.runs import embedded_scenario, start
    from audience.scenario import changed

    folder = tmp_path_factory.mktemp("unfailing")
    (folder / "mine.py").write_text(SOUND)
    kind = f"{folder}/mine.py:Mine"
    wanted = changed(embedded_scenario(), agents=40, rounds=4, arms={}, seeds=1, recommender=kind)
    return start(with_fitted_people(wanted).scenario, 1, folder / "run").measured.digest


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_the_middle_keeps_what_was_lived_and_a_mended_file_goes_on(
    cli: Cli, here: Path, unfailing: str, name: str
) -> None:
    text, *told = FAULTS[name]
    (here / "mine.py").write_text(text)
    failed = cli("run", *WORDS, "--out", "out")
    assert failed.returncode == 2
    for part in (*told, "What was lived is kept. Continue with: audience resume out"):
        assert part in failed.stderr
    assert "Traceback" not in failed.stderr
    with Log.open(here / "out") as log:
        assert 1 <= log.complete_rounds() < 4 or log.partial(1)
        kept = log.digest()
    assert "failed" in cli("runs", ".").stdout
    assert cli("resume", "out", "--no-report").returncode == 2
    assert cli("digest", "out").stdout.strip() == kept
    (here / "mine.py").write_text(f"{SOUND}# mended {name}\n")
    gone_on = cli("resume", "out", "--no-report", "--json")
    assert gone_on.returncode == 0
    assert json.loads(gone_on.stdout)["digest"] == unfailing


def test_a_fault_in_one_arm_keeps_the_other_and_the_experiment_goes_on(
    cli: Cli, here: Path, unfailing: str
) -> None:
    (here / "mine.py").write_text(faulty("raise KeyError('gone')"))
    failed = cli("run", "--recommender", "popular", *WORDS, "--seeds", 1, "--out", "both")
    assert failed.returncode == 2
    assert "audience resume both" in failed.stderr
    (here / "mine.py").write_text(f"{SOUND}# mended\n")
    gone_on = cli("resume", "both", "--no-report", "--json")
    assert gone_on.returncode == 0
    assert json.loads(gone_on.stdout)["runs"][1]["digest"] == unfailing


def test_the_file_is_found_again_from_another_folder(
    cli: Cli, here: Path, unfailing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "mine.py").write_text(SOUND)
    assert cli("run", *WORDS, "--rounds", 2, "--out", "out").returncode == 0
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    gone_on = cli("resume", "../out", "--rounds", 4, "--no-report", "--json")
    assert json.loads(gone_on.stdout)["digest"] == unfailing
