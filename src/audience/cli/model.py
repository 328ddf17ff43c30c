"""`audience model`: language models on this machine."""

from __future__ import annotations

import click


@click.group("model")
def command() -> None:
    """List and get models that run on this machine."""


@command.command("list", short_help="List models that are here or can be had.")
def list_() -> None:
    """List the embedded model, those that can be had, and GGUF files of yours."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from audience.llm.models import list_models

    table = Table("name", "what", "size", show_edge=False)
    table.add_column("where", overflow="fold")
    for one in list_models():
        where = str(one.path) if one.path else one.remedy
        table.add_row(Text(one.name), one.about, f"{one.size / 1e6:,.0f} MB", Text(where))
    Console().print(table)


@command.command("get", short_help="Download a model, or check one that is here.")
@click.argument("name")
def get(name: str) -> None:
    """Download a model, going on where an earlier attempt broke off; or check one that is here."""
    from rich.console import Console
    from rich.progress import DownloadColumn, Progress, TransferSpeedColumn

    from audience.llm.models import get_model

    console = Console(stderr=True)
    with Progress(
        *Progress.get_default_columns(), DownloadColumn(), TransferSpeedColumn(), console=console
    ) as bar:
        task = bar.add_task(name, total=None)
        path = get_model(name, lambda done, total: bar.update(task, completed=done, total=total))
    click.echo(f"{path}\nUse it with: audience run --mind llm --model {path}")
