"""Our methods against RecBole's on the same split of ML-100K: NDCG@10 within 3 %.

LightGCN and MultVAE, which vary by 5 % from seed to seed, within 10 %.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from subprocess import run
from typing import NamedTuple

import numpy as np
import pytest

from audience.lab.evaluation import InteractionColumns, OfflineSplit, check_offline
from audience.recommenders import BPR, EASE, ItemKNN, LightGCN, MultVAE, Popular, Recommender
from audience.world import Catalogue, Ints, Item

PYTHON = os.environ.get("RECBOLE_PYTHON", "")
"""RecBole's pins fight with other packages: it lives in an environment of its own."""
SEEDS = (1, 2, 3, 4, 5, 6, 7, 8)
pytestmark = [
    pytest.mark.skipif(not PYTHON, reason="RECBOLE_PYTHON names no Python that has RecBole"),
    pytest.mark.timeout(3600),
]


class Reference(NamedTuple):
    figures: dict[str, float]
    split: OfflineSplit
    people: int
    items: int


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    folder = tmp_path_factory.mktemp("recbole")
    script = Path(__file__).with_name("recbole_reference.py")
    done = run([PYTHON, script, folder], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    figures = json.loads((folder / "figures.json").read_text("utf-8"))
    with np.load(folder / "split.npz") as parts:
        whole, train, truth = (parts[name] for name in ("whole", "train", "truth"))
    people, items = int(whole[0].max()), int(whole[1].max())
    cells = [part[0] * (items + 1) + part[1] for part in (whole, train, truth)]
    spare = whole[:, ~np.isin(cells[0], np.concatenate(cells[1:]))]
    return Reference(figures, OfflineSplit(lived(train), lived(truth), lived(spare)), people, items)


def lived(columns: Ints) -> InteractionColumns:
    """Return rows of RecBole as ours: its numbers begin with 1."""
    users, items, at = columns
    return InteractionColumns(users - 1, items - 1, at, np.zeros(len(users), np.int64))


def ndcg(reference: Reference, recommender: Recommender, seed: int = 1) -> float:
    catalogue = Catalogue(tuple(Item(n, f"Item {n}") for n in range(reference.items)))
    kinds = {"ours": recommender}
    scores = check_offline(reference.split, catalogue, reference.people, kinds, k=10, seed=seed)
    return scores[0].values["ndcg"]


@pytest.mark.parametrize(
    ("name", "recommender"),
    [("Pop", Popular()), ("ItemKNN", ItemKNN(100, 0.0)), ("EASE", EASE(250.0))],
)
def test_a_method_without_chance_agrees(
    name: str, recommender: Recommender, reference: Reference
) -> None:
    assert ndcg(reference, recommender) == pytest.approx(reference.figures[name], rel=0.03)


def test_bpr_agrees_over_seeds(reference: Reference) -> None:
    ours = [ndcg(reference, BPR(epochs=50, rate=0.001), seed) for seed in SEEDS]
    assert np.mean(ours) == pytest.approx(reference.figures["BPR"], rel=0.03)


@pytest.mark.parametrize(
    ("name", "recommender"), [("LightGCN", LightGCN()), ("MultiVAE", MultVAE(epochs=30))]
)
def test_a_network_agrees_over_seeds(
    name: str, recommender: Recommender, reference: Reference
) -> None:
    ours = [ndcg(reference, recommender, seed) for seed in SEEDS[:3]]
    assert np.mean(ours) == pytest.approx(reference.figures[name], rel=0.1)
