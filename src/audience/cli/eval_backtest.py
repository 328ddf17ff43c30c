"""`audience eval backtest`: does an audience order policies as real, randomised people did?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from audience.cli import options as o
from audience.errors import BadInput

if TYPE_CHECKING:
    from audience.lab.backtest import Backtest

SETS = ("coat", "upworthy", "log")
_WIDTH = 100


@click.command("backtest")
@click.option("--data", type=o.RUN, required=True, metavar="PATH", help="coat.npz, Upworthy's CSV.")
@click.option(
    "--set",
    "kind",
    type=click.Choice(SETS),
    default=None,
    help="What PATH is; told by its name if left out. log: any log with propensities.",
)
@click.option(
    "--evidence",
    type=click.Choice(("same", "apart")),
    default="same",
    show_default=True,
    help="Coat: whether policies and audience learn from the same people.",
)
@click.option("--seed", default=1, show_default=True, help="Names every draw.")
@o.out_option
@o.json_option
def backtest_command(
    data: Path, kind: str | None, evidence: str, seed: int, out: Path | None, as_json: bool
) -> None:
    """Predict the value of policies from what may be seen, then open the truth and compare.

    Writes validation.json, which a scenario names with validated = "FILE". A log with propensities
    is not judged by an audience: the values of simple policies are estimated.
    """
    from audience.lab.backtest import backtest_coat, backtest_upworthy, write_backtest
    from audience.terminal import Console

    found = kind or _told(data)
    if found == "log":
        _estimate(data, as_json=as_json)
        return
    from audience.cli.eval import folder_for

    folder = folder_for(out, "backtest", data, evidence, seed)
    with Console(stderr=True).status("Predicting, then opening the truth …"):
        if found == "coat":
            backtest = backtest_coat(data, evidence=evidence, seed=seed)
        else:
            backtest = backtest_upworthy(data, seed=seed)
    written = write_backtest(backtest, folder)
    if as_json:
        from audience.lab.backtest import plain_backtest

        o.print_json(plain_backtest(backtest) | {"written": [str(path) for path in written]})
        return
    _print(backtest)
    for path in written:
        click.echo(str(path))


def _told(data: Path) -> str:
    name = data.name.lower()
    if data.suffix == ".npz" or (data / "train.ascii").exists():
        return "coat"
    if "upworthy" in name:
        return "upworthy"
    if any(part in str(data).lower() for part in ("open_bandit", "obd", "kuai", "log", "random")):
        return "log"
    raise BadInput(f"--data {data}: which set is it? Say --set {', '.join(SETS)}")


def _estimate(data: Path, *, as_json: bool) -> None:
    from audience.lab.backtest import estimate_table, estimates_of, read_log
    from audience.results import finite, print_table

    log = read_log(data)
    estimates = estimates_of(log)
    if as_json:
        o.print_json({"log": log.what, "rows": len(log), "policies": finite(estimates)})
        return
    print_table(estimate_table(log, estimates), _WIDTH)


def _print(backtest: Backtest) -> None:
    from audience.lab.backtest import foot, tables
    from audience.results import to_rich, wide_console

    shown = tables(backtest)
    console = wide_console(_WIDTH, *shown)
    for table in shown:
        console.print(to_rich(table))
        console.print()
    first, *rest = foot(backtest)
    console.print(first, style="bold", markup=False, soft_wrap=True)
    for line in rest:
        console.print(line, style="dim", markup=False, soft_wrap=True)
