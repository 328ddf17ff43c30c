"""Train RecBole's own models on its ML-100K and write its split and figures: FOLDER in, FOLDER out.

Runs under the Python that has RecBole, which need not have Audience.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

GONE = {"float_": np.float64, "complex_": np.complex128, "unicode_": np.str_, "bool8": np.bool_}
SEEDS = (1, 2, 3, 4, 5, 6, 7, 8)
EPOCHS = 50
LIGHTGCN = {
    "epochs": 20,
    "learning_rate": 0.05,
    "train_batch_size": 8192,
    "embedding_size": 32,
    "n_layers": 2,
    "reg_weight": 1e-4,
    "eval_step": 0,
}
MULTVAE = {
    "epochs": 30,
    "learning_rate": 0.003,
    "train_batch_size": 128,
    "mlp_hidden_dimension": [256],
    "latent_dimension": 64,
    "dropout_prob": 0.5,
    "anneal_cap": 0.2,
    "total_anneal_steps": 48,
    "eval_step": 0,
}


def settings(folder: Path, **more: object) -> dict[str, object]:
    package = Path(str(import_module("recbole").__file__)).parent
    return {
        "data_path": str(package / "dataset_example"),
        "eval_args": {"split": {"LS": "valid_and_test"}, "order": "TO", "mode": "full"},
        "metrics": ["NDCG"],
        "valid_metric": "NDCG@10",
        "topk": [10],
        "use_gpu": False,
        "state": "ERROR",
        "show_progress": False,
        "checkpoint_dir": str(folder / "saved"),
        **more,
    }


def trained(name: str, folder: Path, **more: object) -> tuple[float, Any, Any, Any]:
    """Return NDCG@10 on the test part with the dataset and its training and test parts."""
    make = import_module("recbole.config").Config
    prepare, tools = import_module("recbole.data"), import_module("recbole.utils")
    config = make(model=name, dataset="ml-100k", config_dict=settings(folder, **more))
    tools.init_seed(config["seed"], True)
    whole = prepare.create_dataset(config)
    train, _, test = prepare.data_preparation(config, whole)
    tools.init_seed(config["seed"], True)
    model = tools.get_model(name)(config, train.dataset)
    trainer = tools.get_trainer(config["MODEL_TYPE"], name)(config, model)
    trainer.fit(train, saved=False, show_progress=False)
    found = trainer.evaluate(test, load_best_model=False, show_progress=False)
    return float(found["ndcg@10"]), whole, train, test


def count_each() -> None:
    """Let Pop count every interaction: its own counts an item at most once a batch."""
    torch = import_module("torch")
    pop = import_module("recbole.model.general_recommender.pop").Pop

    def counted(self: Any, interaction: Any) -> Any:
        items = interaction[self.ITEM_ID]
        ones = torch.ones((len(items), 1), dtype=self.item_cnt.dtype)
        self.item_cnt.index_add_(0, items, ones)
        self.max_cnt = torch.max(self.item_cnt, dim=0)[0]
        return torch.nn.Parameter(torch.zeros(1))

    pop.calculate_loss = counted


def add_updates() -> None:
    """Give scipy's matrices the update that LightGCN calls and newer ones lack."""
    made = import_module("scipy.sparse").dok_matrix
    if not hasattr(made, "_update"):
        made._update = lambda self, more: self._dict.update(more)


def columns(part: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    rows = part.inter_feat
    names = ("user_id", "item_id", "timestamp")
    return np.array([rows[name].numpy() for name in names]).astype(np.int64)


def main() -> None:
    warnings.simplefilter("ignore")
    for name, kind in GONE.items():
        setattr(np, name, kind)
    folder = Path(sys.argv[1])
    count_each()
    popular, whole, train, test = trained("Pop", folder, epochs=1)
    figures = {"Pop": popular}
    for name in ("ItemKNN", "EASE"):
        figures[name] = trained(name, folder, epochs=1)[0]
    runs = [trained("BPR", folder, epochs=EPOCHS, seed=seed)[0] for seed in SEEDS]
    figures["BPR"] = float(np.mean(runs))
    add_updates()
    for name, more in (("LightGCN", LIGHTGCN), ("MultiVAE", MULTVAE)):
        runs = [trained(name, folder, seed=seed, **more)[0] for seed in SEEDS[:3]]
        figures[name] = float(np.mean(runs))
    parts = [columns(part) for part in (whole, train.dataset, test.dataset)]
    np.savez(folder / "split.npz", whole=parts[0], train=parts[1], truth=parts[2])
    (folder / "figures.json").write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
