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
    from audience.experiments import gathered, write_report

    for path in write_report(gathered(run), out or run, formats):
        click.echo(str(path))
