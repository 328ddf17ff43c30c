"""`audience eval sensitivity`: the arms of a scenario before a grid of other audiences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput, Interrupted

if TYPE_CHECKING:
    from audience.results import Band

_WIDTH = 100


@click.command("sensitivity")
@click.argument("scenario", type=o.RUN, required=False)
@o.audience_options
@o.recommender_option("What serves; the first is the reference.")
@o.workers_option
@o.cluster_option
@o.out_option
@o.json_option
def sensitivity_command(
    scenario: Path | None,
    recommender: tuple[str, ...],
    workers: int,
    cluster: str,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Say before which people the arms of a scenario would be ranked in another way."""
    from audience.cli.run import changed_by
    from audience.cli.screen import stoppable
    from audience.runs import (
        band_of,
        embedded_scenario,
        obstacle_to_band,
        pool_for,
        variants,
        verify,
    )
    from audience.scenario import load
    from audience.terminal import Console

    recipe = load(scenario) if scenario else embedded_scenario()
    recipe = changed_by(recipe, recommender, flags)
    if why := obstacle_to_band(recipe):
        raise BadInput(f"eval sensitivity: other audiences cannot be tried: {why}")
    errors = Console(stderr=True)
    with errors.status("Trying other audiences …"), stoppable() as stopping:
        verify(recipe, str(scenario or ""))
        arms = list(variants(recipe).values())
        with pool_for(arms, workers, cluster=cluster, least=0) as pool:
            band = band_of(recipe, whole=True, stopping=stopping, pool=pool)
    if band is None:
        raise Interrupted("Stopped; nothing was written")
    folder = out or o.free_folder(f"eval-sensitivity-{scenario.stem if scenario else 'default'}")
    written = _write(band, folder)
    if as_json:
        from msgspec import to_builtins

        o.print_json({"band": to_builtins(band), "written": [str(path) for path in written]})
        return
    _print(band)
    for path in written:
        click.echo(str(path))


def _print(band: Band) -> None:
    from audience.results import band_caption, band_table, to_rich, wide_console

    table = band_table(band)
    console = wide_console(_WIDTH, table)
    console.print(to_rich(table))
    console.print()
    console.print(summary_of(band), style="bold", markup=False, soft_wrap=True)
    console.print(band_caption(band), style="dim", markup=False, soft_wrap=True)


def summary_of(band: Band) -> str:
    """Return which arm is ahead in how many settings, and what that depends on."""
    from audience.results import ahead_in

    return " ".join(ahead_in(band))


def _write(band: Band, folder: Path) -> list[Path]:
    import msgspec

    from audience.results import (
        band_caption,
        band_csv,
        band_figure,
        band_table,
        to_markdown,
        write_result,
    )

    parts = ["# Sensitivity", summary_of(band), to_markdown(band_table(band), bare=True).rstrip()]
    texts = {
        "sensitivity.md": "\n\n".join((*parts, band_caption(band))) + "\n",
        "sensitivity.csv": band_csv(band),
        "sensitivity.json": msgspec.json.format(msgspec.json.encode(band)).decode(),
    }
    return write_result(folder, texts, band_figure(band), "sensitivity")
