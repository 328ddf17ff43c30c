"""The Coat backtest, on a small set made here and on the real one where it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.backtest import backtest_coat, tables, write_backtest
from audience.lab.backtest.coat import halves, policies, read_coat
from audience.results import read_validation
from audience.world import rng

REAL = Path(__file__).parents[4] / "shared" / "data" / "backtest" / "coat.npz"


def made(path: Path, people: int = 60, items: int = 40) -> Path:
    """Write a set in which women like coats for women, who rated what they chose."""
    draw = rng(5, "coat")
    women, coats = draw.random(people) < 0.5, draw.random(items) < 0.5
    liked = np.where(women[:, None] == coats[None, :], 3.8, 1.8) + draw.normal(0, 0.4, items)
    stars = np.clip(np.rint(liked + draw.normal(0, 0.6, (people, items))), 1, 5)
    chosen = draw.random((people, items)) < np.where(liked > 2.5, 0.4, 0.1)
    random = draw.random((people, items)) < 0.3
    random[:, 0] = chosen[:, 0] = True
    random[:, 1], chosen[:, 1] = True, False
    np.savez(
        path,
        train=np.where(chosen, stars, 0).astype(np.int8),
        test=np.where(random, stars, 0).astype(np.int8),
        user_features=np.stack([~women, women], axis=1).astype(np.int8),
        item_features=np.stack([~coats, coats], axis=1).astype(np.int8),
        user_feature_names=np.array(["gender:men", "gender:women"]),
        item_feature_names=np.array(["gender:men", "gender:women"]),
        propensities=np.where(liked > 2.5, 0.4, 0.1).astype(np.float32),
    )
    return path


def test_copies_of_train_are_dropped_and_the_truth_is_not_among_the_inputs(tmp_path: Path) -> None:
    inputs, truth = read_coat(made(tmp_path / "coat.npz"))
    assert not (inputs.offered & inputs.table.seen).any()
    assert not inputs.offered[:, 0].any()
    ratings = truth()
    assert ((ratings > 0) == inputs.offered).all()
    fields = [getattr(inputs.table, name) for name in inputs.table.__struct_fields__]
    assert not any(
        isinstance(field, np.ndarray) and np.array_equal(field, ratings) for field in fields
    )


def test_what_is_predicted_does_not_depend_on_the_truth(tmp_path: Path) -> None:
    path = made(tmp_path / "coat.npz")
    found = backtest_coat(path)
    arrays = dict(np.load(path))
    arrays["test"] = np.where(arrays["test"] > 0, 6 - arrays["test"], 0)
    np.savez(tmp_path / "other.npz", **arrays)
    other = backtest_coat(tmp_path / "other.npz")
    assert other.frozen == found.frozen
    assert {row.name: row.predicted for row in other.policies} == {
        row.name: row.predicted for row in found.policies
    }
    assert other.predictors[0].tau.mean < found.predictors[0].tau.mean


@pytest.mark.parametrize("evidence", ["same", "apart"])
def test_an_audience_orders_the_policies(tmp_path: Path, evidence: str) -> None:
    found = backtest_coat(made(tmp_path / "coat.npz"), evidence=evidence)
    assert len(found.policies) == 12
    assert {row.name for row in found.policies} == {*policies(), "random"}
    ours = found.predictors[0]
    assert ours.tau.mean > 0.3
    assert ours.right >= 0.8 * ours.pairs
    written = write_backtest(found, tmp_path / "out")
    assert {path.name for path in written} >= {"result.json", "validation.json", "table.md"}
    told = read_validation(tmp_path / "out" / "validation.json")
    assert told.sentence.startswith("Validated for ranking 12 recommenders")
    assert "not for clicks" in told.sentence
    assert tables(found)[0].caption.startswith("Coat")


def test_halves_never_judge_themselves() -> None:
    for half in halves(31, "apart", 1):
        assert not (half.policies & half.audience).any()
        assert (half.people == half.policies).all()


def test_the_folder_as_published_is_read_too(tmp_path: Path) -> None:
    arrays = np.load(made(tmp_path / "coat.npz"))
    folder = tmp_path / "coat"
    (folder / "user_item_features").mkdir(parents=True)
    for name in ("train", "test", "propensities"):
        np.savetxt(folder / f"{name}.ascii", arrays[name])
    for kind in ("user", "item"):
        np.savetxt(
            folder / "user_item_features" / f"{kind}_features.ascii", arrays[f"{kind}_features"]
        )
        (folder / "user_item_features" / f"{kind}_features_map.txt").write_text(
            "gender:men\ngender:women\n", "utf-8"
        )
    ours, _ = read_coat(folder)
    given, _ = read_coat(tmp_path / "coat.npz")
    assert np.array_equal(ours.table.ratings, given.table.ratings)
    assert ours.table.person_names == given.table.person_names


def test_what_is_not_coat_is_refused(tmp_path: Path) -> None:
    (tmp_path / "coat.npz").write_bytes(b"nothing")
    with pytest.raises(BadInput, match="cannot be read as Coat"):
        read_coat(tmp_path / "coat.npz")


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_file(), reason="Coat is not there")
def test_the_real_set_is_ordered_as_real_people_did() -> None:
    found = backtest_coat(REAL)
    real = {row.name: row.real.mean for row in found.policies}
    assert real["gender match"] == pytest.approx(3.03, abs=0.01)
    assert real["popular"] == pytest.approx(2.41, abs=0.01)
    assert real["random"] == pytest.approx(2.20, abs=0.01)
    ours = found.predictors[0]
    assert ours.tau.mean >= 0.67
    assert ours.right == ours.pairs >= 35
    assert all(ours.tau.mean > other.tau.mean for other in found.predictors[1:])
