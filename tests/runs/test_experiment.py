from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput, Interrupted
from audience.log import Log
from audience.runs import Outcome, conduct, gathered, scenario_of, verify
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
    for kept in Path(outcome.folder).glob("*/*/metrics.msgpack"):
        kept.unlink()
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
