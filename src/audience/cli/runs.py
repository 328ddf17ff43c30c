"""`audience runs`: what there is."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o
from audience.errors import AudienceError, BadInput

DEFAULT = Path("runs")


@click.command("runs")
@click.argument("folder", type=o.RUN, default=DEFAULT)
@o.json_option
def command(folder: Path, as_json: bool) -> None:
    """List the runs below a folder: state, people, rounds, size, cost."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    if not folder.is_dir() and folder != DEFAULT:
        raise BadInput(f"{folder} is not a folder; give one that holds runs")
    rows = []
    for place in sorted(folder.glob("**/run.db")):
        try:
            rows.append(_row(place.parent))
        except AudienceError as error:
            rows.append({"run": str(place.parent), "state": f"unreadable: {error}"})
    if as_json:
        o.print_json({"runs": rows})
        return
    if not rows:
        click.echo(f"No runs below {folder}. Start one with: audience run")
        return
    table = Table(show_edge=False)
    for name in ("run", "state"):
        table.add_column(name, overflow="fold")
    numbers = ("people", "rounds", "seed", "size", "cost")
    for name in numbers:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(escape(str(row.get(key, ""))) for key in ("run", "state", *numbers)))
    Console().print(table)


def _row(folder: Path) -> dict[str, object]:
    from audience.experiments import parse
    from audience.experiments.models import cost_of
    from audience.log import Log

    with Log.open(folder) as log:
        scenario = parse(log.scenario, str(folder))
        size = sum(one.stat().st_size for one in folder.iterdir() if one.is_file())
        return {
            "run": str(folder),
            "state": o.state_of(log, folder),
            "people": scenario.agents,
            "rounds": f"{log.complete_rounds()}/{scenario.rounds}",
            "seed": log.seed,
            "size": f"{size / 1e6:.1f} MB",
            "cost": cost_of(folder, scenario.llm),
        }
