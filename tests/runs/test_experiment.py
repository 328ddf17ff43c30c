from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput, Interrupted
from audience.log import Log
from audience.results import Arm, Findings, Measured, differences, shown, summary
from audience.runs import Outcome, conduct, gathered, scenario_of, verify
from audience.runs.experiment import spread_verdict, verdict
from audience.scenario import changed, parse
from audience.world import Woke

ARMS = parse(
    "agents = 40\nrounds = 2\nseed = 5\nseeds = 2\n"
    '[arms.random]\nrecommender = "random"\n[arms.popular]\nrecommender = "popular"\n'
)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return conduct(ARMS, tmp_path_factory.mktemp("both") / "both")


def test_every_arm_meets_the_same_people_with_every_seed(outcome: Outcome) -> None:
    folder = Path(outcome.folder)
    places = {str(path.parent.relative_to(folder)) for path in folder.glob("*/*/run.db")}
    assert places == {f"{arm}/seed-{n}" for arm in ("random", "popular") for n in (5, 6)}
    people, first_round = {}, {}
    for place in places:
        with Log.open(folder / place) as log:
            people[place] = log.genesis().digest
            woken = [r.event for r in log.records(end_round=2) if isinstance(r.event, Woke)]
            first_round[place] = woken
    assert people["random/seed-5"] == people["popular/seed-5"] != people["popular/seed-6"]
    assert first_round["random/seed-5"] == first_round["popular/seed-5"]


def test_findings_from_logs_alone_are_those_of_the_run(outcome: Outcome) -> None:
    again = gathered(Path(outcome.folder))
    assert again.verdict == outcome.verdict
    assert [arm.name for arm in again.arms] == ["random", "popular"]
    assert again.facts == outcome.findings.facts
    seen: list[int] = []
    gathered(Path(outcome.folder), seen.append)
    assert seen == [1, 2] * 4


def test_an_arm_alone_has_the_bytes_it_has_beside_another(outcome: Outcome, tmp_path: Path) -> None:
    alone = changed(ARMS, arms={"popular": ARMS.arms["popular"]}, seeds=1)
    (lonely,) = conduct(alone, tmp_path / "alone").finished
    digests = {one.measured.digest for one in outcome.finished}
    assert lonely.measured.digest in digests


def test_an_interrupted_experiment_goes_on_where_it_was(outcome: Outcome, tmp_path: Path) -> None:
    asked = iter([False] * 5)
    with pytest.raises(Interrupted):
        conduct(ARMS, tmp_path / "both", stopping=lambda: next(asked, True))
    with pytest.raises(BadInput, match="is not finished; continue with: audience resume"):
        gathered(tmp_path / "both")
    again = conduct(scenario_of(tmp_path / "both"), tmp_path / "both")
    assert [one.measured.digest for one in again.finished] == [
        one.measured.digest for one in outcome.finished
    ]


