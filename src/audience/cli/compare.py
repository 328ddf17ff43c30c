"""`audience compare`: paired differences between runs; exit code 1 when a condition holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from audience.cli import options as o
from audience.errors import BadInput, unknown

if TYPE_CHECKING:
    from audience.experiments import Findings


@click.command("compare")
@click.argument("runs", type=o.RUN, nargs=-1, required=True)
@click.option(
    "--fail-if",
    multiple=True,
    metavar='"METRIC < -2%"',
    help="Exit with 1 when the difference is so.",
)
@click.option("--metric", "metrics", multiple=True, help="Only these metrics.")
@o.json_option
def command(
    runs: tuple[Path, ...], fail_if: tuple[str, ...], metrics: tuple[str, ...], as_json: bool
) -> None:
    """Compare runs with the first one, person by person; or the arms of an experiment."""
    from audience.cli.screen import print_findings, reading
    from audience.experiments import compared, condition, first_difference, plain_comparison

    conditions = [condition(text) for text in fail_if]
    with reading(runs) as seen:
        findings = compared(runs, seen)
    first = first_difference(runs) if len(runs) == 2 else None
    failed = [one.text for one in conditions if one.holds(findings.differences)]
    if as_json:
        o.print_json(plain_comparison(findings, failed, first))
    else:
        print_findings(findings, known_metrics(metrics, findings))
        if len(runs) == 2:
            click.echo(f"First difference: {first or 'none, the logs are equal'}")
        for text in failed:
            click.echo(f"FAILED: {text}")
    if failed:
        raise click.exceptions.Exit(1)


def known_metrics(wanted: tuple[str, ...], findings: Findings) -> tuple[str, ...]:
    """Return the metrics asked for, or all; refuse one that was not measured."""
    there = findings.arms[0].runs[0].totals
    for name in wanted:
        if name not in there:
            raise BadInput(f"--metric: {unknown('metric', name, there)}")
    return wanted or tuple(there)
