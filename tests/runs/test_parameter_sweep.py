from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

import audience
from audience.errors import BadInput, Interrupted
from audience.results import Arm, Measured, SweepFindings, SweepPoint, main_effects, sweep_table
from audience.runs import Sweep, conduct_sweep, sweep_of, varied, write_sweep
from audience.runs.parameter_sweep import at_point
from audience.runs.pool import Here, Processes
from audience.scenario import parse

SMALL = "agents = 20\nrounds = 2\nseeds = 2\nrecommender = 'popular'\n"


def plan(*vary: str, text: str = SMALL, random: int = 0) -> Sweep:
    return sweep_of(parse(text), [varied(each) for each in vary], random=random)


def test_values_are_read_as_the_scenario_reads_them() -> None:
    given = varied("mind.position = 0.2, 1, true, ease, 'a,b', [1, 2]")
    assert given.key == "mind.position"
    assert given.values == (0.2, 1, True, "ease", "a,b", [1, 2])
    assert varied("x=0.1..0.9").ends == (0.1, 0.9)
    assert varied("x=-2..10").ends == (-2, 10)


def test_a_grid_is_every_combination_in_order() -> None:
    swept = plan("mind.position=0.2,0.5", "recommender=ease,random", "rounds=1,2")
    assert len(swept.points) == 8
    assert swept.points[1] == {"mind.position": 0.2, "recommender": "ease", "rounds": 2}
    last = swept.scenarios[-1]
    assert (last.mind.options["position"], last.recommender.kind, last.rounds) == (0.5, "random", 2)


def test_a_part_is_set_before_its_options() -> None:
    values = {"recommender.regularisation": 10.0, "recommender": "ease", "platform.page_size": 4}
    point = at_point(parse(SMALL), values)
    assert point.recommender.kind == "ease"
    assert point.recommender.options == {"regularisation": 10.0}
    assert point.platform.page_size == 4


def test_the_arms_of_a_scenario_are_one_more_key() -> None:
    text = SMALL + "[arms.plain]\n[arms.other]\nrecommender = 'random'\n"
    swept = plan("mind.position=0.2,0.5", text=text)
    assert [point["arm"] for point in swept.points] == ["plain", "plain", "other", "other"]
    assert [each.recommender.kind for each in swept.scenarios][1:3] == ["popular", "random"]
    assert not swept.scenarios[0].arms
    both = text.replace("[arms.plain]", "[arms.plain]\nrecommender = 'ease'")
    with pytest.raises(BadInput, match="every arm of the scenario sets recommender"):
        plan("recommender=ease,popular", text=both)


