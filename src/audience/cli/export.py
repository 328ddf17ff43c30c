"""`audience export`: what happened, for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o
from audience.errors import BadInput

KINDS = ("csv", "parquet", "recbole", "jsonl", "dialogues", "messages", "metrics")


@click.command("export")
@o.run_argument
@click.option("--to", "kind", type=click.Choice(KINDS), required=True, help="The format.")
@click.option("--exposures", is_flag=True, help="Also what was shown and not taken.")
@o.out_option
def command(run: Path, kind: str, exposures: bool, out: Path | None) -> None:
    """Write interactions (csv, parquet, recbole), events, words, messages or numbers."""
    if exposures and kind not in ("csv", "parquet", "recbole"):
        raise BadInput(f"--exposures: --to {kind} holds no interactions; use csv, parquet, recbole")
    from audience.experiments import export

    with o.open_run(run) as log:
        for path in export(log, kind, out or run / "export", exposures=exposures):
            click.echo(str(path))