def test_several_seeds_without_arms_are_an_experiment_with_one_arm(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from audience.recommenders import Random as Mine\n")
    kind = f"{tmp_path}/mine.py:Mine"
    outcome = conduct(changed(ARMS, arms={}, recommender=kind), tmp_path / "out")
    assert [arm.name for arm in outcome.findings.arms] == ["Mine"]
    assert (tmp_path / "out/Mine/seed-5/run.db").exists()
    assert "Mine: " in outcome.verdict


def test_a_folder_of_another_experiment_is_refused(outcome: Outcome, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds another experiment"):
        conduct(changed(ARMS, agents=41), Path(outcome.folder))
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="is not empty"):
        conduct(ARMS, tmp_path)
    with pytest.raises(BadInput, match="is a file"):
        conduct(ARMS, tmp_path / "notes.txt")


def test_a_mistake_in_the_last_arm_is_found_before_the_first_one_runs(tmp_path: Path) -> None:
    arms = {**ARMS.arms, "third": {"mind": "ruel"}}
    wanted = changed(ARMS, arms=arms)
    with pytest.raises(BadInput, match=r"^s\.toml: arm 'third': mind 'ruel' is unknown"):
        verify(wanted, "s.toml")
    with pytest.raises(BadInput, match=r"^mind 'ruel' is unknown"):
        conduct(wanted, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def arm(name: str, *values: float) -> Arm:
    totals = [{"satisfaction": v, "picks": 100 * v, "pages": 9.0, "click_rate": v} for v in values]
    return Arm(name, tuple(Measured("", n, "", one, (), {}) for n, one in enumerate(totals)))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ((0.5, 0.6, 0.7), (0.6, 0.7, 0.8), "new serves this audience better than old: satisf"),
        ((0.6, 0.7, 0.8), (0.5, 0.6, 0.7), "old serves this audience better than new: satisf"),
        ((0.5, 0.7), (0.7, 0.5), "No clear difference between new and old"),
        ((0.5,), (0.7,), "No clear difference between new and old"),
        (
            (0.5, 0.7),
            (0.5, 0.7),
            "No difference between new and old: satisfaction 0.600 with both",
        ),
    ],
)
def test_the_verdict_names_the_better_one_only_when_that_is_clear(
    old: tuple[float, ...], new: tuple[float, ...], told: str
) -> None:
    arms = (arm("old", *old), arm("new", *new))
    said = verdict(arms, differences(arms, ["satisfaction", "picks"]))
    assert said.startswith(told)
    assert ("picks" in said) == ("better" in told)


def test_the_verdict_and_the_cards_show_the_same_numbers() -> None:
    people = {"old": [0.2, 0.4, math.nan, 0.9], "new": [0.3, 0.6, 0.1, math.nan]}
    arms = tuple(
        Arm(
            name,
            (
                Measured(
                    *("", 1, ""),
                    {"satisfaction": 0.77, "click_rate": 0.5, "picks": 9.0, "pages": 20.0},
                    (),
                    {"satisfaction": np.array(values)},
                ),
            ),
        )
        for name, values in people.items()
    )
    found = Findings("t", arms, differences(arms, ["satisfaction"]), "", "", {})
    line = next(line for line in summary(found) if line.metric == "satisfaction")
    said = verdict(arms, found.differences)
    assert [cell.over for cell in line.cells] == ["people", "people"]
    for cell in line.cells:
        assert f"{shown(cell.mean)} with {cell.arm}" in said
    assert f"{line.contrasts[0].percent:+.1f} %" in said
    alone = verdict(arms[:1], ())
    assert f"satisfaction {line.cells[0].mean:.3f}" in alone
    assert "0.77" not in alone


NONE = math.nan


@pytest.mark.parametrize("totals", [{"satisfaction": NONE}, {"click_rate": NONE}, {"picks": 0.0}])
def test_what_is_unknown_is_never_said_as_a_number(totals: dict[str, float]) -> None:
    usual = {"satisfaction": 0.5, "click_rate": 0.1, "picks": 1.0, "pages": 9.0} | totals
    none = Arm("none", (Measured("", 1, "", usual, (), {}),) * 2)
    some = arm("some", 0.4, 0.6)
    for arms in ((none,), (none, some), (some, none)):
        said = verdict(arms, differences(arms, ["satisfaction", "picks"]))
        assert "nan" not in said.lower()
    spread = {"reach": NONE, "told": 0.0, "emotion": NONE, "positive": NONE}
    spread |= {"cascade_scale": NONE, "cascade_depth": NONE}
    assert "nan" not in spread_verdict(spread)


def test_a_rise_from_nothing_is_told_without_a_percentage() -> None:
    arms = (arm("old", 0.5, 0.6, 0.7), arm("new", 0.6, 0.7, 0.8))
    for run_ in arms[0].runs:
        run_.totals["picks"] = 0.0
    said = verdict(arms, differences(arms, ["satisfaction", "picks"]))
    assert "picks +70" in said


def test_a_verdict_is_withheld_where_minds_failed() -> None:
    ill = Measured("runs/ill", 1, "", {"satisfaction": 0.9}, (), {}, 0.4)
    arms = (arm("old", 0.5), Arm("new", (ill,)))
    said = verdict(arms, differences(arms, ["satisfaction"]))
    assert said.startswith("No verdict: 40% of the decisions in runs/ill failed")
