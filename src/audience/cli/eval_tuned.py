"""`audience eval tuned`: a model that was tuned to be a user, against what is asked of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import structs

from audience.cli import options as o
from audience.cli.eval import asked, evaluation_options_for, folder_for, show
from audience.cli.eval_models import show as show_probed
from audience.errors import unknown

if TYPE_CHECKING:
    from audience.lab.evaluation import Doors, Progress
    from audience.lab.probing import TunedResult

_WIDTH = 130
KINDS = ("tuned", "llm+score")
"""Minds that decide by choosing among the options of a page."""


@click.command("tuned")
@evaluation_options_for("tuned", "KIND", "tuned; llm+score for any other model.")
@click.option(
    "--everybody", is_flag=True, help="Ask also people whom audience-135m was trained on."
)
@click.option(
    "--window",
    type=int,
    default=200,
    show_default=True,
    metavar="N",
    help="Ranks of popularity that matched negatives come from.",
)
@click.option(
    "--lists",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    metavar="N",
    help="Lists that are asked about in five orders.",
)
@click.option(
    "--lines",
    type=click.IntRange(min=0),
    default=300,
    show_default=True,
    metavar="N",
    help="Lines that are spoken about drawn facts; 0: none.",
)
def tuned_command(
    data: Path,
    mind: str,
    min_per_item: int,
    everybody: bool,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Measure a tuned model: choices, what it adds to evidence, calibration, orders and speech.

    Only people that audience-135m was not trained on are asked; --everybody is for data that it
    never saw. Without --llm the embedded model is asked.
    """
    from audience.lab.probing import TunedOptions, tuned

    if mind not in KINDS:
        raise unknown("--mind", mind, KINDS)
    counts = {name: flags.pop(name) for name in ("agents", "seed", "window", "lists", "lines")}
    options = TunedOptions(data, mind, least=min_per_item, unseen=not everybody, **counts)

    async def work(doors: Doors, progress: Progress, folder: Path) -> TunedResult:
        return await tuned(options, doors, progress, folder)

    parts = (mind, min_per_item, everybody, *counts.values(), flags["llm"], flags["model"])
    folder = folder_for(out, "tuned", data, *parts)
    result, doors = asked(work, folder, flags, options.kinds)
    contest = structs.replace(result.contest, calls_now=doors.calls)
    _tell(structs.replace(result, contest=contest), folder, as_json=as_json)


def _tell(result: TunedResult, folder: Path, *, as_json: bool) -> None:
    """Write and print everything that was measured."""
    from audience.lab.evaluation import result_values, write_evaluation
    from audience.lab.probing import BY_CHANCE, keep_tuned, plain

    written = [*write_evaluation(result.contest, folder), *keep_tuned(result, folder)]
    if as_json:
        told = {"contest": result_values(result.contest), "measured": plain(result.probed)}
        o.print_json(told | {"written": [str(path) for path in written]})
        return
    show(result.contest)
    click.echo()
    # The bins of calibration are in the files and in the figure.
    rows = tuple(row for row in result.probed.rows if row.part != BY_CHANCE)
    show_probed(structs.replace(result.probed, rows=rows), _WIDTH)
    for path in written:
        click.echo(str(path))