def test_random_points_are_drawn_by_name_and_from_their_ranges() -> None:
    vary = ("mind.position=0.1..0.9", "platform.page_size=3..6", "recommender=ease,popular")
    swept = plan(*vary, random=30)
    assert swept.points == plan(*vary, random=30).points
    assert plan(*vary[1:], random=30).points[7] == {
        key: value for key, value in swept.points[7].items() if key != "mind.position"
    }, "a key has dice of its own"
    positions = [point["mind.position"] for point in swept.points]
    assert 0.1 <= min(positions) < 0.3
    assert 0.7 < max(positions) <= 0.9
    assert {point["platform.page_size"] for point in swept.points} == {3, 4, 5, 6}
    assert {point["recommender"] for point in swept.points} == {"ease", "popular"}


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        ("mind.positon=1,2", r"--vary mind.positon=1: .*'positon' is unknown \(did you mean 'posi"),
        ("run.refitt=0,1", r"--vary run.refitt=0: run: key 'refitt' .*did you mean 'refit'"),
        ("agentz=1", "key 'agentz' is unknown .*did you mean 'agents'"),
        ("agents=5,0", "--vary agents=0: agents: 0 is not between 1"),
        ("agents.x=5", "agents is a value and has no keys"),
        ("recommender=eas,popular", "recommender 'eas' is unknown"),
        ("mind.position", "give a key and its values"),
        ("mind.position=", "give a key and its values"),
        ("mind.position=1,1", "1 is given twice"),
        ("mind.position=0.9..0.1", "the range 0.9..0.1 is empty"),
        ("mind.position=0.1..0.9", "a range needs --random K"),
        ("seed=1,2", "runs are paired by seed"),
    ],
)
def test_bad_keys_and_values_are_named(vary: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        plan(vary)


def test_a_sweep_that_cannot_be_is_refused() -> None:
    with pytest.raises(BadInput, match="the key is given twice"):
        plan("rounds=1", "rounds=2")
    with pytest.raises(BadInput, match="varies nothing"):
        plan()
    with pytest.raises(BadInput, match="metric 'satisfction' is unknown"):
        sweep_of(parse(SMALL), [varied("rounds=1")], metrics=["satisfction"])
    many = ",".join(map(str, range(1, 102)))
    with pytest.raises(BadInput, match="too large"):
        plan(f"agents={many}", f"rounds={many}")


def test_any_number_of_processes_gives_the_same_tables(tmp_path: Path) -> None:
    swept = plan("mind.position=0.1,0.6", "recommender=ease,popular")
    written = []
    for place, pool in (("one", Here()), ("two", Processes(2))):
        with pool:
            outcome = conduct_sweep(swept, tmp_path / place, pool)
        write_sweep(outcome, tmp_path / place)
        names = ("sweep.csv", "effects.csv", "effects.svg", "sweep.md", "sweep.json")
        written.append([(tmp_path / place / name).read_bytes() for name in names])
        assert (tmp_path / place / "effects.png").is_file()
    assert written[0] == written[1]
    rows = list(csv.reader(io.StringIO(written[0][0].decode())))
    assert rows[0][:3] == ["point", "mind.position", "recommender"]
    assert len(rows) == 1 + 4


def test_a_stopped_sweep_goes_on_and_repeats_nothing(tmp_path: Path) -> None:
    swept, folder = plan("recommender=ease,popular"), tmp_path / "s"
    one_done = lambda: bool(list(folder.glob("*/*/metrics.msgpack")))  # noqa: E731
    with pytest.raises(Interrupted):
        conduct_sweep(swept, folder, Here(), stopping=one_done)
    done = {path: path.stat().st_mtime_ns for path in folder.glob("*/*/metrics.msgpack")}
    assert 0 < len(done) < 4
    outcome = conduct_sweep(swept, folder, Here())
    assert {path: path.stat().st_mtime_ns for path in done} == done
    straight = conduct_sweep(swept, tmp_path / "straight", Here())
    digests = [
        [run.digest for point in each.findings.points for run in point.arm.runs]
        for each in (outcome, straight)
    ]
    assert digests[0] == digests[1]
    with pytest.raises(BadInput, match="holds another sweep"):
        conduct_sweep(plan("recommender=ease,random"), folder, Here())


def made(effect: float) -> SweepFindings:
    """Return a sweep whose numbers are known: a seed's level, plus the effect of a key."""
    points = []
    for a in (0, 1, 2):
        for b in ("x", "y"):
            levels = [10.0 * seed + effect * a + (3.0 if b == "y" else 0.0) for seed in (1, 2, 3)]
            runs = tuple(
                Measured("", seed, "", {"satisfaction": level}, (), {})
                for seed, level in enumerate(levels)
            )
            points.append(SweepPoint({"a": a, "b": b}, Arm(f"{a}{b}", runs)))
    return SweepFindings("made", ("a", "b"), tuple(points), ("satisfaction",))


def test_main_effects_are_those_that_were_planted() -> None:
    findings = made(effect=2.0)
    effects = {
        (each.key, each.value): each.effect for each in main_effects(findings, "satisfaction")
    }
    assert np.allclose([effects["a", a].mean for a in (0, 1, 2)], [-2.0, 0.0, 2.0])
    assert np.allclose([effects["b", "x"].mean, effects["b", "y"].mean], [-1.5, 1.5])
    assert all(effect.half < 1e-9 for effect in effects.values()), "seeds cancel out in pairs"
    changes = [row[-1] for row in sweep_table(findings).rows]
    assert changes[0] is None
    assert changes[-1].mean == pytest.approx(7.0)  # type: ignore[union-attr]
    assert "a=2, b=y" in findings.verdict
    assert "a moves it most: by 4" in findings.verdict


def test_a_range_has_the_change_from_end_to_end() -> None:
    findings = made(effect=2.0)
    drawn = SweepFindings("made", ("a",), findings.points, ("satisfaction",), drawn=("a",))
    (effect,) = main_effects(drawn, "satisfaction")
    assert effect.value == (0.0, 2.0)
    assert effect.effect.mean == pytest.approx(4.0)


def test_a_sweep_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = audience.sweep(
        vary={"mind.position": [0.1, 0.6], "mind.taste": "1..4"},
        random=3,
        agents=20,
        rounds=1,
        seeds=1,
        metrics=["picks"],
        arms={},
    )
    assert len(outcome.findings.points) == 3
    assert outcome.verdict.startswith("Picks is highest with mind.position=")
    assert (tmp_path / "runs" / "sweep-1" / "effects.png").is_file()
