"""Logs in their published layouts, and estimators against a known truth."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.backtest import (
    BanditLog,
    estimated,
    estimates_of,
    item_rewards,
    read_log,
    read_matrix,
)
from audience.world import Floats, rng

REAL = Path(__file__).parents[4] / "shared" / "data" / "backtest" / "open_bandit"
OPEN_BANDIT = (
    ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,"
    "user-item_affinity_0\n"
    "0,2019-11-24 00:00:09.276744+00:00,14,1,0,0.029411764705882353,81ce,03a5,0.0\n"
    "1,2019-11-24 00:00:10.000000+00:00,7,2,1,0.029411764705882353,81ce,03a5,0.0\n"
    "2,2019-11-24 00:00:11.000000+00:00,14,3,0,0.029411764705882353,ffff,03a5,1.0\n"
)
KUAIRAND = (
    "user_id,video_id,date,hourmin,time_ms,is_click,is_like,is_follow,is_comment,is_forward,"
    "is_hate,long_view,play_time_ms,duration_ms,profile_stay_time,comment_stay_time,"
    "is_profile_enter,is_rand,tab\n"
    "5,10,20220422,1400,1650607200123,1,0,0,0,0,0,1,9000,12000,0,0,0,1,1\n"
    "5,11,20220422,1400,1650607210123,0,0,0,0,0,0,0,900,12000,0,0,0,1,1\n"
    "6,12,20220422,1401,1650607260123,1,0,0,0,0,0,0,900,12000,0,0,0,0,1\n"
    "6,13,20220423,1401,1650693660123,0,0,0,0,0,0,0,900,12000,0,0,0,1,1\n"
)
KUAIREC = (
    "user_id,video_id,play_duration,video_duration,time,date,timestamp,watch_ratio\n"
    "14,148,4381,6067,2020-07-05 05:27:48.378,20200705,1593898068.378,0.722\n"
    "14,183,11635,6100,2020-07-05 05:28:00.057,20200705,1593898080.057,1.907\n"
    "19,148,600,6067,2020-07-05 05:28:00.057,20200705,1593898080.057,0.1\n"
)


def test_open_bandit_as_published(tmp_path: Path) -> None:
    path = tmp_path / "random" / "men" / "men.csv"
    path.parent.mkdir(parents=True)
    path.write_text(OPEN_BANDIT, "utf-8")
    log = read_log(path)
    assert log.what == "Open Bandit"
    assert log.items == ("14", "7")
    assert log.shown.tolist() == [0, 1, 0]
    assert log.rewards.tolist() == [0.0, 1.0, 0.0]
    assert log.places.tolist() == [1, 2, 3]
    assert log.groups.tolist() == [0, 0, 1]
    assert log.chances == pytest.approx(1 / 34)
    assert log.moments is not None
    assert np.diff(log.moments).tolist() == [1, 1]
    (tmp_path / "packed.csv.gz").write_bytes(gzip.compress(OPEN_BANDIT.encode()))
    assert np.array_equal(read_log(tmp_path / "packed.csv.gz").rewards, log.rewards)


def test_kuairand_keeps_what_was_shown_at_random(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "log_random_4_22_to_5_08_1k.csv").write_text(KUAIRAND, "utf-8")
    (tmp_path / "data" / "user_features_1k.csv").write_text("user_id\n5\n", "utf-8")
    log = read_log(tmp_path)
    assert (log.what, log.items) == ("KuaiRand", ("10", "11", "13"))
    assert log.rewards.tolist() == [1.0, 0.0, 0.0]
    assert log.chances == pytest.approx(1 / 3)
    assert log.groups.tolist() == [0, 0, 1]
    assert log.moments is not None
    assert log.moments[0] == 1_650_607_200


def test_kuairec_is_a_matrix_of_what_everybody_watched(tmp_path: Path) -> None:
    (tmp_path / "small_matrix.csv").write_text(KUAIREC, "utf-8")
    matrix = read_matrix(tmp_path)
    assert (matrix.people, matrix.items) == (("14", "19"), ("148", "183"))
    assert matrix.values[0].tolist() == [0.722, 1.907]
    assert np.isnan(matrix.values[1, 1])


def test_any_log_with_propensities(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("user,item,reward,propensity\na,x,2.5,0.5\nb,y,0,0.25\n", "utf-8")
    log = read_log(path)
    assert log.what == "a log with propensities"
    assert log.rewards.tolist() == [2.5, 0.0]
    assert log.moments is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("user,item,reward\na,x,1\n", "no column for the propensity"),
        ("user,reward,propensity\na,1,0.5\n", "no column for the item"),
        ("item,reward,propensity\nx,1,0\n", "line 2: propensity 0 is not above 0"),
        ("item,reward,propensity\nx,yes,0.5\n", "column 'reward': could not convert"),
        ("item,reward,propensity\nx,1\n", "line 2 has 2 cells, the header 3"),
        ("", "is empty"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "own.csv").write_text(text, "utf-8")
    with pytest.raises(BadInput, match=told):
        read_log(tmp_path / "own.csv")


def generated(rows: int) -> tuple[BanditLog, Floats]:
    """Return a log of an uneven random policy, and the true reward of each item."""
    draw = rng(8, "bandit")
    truth = np.array([0.1, 0.2, 0.4, 0.7])
    chances = np.array([0.55, 0.25, 0.15, 0.05])
    shown = draw.choice(4, rows, p=chances)
    rewards = (draw.random(rows) < truth[shown]).astype(np.float64)
    zeros = np.zeros(rows, np.int64)
    return BanditLog("made", tuple("abcd"), shown, rewards, chances[shown], zeros, zeros), truth


@pytest.mark.parametrize("target", [(0.25, 0.25, 0.25, 0.25), (0.0, 0.0, 0.0, 1.0)])
def test_estimators_find_the_known_truth(target: tuple[float, ...]) -> None:
    log, truth = generated(20_000)
    policy = np.array([target])
    found = estimated("target", log, policy, item_rewards(log))
    real = float((policy[0] * truth).sum())
    for each in (found.ips, found.snips, found.dr):
        assert each.low <= real <= each.high
        assert each.mean == pytest.approx(real, abs=0.05)
    assert float(log.rewards.mean()) < found.ips.low
    assert 0.0 < found.effective < len(log)


def test_dr_with_a_good_model_is_surer_than_ips_and_right_with_a_bad_one() -> None:
    log, truth = generated(20_000)
    policy = np.array([[0.0, 0.0, 0.5, 0.5]])
    good, bad = (estimated("t", log, policy, model) for model in (truth, 1.0 - truth))
    assert good.dr.half < good.ips.half
    assert bad.dr.low <= 0.55 <= bad.dr.high


def test_simple_policies_are_learnt_from_other_rows() -> None:
    log, _ = generated(4_000)
    by_name = {each.policy: each for each in estimates_of(log)}
    assert by_name["best 25% of items"].snips.mean > by_name["uniform"].snips.mean


@pytest.mark.skipif(not REAL.is_dir(), reason="the sample of Open Bandit is not there")
def test_the_real_sample_is_read_and_its_uniform_policy_earns_what_it_earned() -> None:
    log = read_log(REAL / "random_men.csv.gz")
    assert (len(log), len(log.items)) == (10_000, 34)
    uniform = estimates_of(log)[0]
    assert uniform.ips.low <= float(log.rewards.mean()) <= uniform.ips.high
