from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from audience.grounding import grounds_of
from audience.lab.verdicts import (
    SkippedRecommender,
    Verdicts,
    arms_for,
    as_plain,
    judged,
    scenario_for,
    tables,
    write,
)
from audience.lab.verdicts.report import as_csv
from audience.lab.verdicts.statistics import BOUNDS, MEASURES
from audience.lab.verdicts.verdicts import Seen
from audience.results import texts
from audience.runs import conduct
from audience.scenario import Scenario, genesis_of
from audience.world import Genesis, rng

PEOPLE, ITEMS = 80, 120


def dataset(folder: Path) -> Path:
    """Write people of two camps, each with its own genre, who rate what they take up."""
    folder.mkdir()
    draw = rng(5, "camps")
    rows = ["user_id:token\titem_id:token\trating:float\ttimestamp:float"]
    for person in range(PEOPLE):
        own = np.arange(ITEMS)[np.arange(ITEMS) % 2 == person % 2]
        taken = draw.permutation(own)[:15]
        rows += [f"u{person}\ti{item}\t{4 - item % 3}\t{1000 + n}" for n, item in enumerate(taken)]
    (folder / "camps.inter").write_text("\n".join(rows) + "\n", "utf-8")
    heads = "item_id:token\tmovie_title:token_seq\tclass:token_seq\n"
    items = [f"i{n}\tTitle {n}\t{'Drama' if n % 2 else 'Comedy'}\n" for n in range(ITEMS)]
    (folder / "camps.item").write_text(heads + "".join(items), "utf-8")
    return folder


def experiment(source: Path, **changes: object) -> Scenario:
    arms, _ = arms_for(["random", "popular", "ease"])
    options = {"agents": 40, "rounds": 2, "seeds": 3, "apart": True, **changes}
    return scenario_for({"kind": "recbole", "path": str(source)}, "rule", arms, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dataset(tmp_path_factory.mktemp("verdicts") / "camps")


@pytest.fixture(scope="module")
def found(source: Path) -> Verdicts:
    scenario = experiment(source)
    outcome = conduct(scenario, source.parent / "apart")
    return judged(scenario, outcome, [SkippedRecommender("LightGCN", "install it")])


def test_every_recommender_has_every_measure(found: Verdicts) -> None:
    assert [row.recommender for row in found.rows] == ["random", "popular", "ease"]
    for row in found.rows:
        assert set(row.values) == set(MEASURES)
        assert row.values["exit_page"].mean >= 1.0
        assert 1.0 <= row.values["satisfaction"].mean <= 10.0
        assert 0.0 <= row.values["like_ratio"].mean <= row.values["view_ratio"].mean <= 1.0
        assert set(row.offline) == {"ndcg", "recall"}
        assert row.offline["ndcg"].count == 120
    assert found.rows[0].differences == {}
    assert found.rows[2].offline["ndcg"].mean > found.rows[0].offline["ndcg"].mean


def test_no_interval_leaves_what_is_possible(found: Verdicts) -> None:
    for row in found.rows:
        for name, interval in (row.values | row.offline).items():
            least, most = BOUNDS[name]
            ends = [end for end in (interval.low, interval.high) if not math.isnan(end)]
            assert all(least <= end <= most for end in ends), (row.recommender, name)


def test_who_knows_the_camps_serves_them_better(found: Verdicts) -> None:
    ease = found.rows[2].differences
    assert ease["click_rate"].mean > 0.03
    assert ease["diversity"].is_clear
    assert ease["diversity"].mean < -0.2


def test_orders_are_compared_over_all_recommenders(found: Verdicts) -> None:
    pairs = {(one.audience, one.offline) for one in found.agreements}
    assert len(pairs) == 8
    assert {one.recommenders for one in found.agreements} == {3}


def test_evidence_that_is_apart_is_said_to_be_and_bears_no_mark(found: Verdicts) -> None:
    assert found.remarks[0].startswith("Evidence is apart: minds know items from the 600 inter")
    assert {row.mark for row in found.rows} == {""}


def test_grounds_of_minds_come_from_the_others_and_not_from_what_recommenders_learn(
    source: Path,
) -> None:
    genesis = genesis_of(experiment(source), 1)
    parts = (genesis.catalogue, genesis.profiles, genesis.ties, genesis.clock, genesis.domain)
    swapped = tuple(replace(one, item=(one.item + 1) % ITEMS) for one in genesis.past)
    planted = Genesis(*parts, swapped, genesis.others)
    cases = [[0, 2, 4], [1, 3]], [[6, 7, 8, 9], [10, 11, 12, 13]]
    plain, other = (np.concatenate(grounds_of(one).log_odds(*cases)) for one in (genesis, planted))
    assert plain.tolist() == other.tolist()
    known = tuple(replace(one, item=(one.item + 1) % ITEMS) for one in genesis.others)
    moved = grounds_of(Genesis(*parts, genesis.past, known)).log_odds(*cases)
    assert np.abs(np.concatenate(moved) - plain).max() > 0.01


def test_evidence_that_is_shared_is_flagged(source: Path) -> None:
    scenario = experiment(source, apart=False, seeds=1, rounds=1)
    outcome = conduct(scenario, source.parent / "same")
    rows = judged(scenario, outcome)
    assert [row.mark for row in rows.rows] == ["", "shared", "shared"]
    assert rows.remarks[0].startswith("Evidence is not apart")
    assert any(line.startswith("shared (popular, ease)") for line in rows.remarks)
    assert any("1 seeds are few" in line for line in rows.remarks)


def test_the_pairs_are_of_the_same_person_and_seed() -> None:
    people, seeds = np.tile(np.arange(3), 2), np.repeat([1, 2], 3)
    level = np.array([0.0, 5.0, 10.0, 1.0, 6.0, 11.0])
    one, other = Seen(level, people, seeds), Seen(level + 1.0, people, seeds)
    less = other.less(one).estimate()
    assert (less.mean, less.low, less.high) == (1.0, 1.0, 1.0)
    assert one.estimate().high > one.estimate().mean + 5.0
    assert one.by_seed([1, 2]).tolist() == [5.0, 6.0]


def test_tables_and_files_hold_all_of_it(found: Verdicts, tmp_path: Path) -> None:
    first, differences, others, orders = tables(found)
    heads = [column.label for column in first.columns]
    assert heads[1:6] == ["view ratio", "likes", "like ratio", "exit page", "satisfaction"]
    assert [row[0] for row in differences.rows] == ["popular", "ease"]
    assert "NDCG@10" in [column.label for column in others.columns]
    assert "3 recommenders" in orders.caption
    written = write(found, tmp_path)
    kinds = ("csv", "json", "md", "png", "svg")
    assert sorted(path.name for path in written) == [f"verdicts.{kind}" for kind in kinds]
    text = (tmp_path / "verdicts.md").read_text("utf-8")
    assert "LightGCN was skipped: install it" in text
    assert "no interaction is in both" in text
    plain = json.loads((tmp_path / "verdicts.json").read_text("utf-8"))
    assert plain == json.loads(json.dumps(as_plain(found), allow_nan=False))
    assert len(as_csv(found).splitlines()) == 1 + 3 * 8 + 2 * 8 + 3 * 2


def test_what_has_no_interval_shows_none(found: Verdicts) -> None:
    assert all(math.isnan(one.kendall_low) for one in found.agreements)
    assert "[" not in "".join(cell for row in texts(tables(found)[3]) for cell in row)
