"""`audience report`: a report from logs alone."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o

FORMATS = ("html", "md", "csv", "tex", "json")


@click.command("report")
@o.run_argument
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(FORMATS),
    default=("html",),
    help="May be repeated.",
)
@o.out_option
def command(run: Path, formats: tuple[str, ...], out: Path | None) -> None:
    """Write the report of a run or an experiment: page, tables, figures as SVG, PDF and PNG."""
    from rich.console import Console

    from audience.cli.screen import reading
    from audience.experiments import gathered, write_report

    with reading([run]) as seen:
        findings = gathered(run, seen)
    with Console(stderr=True).status("Writing the report and its figures …"):
        paths = write_report(findings, out or run, formats)
    for path in paths:
        click.echo(str(path))
