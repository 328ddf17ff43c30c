"""`audience init`: write files to start from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from audience.cli import options as o
from audience.errors import BadInput


@click.command("init")
@click.argument("folder", type=o.RUN, default=Path("my-audience"))
def init_command(folder: Path) -> None:
    """Write a scenario, a recommender in 20 lines, and a small catalogue to start from."""
    source = files("audience.cli") / "starter"
    starters = {
        folder / one.name: one.read_text("utf-8") for one in source.iterdir() if one.is_file()
    }
    taken = [str(path) for path in starters if path.exists()]
    if taken:
        raise BadInput(f"{', '.join(sorted(taken))} already exists; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in sorted(starters.items()):
        path.write_text(text, "utf-8")
        click.echo(f"wrote {path}")
    click.echo(f"\nNow: cd {folder} && audience run scenario.toml")
