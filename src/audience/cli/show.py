"""`audience show`: the story of a run, or one person in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput
from audience.log import Log

if TYPE_CHECKING:
    from audience.llm import CallStore


@click.command("show")
@o.run_argument
@click.option("--agent", default=None, metavar="ID", help="Only this person.")
@o.at_option
@click.option("--lines", type=int, default=40, help="At most so many lines of story; 0 for all.")
@click.option("--said", is_flag=True, help="Only what people felt, posted and said.")
@click.option("--memory", is_flag=True, help="What the person of --agent remembers and forgot.")
@click.option(
    "--chart", type=o.RUN, default=None, metavar="FILE", help="With --memory: draw its forgetting."
)
@click.option("--calls", is_flag=True, help="The prompts and replies behind each decision.")
@o.json_option
def command(
    run: Path,
    agent: str | None,
    at: int | None,
    lines: int,
    said: bool,
    memory: bool,
    chart: Path | None,
    calls: bool,
    as_json: bool,
) -> None:
    """Tell what happened, newest round last; with --agent, who somebody is and what it lived."""
    from audience.experiments import WORDS, person_at, story

    if (memory or chart) and (agent is None or not memory):
        raise BadInput("--memory and --chart are about one person: give --agent ID --memory")
    with o.open_run(run) as log, ExitStack() as after:
        at = o.round_within(at, log.complete_rounds(), run)
        who = o.person_of(log, agent) if agent is not None else None
        if memory and who is not None:
            from audience.cli.show_memory import show_memory

            show_memory(log, who, at, lines=lines, chart=chart, as_json=as_json)
            return
        if who is not None:
            person = person_at(log, who, at)
            if as_json:
                o.print_json(person)
                return
            _introduce(person)
        store = after.enter_context(closing(_calls(run))) if calls else None
        told = story(log, at, who, only=WORDS if said else (), calls=store)
        if as_json:
            o.print_json({"run": str(run), "story": list(told)})
            return
        if not at:
            click.echo(f"{run} has no complete round yet; go on with: audience resume {run}")
        _tell(told, lines, log)


def _calls(run: Path) -> CallStore:
    from audience.llm import CallStore
    from audience.llm.store import FILE

    if not (run / FILE).is_file():
        raise BadInput(f"--calls: {run} holds no calls; its minds asked no model")
    return CallStore(run / FILE, read_only=True)


def _introduce(person: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for key, value in person.items():
        if value not in ("", None, [], ()):
            table.add_row(f"[bold]{key}[/]", escape(_in_words(value)))
    console = Console(highlight=False)
    console.print(table)
    console.print()


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) for one in value)
    return str(value)


def _tell(told: Iterator[str], lines: int, log: Log) -> None:
    for count, line in enumerate(told):
        if lines and count == lines:
            click.echo(
                "… more with --lines 0, or --agent ID; in SQL: "
                f"sqlite3 {log.path} 'select * from records'"
            )
            return
        click.echo(line)
