"""`audience data`: datasets at hand and to be had, and checks of your own files."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o
from audience.cli.people import command as people


@click.group("data")
def command() -> None:
    """List, get and check datasets, import RecAgent's settings, let a model write people."""


command.add_command(people)


@command.command("list")
def list_() -> None:
    """List the datasets that are here and those that can be had."""
    from rich.console import Console
    from rich.table import Table

    from audience.datasets import listing

    table = Table("name", "what", "counts", show_edge=False)
    for row in listing():
        table.add_row(row.name, row.what, row.counts)
    Console().print(table)


@command.command("get", short_help="Download a published dataset.")
@click.argument("name")
def get(name: str) -> None:
    """Download a published dataset, going on where an earlier attempt broke off."""
    from rich.console import Console
    from rich.progress import DownloadColumn, Progress, TransferSpeedColumn

    from audience.datasets import fetch
    from audience.datasets.public import published

    wanted = published(name)
    click.echo(f"{wanted.what}\nIts terms of use: {wanted.page}", err=True)
    columns = (*Progress.get_default_columns(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=None)
        folder = fetch(
            name, lambda done, total: bar.update(task, completed=done, total=total or None)
        )
    unchecked = [file.name for file in wanted.files if not file.md5]
    if unchecked:
        click.echo(f"unchecked: no checksum is published for {', '.join(unchecked)}", err=True)
    click.echo(f"{folder}\nUse it with: audience run --data {name}")


@command.command("check", short_help="Check your own tables, or any known dataset.")
@click.argument("path", type=o.RUN)
@o.json_option
def check(path: Path, as_json: bool) -> None:
    """Check your own tables, or any dataset that is recognised by its files."""
    import msgspec

    from audience.datasets import check as checked

    found = checked(path)
    tree = msgspec.to_builtins(found)
    if as_json:
        o.print_json(tree)
        return
    for warning in tree.pop("warnings"):
        click.echo(f"warning: {warning}")
    for one in tree.pop("skipped"):
        click.echo(f"left out: {one['count']} ({one['reason']}; first: {one['first']})")
    click.echo(tree.pop("what"))
    click.echo(", ".join(f"{key} {value}" for key, value in tree.items()))
    click.echo(f"Good. Use it with: audience run --data {path}")


@command.command("import", short_help="Write the scenario of RecAgent's config.yaml.")
@click.argument("config", type=o.RUN)
@click.option("--out", type=o.RUN, default=Path("scenario.toml"), metavar="FILE")
def import_(config: Path, out: Path) -> None:
    """Write the scenario of RecAgent's config.yaml, and say what has no equivalent."""
    from audience.errors import BadInput
    from audience.experiments.importing import imported
    from audience.experiments.toml import dump

    if out.exists():
        raise BadInput(f"{out} exists already; choose another file with --out")
    found = imported(config, out)
    out.write_text(dump(found.tree), "utf-8")
    for line in found.without:
        click.echo(f"no equivalent: {line}")
    click.echo(f"{out}\nUse it with: audience run {out}")
