"""Trains RecBole's models and scores with them: `python recbole_worker.py`.

It runs under the Python that has RecBole, which need not have Audience nor be as new. One line of
JSON on standard input is a question, one on standard output its answer; it lives until its
standard input ends, as it does when the parent dies in any way.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import sys
import threading
import traceback
import warnings
from importlib import import_module
from queue import SimpleQueue
from typing import Any, BinaryIO

DATASET = "audience"
CELLS = 2_000_000
"""Scores that are computed at once."""
GONE = {
    "float_": "float64",
    "complex_": "complex128",
    "unicode_": "str_",
    "bool8": "bool_",
    "bool": "bool_",
    "float": "float64",
    "int": "int64",
    "object": "object_",
}
"""Names that numpy dropped and RecBole uses, and their replacements."""
UNFIT = {
    "gru4reckg": "needs a knowledge graph",
    "ksr": "needs a knowledge graph",
    "s3rec": "is trained in two stages",
    "dien": "needs sampled items to score with",
}
"""Models that cannot be trained on interactions alone, and why."""
ROOMS = ("general_recommender", "sequential_recommender", "context_aware_recommender")


def main() -> None:
    """Answer until the parent is gone."""
    # RecBole writes to standard output at will; answers to the parent are kept apart.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    questions: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=listen, args=(questions,), daemon=True).start()
    kept: dict[int, TrainedModel] = {}
    try:
        while True:
            say(answers, answered(json.loads(questions.get()), kept))
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    # The thread that waits for questions would block an orderly exit.
    os._exit(1)


def answered(question: dict[str, Any], kept: dict[int, TrainedModel]) -> dict[str, Any]:
    """Return the answer to one question; models that may be asked again are kept by number."""
    for number in question.get("forget", ()):
        kept.pop(number, None)
    if "model" not in question:
        return kept[question["fit"]].score(question)
    try:
        fitted = TrainedModel(question)
    except Mistaken as error:
        return {"mistake": str(error)}
    if fitted.sequential:
        kept[question["fit"]] = fitted
    return fitted.summary()


def listen(questions: SimpleQueue[bytes]) -> None:
    """Queue questions, also while a model is trained, and exit with the parent."""
    for line in sys.stdin.buffer:
        questions.put(line)
    os._exit(0)


def say(answers: BinaryIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer).encode() + b"\n")
    answers.flush()


class Mistaken(Exception):
    """The user asked for something that RecBole does not have."""


class TrainedModel:
    """A trained model with RecBole's internal ids of people and items."""

    def __init__(self, wish: dict[str, Any]) -> None:
        restore_names()
        self.torch = import_module("torch")
        self.numpy = import_module("numpy")
        self.torch.set_num_threads(1)
        self.config, self.dataset, train = prepared(wish)
        self.sequential = self.config["MODEL_TYPE"].name == "SEQUENTIAL"
        self.length = int(self.config["MAX_ITEM_LIST_LENGTH"] or 0)
        self.model: Any = None if train is None else trained(self.config, train)
        field = self.dataset.iid_field
        self.columns = [self.dataset.token2id(field, str(item)) for item in wish["items"]]
        self.places = dict(zip(wish["items"], self.columns))  # noqa: B905
        if self.model is not None:
            self._write(wish["people"], wish["histories"], wish["scores"])

    def summary(self) -> dict[str, Any]:
        learnt = self.model is not None
        return {"learnt": learnt, "sequential": self.sequential, "length": self.length}

    def score(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the scores of people with newer histories, each computed alone."""
        pairs = range(len(question["people"]))
        rows = [
            self._rows([question["people"][row]], [question["histories"][row]]) for row in pairs
        ]
        scores = self.numpy.concatenate(rows).astype("<f4")
        return {"scores": base64.b64encode(scores.tobytes()).decode()}

    def _write(self, people: list[int], histories: list[list[int]], path: str) -> None:
        shape = (len(people), len(self.columns))
        written = self.numpy.lib.format.open_memmap(path, "w+", "<f4", shape)
        step = max(1, min(256, CELLS // self.dataset.item_num))
        for start in range(0, len(people), step):
            part = slice(start, start + step)
            written[part] = self._rows(people[part], histories[part])
        written.flush()

    def _rows(self, people: list[int], histories: list[list[int]]) -> Any:  # noqa: ANN401
        with self.torch.no_grad():
            asked = self._interaction(people, histories).to(self.config["device"])
            try:
                scores = self.model.full_sort_predict(asked)
            except NotImplementedError:
                scores = self._pairs(asked)
            scores = scores.view(len(people), -1).detach().cpu().numpy()
        return scores[:, self.columns]

    def _pairs(self, asked: Any) -> Any:  # noqa: ANN401
        """Return scores from a model that only scores single pairs of a person and an item."""
        every = self.dataset.get_item_feature().to(self.config["device"])
        rows = []
        for row in range(len(asked)):
            pairs = asked[row : row + 1].repeat_interleave(self.dataset.item_num)
            pairs.update(every.repeat(1))
            rows.append(self.model.predict(pairs).view(1, -1))
        return self.torch.cat(rows)

    def _interaction(self, people: list[int], histories: list[list[int]]) -> Any:  # noqa: ANN401
        known = self.dataset.field2token_id[self.dataset.uid_field]
        fields: dict[str, Any] = {
            self.dataset.uid_field: [known.get(str(person), 0) for person in people]
        }
        if self.sequential:
            tails = [
                [self.places[item] for item in history if item in self.places][-self.length :]
                for history in histories
            ]
            listed = self.dataset.iid_field + self.config["LIST_SUFFIX"]
            fields[listed] = [history + [0] * (self.length - len(history)) for history in tails]
            # Some work out a loss as well, which nobody reads; it wants an item to come next.
            fields[self.dataset.iid_field] = [0] * len(people)
            # A model that looks at the last place finds the padding where nothing was lived.
            fields[self.config["ITEM_LIST_LENGTH_FIELD"]] = [
                max(len(history), 1) for history in tails
            ]
        make = import_module("recbole.data.interaction").Interaction
        return make({name: self.torch.tensor(column) for name, column in fields.items()})


def restore_names() -> None:
    """Restore names of numpy and scipy that RecBole uses."""
    numpy = import_module("numpy")
    for name, now in GONE.items():
        if name not in vars(numpy):
            setattr(numpy, name, getattr(numpy, now))
    sparse = import_module("scipy.sparse").dok_matrix
    if not hasattr(sparse, "_update"):
        sparse._update = lambda self, cells: self._dict.update(cells)


def prepared(wish: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return RecBole's configuration, dataset and training data, None if that is empty."""
    parts = import_module("recbole.data")
    steps = import_module("recbole.data.utils")
    tools = import_module("recbole.utils")
    sys.argv = sys.argv[:1]
    config = configured(wish)
    logging.disable(logging.WARNING)
    tools.init_seed(config["seed"], True)
    dataset = parts.create_dataset(config)
    built = dataset.build()
    if not len(built[0].inter_feat):
        return config, dataset, None
    sampler = steps.create_samplers(config, dataset, built)[0]
    loader = steps.get_dataloader(config, "train")
    return config, dataset, loader(config, built[0], sampler, shuffle=config["shuffle"])


def configured(wish: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return RecBole's configuration: train on everything, seeded, without output."""
    model = named(wish["model"])
    make = import_module("recbole.config").Config
    ordered = model.type.name == "SEQUENTIAL"
    settings = settings_for(wish, ordered)
    # RecBole's defaults for this model decide the rest.
    usual = {"train_neg_sample_args": None, **settings, **wish["settings"]}
    config = make(model.__name__, DATASET, None, usual)
    if ordered and config["loss_type"] == "CE":
        # A loss over all items takes no negative samples; RecBole refuses or misreads them.
        settings["train_neg_sample_args"] = None
    if model.type.name == "CONTEXT":
        # RecBole expects labels here, which positive and negative samples give.
        settings["train_neg_sample_args"] = {"distribution": "uniform", "sample_num": 1}
    if config["selected_features"] or model.type.name == "CONTEXT":
        settings["load_col"]["item"].append("class")
    return make(model.__name__, DATASET, None, {**settings, **wish["settings"]})


def settings_for(wish: dict[str, Any], ordered: bool) -> dict[str, Any]:
    """Return our settings for every model, by RecBole's names."""
    columns = ["user_id", "item_id", "timestamp"] if ordered else ["user_id", "item_id"]
    parts = {"split": {"RS": [1.0, 0.0, 0.0]}, "group_by": "none", "mode": "full"}
    return {
        "data_path": wish["folder"],
        "checkpoint_dir": "saved",
        "seed": wish["seed"],
        "epochs": wish["epochs"],
        "use_gpu": False,
        "state": "ERROR",
        "show_progress": False,
        "load_col": {"inter": columns, "item": ["item_id"]},
        "eval_args": {**parts, "order": "TO" if ordered else "RO"},
        "metrics": ["Recall"],
        "valid_metric": "Recall@10",
    }


def named(model: str) -> Any:  # noqa: ANN401
    """Return RecBole's class of that name, whatever its case."""
    abstract = import_module("recbole.model.abstract_recommender").AbstractRecommender
    found = {}
    for room in ROOMS:
        for name, model_class in vars(import_module(f"recbole.model.{room}")).items():
            if isinstance(model_class, type) and issubclass(model_class, abstract):
                found[name.lower()] = model_class
    wanted = model.lower()
    if wanted in UNFIT:
        raise Mistaken(f"RecBole's {model} {UNFIT[wanted]}; take another of its models")
    if wanted not in found:
        known = ", ".join(
            sorted(model_class.__name__ for key, model_class in found.items() if key not in UNFIT)
        )
        raise Mistaken(f"RecBole has no model {model!r} for interactions alone; it has {known}")
    return found[wanted]


def trained(config: Any, train: Any) -> Any:  # noqa: ANN401
    """Return the model, trained and ready to score."""
    tools = import_module("recbole.utils")
    tools.init_seed(config["seed"], True)
    made = tools.get_model(config["model"])(config, train.dataset).to(config["device"])
    trainer = tools.get_trainer(config["MODEL_TYPE"], config["model"])(config, made)
    # No validation and no checkpoint: current torch refuses to load such files.
    trainer.fit(train, None, verbose=False, saved=False, show_progress=False)
    made.eval()
    return made


if __name__ == "__main__":
    main()
