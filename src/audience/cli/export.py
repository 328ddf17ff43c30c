"""`audience export`: what happened, for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o

KINDS = ("csv", "jsonl", "messages", "parquet", "recbole")


@click.command("export")
@o.run_argument
@click.option("--to", "kind", type=click.Choice(KINDS), required=True, help="The format.")
@o.out_option
def command(run: Path, kind: str, out: Path | None) -> None:
    """Write interactions (csv, parquet, recbole), every event (jsonl) or RecAgent messages."""
    from audience.experiments import export

    with o.open_run(run) as log:
        for path in export(log, kind, out or run / "export"):
            click.echo(str(path))
