"""The files of an export, loaded by RecBole itself and trained on. RecBole is an extra."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from subprocess import run

import pytest

from audience.log import Log
from audience.runs import export, start
from audience.scenario import parse

PYTHON = os.environ.get("RECBOLE_PYTHON", "")
"""RecBole's pins fight with other packages: it may live in an environment of its own."""
SCRIPT = """
import sys
import numpy as np
for name, kind in (("float_", np.float64), ("complex_", np.complex128), ("unicode_", np.str_),
                   ("bool8", np.bool_), ("long", int), ("int", int), ("float", float)):
    if not hasattr(np, name):
        setattr(np, name, kind)
import pandas
whole = pandas.Series.agg  # RecBole wants the length of each list, pandas 3 that of the column
pandas.Series.agg = lambda self, how=None, *more, **named: (
    self.map(len) if how is len else whole(self, how, *more, **named))
from recbole.config import Config
from recbole.data import create_dataset, data_preparation
from recbole.utils import get_model, get_trainer, init_seed
folder, name = sys.argv[1:]
config = Config(model="BPR", dataset=name, config_dict={
    "data_path": folder, "epochs": 1, "use_gpu": False, "state": "ERROR", "embedding_size": 8,
    "show_progress": False, "checkpoint_dir": folder,
    "load_col": {"inter": ["user_id", "item_id", "rating", "timestamp", "label", "fraction"],
                 "item": ["item_id", "title", "release_year", "class"],
                 "user": ["user_id", "age", "gender", "occupation"],
                 "net": ["source_id", "target_id"]},
    "alias_of_user_id": ["source_id", "target_id"], "additional_feat_suffix": ["net"],
    "eval_args": {"split": {"LS": "valid_and_test"}, "order": "TO", "mode": "full"},
})
init_seed(1, True)
dataset = create_dataset(config)
train, valid, test = data_preparation(config, dataset)
model = get_model("BPR")(config, train.dataset)
trainer = get_trainer(config["MODEL_TYPE"], "BPR")(config, model)
trainer.fit(train, saved=False, show_progress=False)
found = trainer.evaluate(test, load_best_model=False, show_progress=False)
print("rows", len(dataset.inter_feat), "users", dataset.user_num - 1, "items", dataset.item_num - 1)
print("ties", len(dataset.net_feat), "recall", found["recall@10"])
"""


def interpreter() -> str:
    if PYTHON:
        return PYTHON
    pytest.importorskip("recbole", reason="RecBole is not installed")
    return sys.executable


def test_recbole_loads_the_files_and_trains_on_them(tmp_path: Path) -> None:
    python = interpreter()
    text = (
        "agents = 60\nrounds = 6\nrecommender = 'popular'\n"
        "[activation]\nmethod = 'random'\nshare = 0.9\n"
        "[[interventions]]\nround = 2\ndo = 'add_person'\nname = 'New'\nkey = 'newcomer'\n"
        "[[interventions]]\nround = 2\ndo = 'add_item'\ntitle = 'A \"new\" one'\n"
        "key = 'new-one'\ntags = ['Drama']\n"
    )
    start(parse(text), 1, tmp_path / "lived")
    with Log.open(tmp_path / "lived") as log:
        inter, items, users, net = export(log, "recbole", tmp_path / "out")
    told = run(
        [python, "-c", SCRIPT, str(tmp_path / "out"), "lived"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr[-3000:]
    words = told.stdout.split()
    found = dict(zip(words[::2], words[1::2], strict=True))

    def rows(path: Path) -> int:
        return len(path.read_text("utf-8").splitlines()) - 1

    assert int(found["rows"]) == rows(inter) > 100
    assert int(found["users"]) == rows(users) == 61
    assert int(found["items"]) == rows(items)
    assert int(found["ties"]) == rows(net)
    assert 0.0 <= float(found["recall"]) <= 1.0
