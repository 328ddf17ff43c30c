"""What `eval knowledge`, `consistency` and `prompts` share: their flags, and their table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from audience.cli import options as o

if TYPE_CHECKING:
    from audience.experiments.probing.result import Probed, Work

WIDTH = 100
EMBEDDED = 2
"""Questions at once to the embedded model: more would only wait for each other's tokens."""


def probe_options(agents: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the flags of a probe; `agents` is how many people are played unless told otherwise."""
    flags = (
        click.option(
            "--data", default="films", metavar="PATH", help="A dataset's path or name; films."
        ),
        click.option("--agents", default=agents, show_default=True, help="People to be played."),
        click.option("--seed", default=1, show_default=True, help="For all draws."),
        click.option("--prompts", default="", metavar="DIR", help="Prompt files of yours."),
        o.model_options,
        o.spending_options,
        o.out_option,
        o.json_option,
    )

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for flag in reversed(flags):
            command = flag(command)
        return command

    return add


def conduct(
    name: str, work: Work, dataset: str, people: int, seed: int, given: dict[str, Any]
) -> None:
    """Ask the model that the flags name, keep the table and print it."""
    from rich.console import Console
    from rich.progress import Progress

    from audience.experiments.models import Models
    from audience.experiments.probing.asking import AT_ONCE
    from audience.experiments.probing.result import keep, plain, probe

    url, model, key_env = (given[flag] or "" for flag in ("llm", "model", "key_env"))
    models = Models(url=url, model=model, key_env=key_env)
    out = given["out"] or Path("evaluations") / f"{name}-{_slug(url, model)}"
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=None)
        probed = probe(
            name,
            work,
            dataset=dataset,
            people=people,
            models=models,
            spending=o.spending_of(given),
            out=out,
            seed=seed,
            prompts=given["prompts"],
            at_once=AT_ONCE if url else EMBEDDED,
            told=lambda done, planned: bar.update(task, completed=done, total=planned),
        )
    written = keep(probed, out)
    if given["as_json"]:
        o.print_json(plain(probed) | {"written": [str(path) for path in written]})
        return
    show(probed)
    click.echo(f"Kept in {out}; asked again with the same flags, it costs nothing.")


def _slug(url: str, model: str) -> str:
    """Return a folder's name for a model: its own, else its address."""
    text = Path(model).name if model else url.partition("://")[2] or url or "embedded"
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def show(probed: Probed) -> None:
    """Print the table of one model and what it rests on; a part is named once."""
    from audience.experiments.probing.result import table
    from audience.results import print_table

    whole = table(probed)
    parts = [row[0] for row in whole.rows]
    rows = tuple(
        ("" if place and parts[place - 1] == part else part, *row[1:])
        for place, (part, row) in enumerate(zip(parts, whole.rows, strict=True))
    )
    print_table(msgspec.structs.replace(whole, rows=rows), WIDTH)
