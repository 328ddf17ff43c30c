from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from audience.agents.rule import RuleMind
from audience.datasets import halves
from audience.errors import BadInput
from audience.grounding import live_visits
from audience.results import Calibration, calibration_figure
from audience.results.calibration import calibrations_in, read_calibration
from audience.runs.calibration import CalibrationOptions, calibrate, write_parameters
from audience.runs.calibration.fit import corpus_at, half_of, kept, maker_of, stage_for
from audience.world import rng

PEOPLE, ITEMS = 40, 60
TAGS = ("Comedy", "Drama", "Noir")
SMALL = CalibrationOptions(agents=20, page_size=5, max_pages=8, tries=40)


def files(folder: Path, *, dated: bool = True) -> Path:
    """Write people who take about two items a page, in visits of some pages, and rate them."""
    head = "user_id:token\titem_id:token\trating:float" + ("\ttimestamp:float" if dated else "")
    lines = [head]
    for person in range(PEOPLE):
        draws = rng(0, "test", "calibrating", person)
        items = iter(draws.permutation(ITEMS).tolist())
        for at in moments(draws):
            item = next(items)
            stars = int(np.clip(np.rint(3.4 + draws.standard_normal()), 1, 5))
            lines.append(f"{person}\t{item}\t{stars}" + (f"\t{at}" if dated else ""))
    folder.mkdir(exist_ok=True)
    (folder / "tiny.inter").write_text("\n".join(lines) + "\n", "utf-8")
    names = [f"{n}\tItem {n}\t{TAGS[n % 3]}" for n in range(ITEMS)]
    (folder / "tiny.item").write_text(
        "\n".join(["item_id:token\tmovie_title:token_seq\tclass:token_seq", *names]) + "\n", "utf-8"
    )
    return folder


def moments(draws: np.random.Generator) -> Iterator[int]:
    at = 1_000_000
    for _ in range(3):
        at += 200_000
        for _ in range(1 + int(draws.integers(4))):
            at += 40
            for _ in range(1 + int(draws.integers(3))):
                yield at


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Calibration:
    return calibrate(files(tmp_path_factory.mktemp("tiny")), SMALL)


def test_half_are_fitted_on_and_half_are_checked_on(found: Calibration) -> None:
    assert found.people == (PEOPLE // 2, PEOPLE // 2)
    assert min(found.visits) > PEOPLE // 2
    assert found.simulated == 20
    names = [one.name for one in found.compared]
    assert names[:3] == ["stars", "picks per page", "pages per visit"]
    for one in found.compared:
        assert sum(one.real) == pytest.approx(1.0, abs=1e-3)
        assert 0.0 <= one.distance <= 1.0
        mean, low, high = one.mean_real
        assert low < mean < high


def test_fitted_minds_are_nearer_to_people_who_were_not_fitted_on(found: Calibration) -> None:
    stars = found.compared[0]
    assert stars.distance < stars.distance_before
    assert sum(one.distance for one in found.compared) < sum(
        one.distance_before for one in found.compared
    )


def test_what_is_no_closer_to_other_people_is_dropped_with_a_remark(tmp_path: Path) -> None:
    mine, others = halves(corpus_at(files(tmp_path / "tiny")), 1)
    fitted_on = half_of(mine, SMALL, None)
    checked_on = half_of(others, SMALL, fitted_on.genesis.catalogue)
    here = stage_for(checked_on, fitted_on, SMALL)
    make = maker_of(SMALL, checked_on.genesis)
    before = live_visits(make({}), here)
    bad = {"two_stars": 0.96, "three_stars": 0.97, "four_stars": 0.98, "five_stars": 0.99}
    left, notes = kept({"taste": 1.0, **bad}, checked_on.real, make, here, before)
    assert left == {"taste": 1.0}
    assert notes == ("stars: the fit is no closer to other people; parameters stay",)


def test_predictions_are_held_against_what_was_held_out(found: Calibration) -> None:
    assert list(found.reliability) == ["stars", "four stars or more"]
    held = sum(one.count for one in found.reliability["stars"])
    assert held == sum(one.count for one in found.reliability["four stars or more"]) > 0


def test_a_file_of_parameters_says_where_it_is_from(found: Calibration, tmp_path: Path) -> None:
    path = write_parameters(found, tmp_path / "params.toml")
    assert read_calibration(path) == found
    mind = RuleMind(parameters=str(path))
    assert mind.parameters.no_pick == found.parameters["no_pick"]
    assert "max_pages = 8" in path.read_text("utf-8")
    scenario = f'[mind]\nkind = "rule"\n[mind.options]\nparameters = "{path}"\n'
    assert calibrations_in(scenario) == [found]
    arms = f'[arms.a.mind]\nkind = "rule"\nparameters = "{path}"\n'
    assert calibrations_in(arms + arms.replace("arms.a", "arms.b")) == [found]


@pytest.mark.parametrize(
    "text", ["", "[mind]\ntaste = 1\n", "[[", "[mind]\n[calibration]\na = 1\n"]
)
def test_other_files_hold_no_calibration(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plain.toml"
    path.write_text(text, "utf-8")
    assert read_calibration(path) is None
    assert read_calibration(tmp_path / "none.toml") is None
    assert calibrations_in("[[") == []
    assert calibrations_in('mind = "rule"\n') == []


def test_every_histogram_and_prediction_has_its_panel(found: Calibration) -> None:
    shown = [axes for axes in calibration_figure(found).axes if axes.get_visible()]
    titles = [axes.get_title("left") for axes in shown]
    for name in (one.name for one in found.compared):
        assert any(title.startswith(name) for title in titles), name
    assert sum(title.startswith("predicted") for title in titles) == len(found.reliability)


def test_what_cannot_be_calibrated_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        corpus_at(tmp_path / "none")
    with pytest.raises(BadInput, match="no times"):
        corpus_at(files(tmp_path / "undated", dated=False))
    with pytest.raises(BadInput, match="no parameters to calibrate"):
        calibrate(files(tmp_path / "dated"), CalibrationOptions(mind="recsim", agents=5, tries=1))
    with pytest.raises(BadInput, match="too small"):
        CalibrationOptions(agents=0)
