"""`audience data`: datasets at hand, and checks of your own files."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o
from audience.cli.people import command as people


@click.group("data")
def command() -> None:
    """List datasets, check your own files, let a model write people."""


command.add_command(people)


@command.command("list")
def list_() -> None:
    """List the datasets that need no download."""
    from rich.console import Console
    from rich.table import Table

    from audience.datasets import listing

    table = Table("name", "what", "counts", show_edge=False)
    for row in listing():
        table.add_row(row.name, row.what, row.counts)
    Console().print(table)


@command.command("check")
@click.argument("path", type=o.RUN)
@o.json_option
def check(path: Path, as_json: bool) -> None:
    """Check a folder with items.csv and, if there are, people.csv, ties.csv, interactions.csv."""
    import msgspec

    from audience.datasets import check as checked

    found = checked(path)
    if as_json:
        o.print_json(msgspec.to_builtins(found))
        return
    tree = msgspec.to_builtins(found)
    for warning in tree.pop("warnings", ()):
        click.echo(f"warning: {warning}")
    click.echo(", ".join(f"{key} {value}" for key, value in tree.items()))
    click.echo(f"Good. Use it with: audience run --data {path}")
