"""Gates on the command line: their flags, their rulings, and what a loss takes to be seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from audience.errors import BadInput

if TYPE_CHECKING:
    from audience.runs import PowerEstimate, Ruling

fail_if_option = click.option(
    "--fail-if",
    multiple=True,
    metavar='"METRIC < -2%"',
    help="Exit with 1 if the whole interval of the difference meets this.",
)


def share_of(ctx: click.Context, flag: click.Parameter, text: str | None) -> float | None:
    """Return a loss such as `5%` or `0.05` as a share."""
    del ctx, flag
    if text is None:
        return None
    match = re.fullmatch(r"-?(\d+(?:\.\d+)?)\s*(%?)", text.strip())
    share = float(match[1]) / (100.0 if match[2] else 1.0) if match else 0.0
    if not 0.0 < share < 1.0:
        raise BadInput(f"--estimate {text!r} is not a loss; give one such as 5%")
    return share


def print_rulings(rulings: Sequence[Ruling]) -> None:
    """Print what each condition says of each arm."""
    for ruling in rulings:
        click.echo(str(ruling))


def fail_if_any(rulings: Sequence[Ruling]) -> None:
    """Exit with 1 if a condition failed."""
    if any(ruling.failed for ruling in rulings):
        raise click.exceptions.Exit(1)


def print_power(estimates: Sequence[PowerEstimate]) -> None:
    """Print how many people and seeds see a loss, for each condition and arm."""
    from rich.table import Table

    from audience.terminal import Console

    for one in estimates:
        click.echo(
            f"To see a loss of {one.loss:.1%} by {one.condition!r} ({one.arm}) in 80 % of runs:"
        )
        table = Table("seeds", "people", "people x seeds", show_edge=False)
        for need in one.needs:
            enough = f"{need.people:,}", f"{need.people * need.seeds:,}"
            table.add_row(str(need.seeds), *(enough if need.people else ("no number", "")))
        Console().print(table)
        best = one.suggested
        click.echo(
            f"Suggested: --agents {best.people} --seeds {best.seeds}."
            if best
            else "Take more seeds, more rounds, a larger loss or a bound nearer to 0."
        )
