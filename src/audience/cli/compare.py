"""`audience compare`: paired differences between runs; exit code 1 when a condition holds."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o


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
    from rich.console import Console

    from audience.cli.screen import summary_table
    from audience.experiments import compared, condition, first_difference, parting

    conditions = [condition(text) for text in fail_if]
    findings = compared(runs)
    failed = [one.text for one in conditions if one.holds(findings.differences)]
    parted = first_difference(runs) if len(runs) == 2 else None
    if as_json:
        o.print_json(parting(findings, failed, parted))
    else:
        shown = metrics or tuple(findings.arms[0].runs[0].totals)
        Console().print(summary_table(findings, shown))
        click.echo(f"\n{findings.verdict}")
        if len(runs) == 2:
            click.echo(f"First difference: {parted or 'none, the logs are equal'}")
        for text in failed:
            click.echo(f"FAILED: {text}")
    if failed:
        raise click.exceptions.Exit(1)
