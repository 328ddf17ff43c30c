"""Fit the weights of audience/memory/importance.py to the labelled examples.

Prints how well they do on examples they were not fitted to, and writes importance.toml. The labels
are our own judgement, so the figures say how well a line of weights follows us, not people. The
strong words were chosen with the fitted examples in view, so the folds flatter; the examples that
are held out were written afterwards.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from audience.memory.consolidation import Observed
from audience.memory.rule_consolidation import MARKS, ImportanceWeights, degree, features
from audience.memory.sentences import KINDS
from audience.world import Bools, Ints

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "tests" / "memory" / "importance.tsv"
WEIGHTS = ROOT / "src" / "audience" / "memory" / "importance.toml"
RIDGE = 1.0
FOLDS = 10
KEPT = 5
"""The least importance that is kept: 0.09 n > 0.4."""
_Z = 1.96


class Example(NamedTuple):
    seen: Observed
    liked: bool
    label: int
    held: bool
    """Written when kinds, marks and words stood fast, and never fitted to."""


class Figures(NamedTuple):
    """How fits did on what they were not fitted to, with 95 % intervals."""

    examples: int
    error: float
    error_within: float
    agreement: float
    agreement_from: float
    agreement_to: float
    always: float
    """The agreement of always saying what is said most often."""


def read(path: Path = EXAMPLES) -> list[Example]:
    """Return the labelled examples."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [_example(row) for row in rows]


def _example(row: dict[str, str]) -> Example:
    told = float(row["satisfaction"]) if row["satisfaction"] else None
    seen = Observed(
        row["kind"],
        row["text"],
        "",
        0,
        tuple(range(int(row["items"]))),
        int(row["stars"]),
        float(row["fraction"]),
        row["feeling"],
        told,
    )
    return Example(seen, row["liked"] == "1", int(row["label"]), row["held"] == "1")


def fit(examples: Sequence[Example]) -> ImportanceWeights:
    """Return the weights of a ridge regression; the start is not shrunk."""
    inputs = np.array([features(one.seen, one.liked) for one in examples])
    labels = np.array([one.label for one in examples], np.float64)
    centre, start = inputs.mean(axis=0), float(labels.mean())
    off = inputs - centre
    shrunk = off.T @ off + RIDGE * np.eye(off.shape[1])
    found = np.linalg.solve(shrunk, off.T @ (labels - start))
    start -= float(centre @ found)
    rounded = [round(float(one), 4) for one in found]
    kinds = dict(zip(KINDS, rounded[: len(KINDS)], strict=True))
    return ImportanceWeights(
        round(start, 4), kinds, dict(zip(MARKS, rounded[len(KINDS) :], strict=True))
    )


def predict(learnt: ImportanceWeights, examples: Sequence[Example]) -> Ints:
    """Return the importance that weights give to examples."""
    line = np.array([*learnt.kinds.values(), *learnt.marks.values()])
    scores = [learnt.start + float(np.dot(features(one.seen, one.liked), line)) for one in examples]
    return np.array([degree(score) for score in scores], np.int64)


def validate(examples: Sequence[Example]) -> Figures:
    """Return how fits do on every tenth example when they are made from the others."""
    fold = np.arange(len(examples)) % FOLDS
    given = np.zeros(len(examples), np.int64)
    for out in range(FOLDS):
        learnt = fit([one for one, at in zip(examples, fold, strict=True) if at != out])
        rows = np.flatnonzero(fold == out).tolist()
        given[rows] = predict(learnt, [examples[row] for row in rows])
    return measured(examples, given)


def measured(examples: Sequence[Example], given: Ints) -> Figures:
    """Return how far importances are from the labels."""
    labels = np.array([one.label for one in examples], np.int64)
    errors = np.abs(given - labels).astype(np.float64)
    kept = labels >= KEPT
    low, high = _wilson((given >= KEPT) == kept)
    share = float(kept.mean())
    return Figures(
        len(examples),
        float(errors.mean()),
        _Z * float(errors.std(ddof=1)) / len(errors) ** 0.5,
        float(((given >= KEPT) == kept).mean()),
        low,
        high,
        max(share, 1.0 - share),
    )


def _wilson(right: Bools) -> tuple[float, float]:
    """Return the interval of a share."""
    n, share = len(right), float(right.mean())
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z * (share * (1 - share) / n + _Z**2 / (4 * n**2)) ** 0.5 / (1 + _Z**2 / n)
    return middle - reach, middle + reach


def written(learnt: ImportanceWeights) -> str:
    """Return weights as the text of their file."""
    lines = [
        "# How much each kind and each mark of an observation adds to its importance, 1 to 10.",
        "# Fitted by tools/fit_importance.py to tests/memory/importance.tsv; not written by hand.",
        f"start = {learnt.start}",
    ]
    for name, table in (("kinds", learnt.kinds), ("marks", learnt.marks)):
        lines += ["", f"[{name}]", *(f"{key} = {value}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def main() -> None:
    examples = read()
    ours = [one for one in examples if not one.held]
    held = [one for one in examples if one.held]
    learnt = fit(ours)
    _tell(f"{FOLDS} folds", validate(ours))
    _tell("held out", measured(held, predict(learnt, held)))
    WEIGHTS.write_text(written(learnt), "utf-8")
    print(f"wrote {WEIGHTS.relative_to(ROOT)}")


def _tell(how: str, done: Figures) -> None:
    print(f"{done.examples} examples, {how}")
    print(f"  mean absolute error {done.error:.2f} ± {done.error_within:.2f}")
    print(
        f"  kept or not (importance {KEPT} and more): agrees in {done.agreement:.1%} "
        f"[{done.agreement_from:.1%}, {done.agreement_to:.1%}]; "
        f"always the same answer: {done.always:.1%}"
    )


if __name__ == "__main__":
    main()
