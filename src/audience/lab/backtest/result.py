"""The result of a backtest, its tables, and its files."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from audience.lab.backtest.agreement import PolicyValue, PredictorFit
from audience.results import (
    INK,
    Column,
    ResultTable,
    Validation,
    colour,
    csv_text,
    finite,
    json_text,
    panels,
    styled_figure,
    to_markdown,
    write_result,
    write_validation,
)
from audience.world import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Backtest(msgspec.Struct, frozen=True, kw_only=True):
    """Policies as an audience valued them, and as real people did."""

    dataset: str
    units: str
    """Whom or what the truth is over."""
    outcome: str
    policies: tuple[PolicyValue, ...]
    """The best in truth first."""
    predictors: tuple[PredictorFit, ...]
    """The audience first, then what it must beat."""
    pairs: int
    """All pairs of policies; how many differ is with each predictor."""
    split_half: float
    frozen: str
    """The hash of all predictions, made before the truth was opened."""
    remarks: tuple[str, ...]
    validation: Validation


def frozen_digest(names: tuple[str, ...], predicted: Mapping[str, Floats]) -> str:
    """Return the hash of predictions, so that a later change would show."""
    body = [list(names), {name: np.round(values, 9).tolist() for name, values in predicted.items()}]
    return blake2b(msgspec.json.encode(body), digest_size=8).hexdigest()


def tables(backtest: Backtest) -> list[ResultTable]:
    """Return the policies, and the predictors."""
    ours = backtest.predictors[0]
    return [
        ResultTable(
            (
                Column("policy", is_text=True),
                Column("by the audience", digits=3),
                Column("real", digits=3),
            ),
            tuple((row.name, row.predicted, row.real) for row in backtest.policies),
            f"{backtest.dataset}: {backtest.outcome}",
            f"Truth over {backtest.units}; 95 % intervals by 2,000 resamples.",
        ),
        ResultTable(
            (
                Column("predictor", is_text=True),
                Column("Kendall tau", digits=2),
                Column("signs right", is_text=True),
                Column("slope", digits=2),
                Column("error", digits=3),
            ),
            tuple(
                (each.predictor, each.tau, f"{each.right}/{each.pairs}", each.slope, each.error)
                for each in backtest.predictors
            ),
            "How well each predictor orders the policies",
            f"{ours.pairs} of {backtest.pairs} pairs really differ (Benjamini-Hochberg at 5 %). "
            f"Split-half tau of the truth itself: {backtest.split_half:.2f}. Slope of real on "
            "predicted gains over random, ideal 1; error is their mean distance.",
        ),
    ]


def foot(backtest: Backtest) -> list[str]:
    """Return the notes below the tables, the verdict first."""
    frozen = f"Predictions were frozen as {backtest.frozen} before the truth was opened."
    return [backtest.validation.sentence, *backtest.remarks, frozen]


def plain_backtest(backtest: Backtest) -> dict[str, object]:
    """Return everything as plain values."""
    plain = finite(backtest)
    assert isinstance(plain, dict)
    return plain | {"name": "backtest", "verdict": backtest.validation.sentence}


@styled_figure
def drawn(backtest: Backtest) -> Figure:
    """Return predicted against real values, policy by policy."""
    figure, (axes,) = panels(1, 1, (0.0, 5.0), (0.0, 4.2))
    for place, row in enumerate(backtest.policies):
        reach = [[row.real.mean - row.real.low], [row.real.high - row.real.mean]]
        axes.errorbar(
            [row.predicted], [row.real.mean], yerr=reach, fmt="o", markersize=4, color=colour(0)
        )
        side = 1 if place % 2 else -1
        axes.annotate(
            row.name,
            (row.predicted, row.real.mean),
            textcoords="offset points",
            xytext=(5 * side, 4),
            ha="left" if side > 0 else "right",
            fontsize=6.5,
        )
    ends = [row.predicted for row in backtest.policies] + [
        row.real.mean for row in backtest.policies
    ]
    axes.plot([min(ends), max(ends)], [min(ends), max(ends)], color=INK, linewidth=0.7, ls=":")
    axes.set_xlabel(f"{backtest.outcome}, by the audience")
    axes.set_ylabel("real")
    return figure


def write_backtest(backtest: Backtest, folder: Path) -> list[Path]:
    """Write result.json, validation.json, table.md, policies.csv and the figure."""
    shown = [f"# {backtest.dataset}", ""]
    for table in tables(backtest):
        shown += [to_markdown(table), ""]
    shown += [f"- {line}" for line in foot(backtest)]
    rows = ((row.name, row.predicted, *row.real.three) for row in backtest.policies)
    texts = {
        "result.json": json_text(plain_backtest(backtest)),
        "validation.json": write_validation(backtest.validation),
        "table.md": "\n".join(shown) + "\n",
        "policies.csv": csv_text(("policy", "predicted", "real", "low", "high"), rows),
    }
    return write_result(folder, texts, drawn(backtest))
