"""`audience digest`: the hash of a log."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o


@click.command("digest")
@o.run_argument
@o.at_option
def command(run: Path, at: int | None) -> None:
    """Print the hash of a run's log, to the end of a round if given."""
    with o.open_run(run) as log:
        upto = None if at is None else o.round_within(at, log.complete_rounds(), run)
        click.echo(log.digest(upto_round=upto))
