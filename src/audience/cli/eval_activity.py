"""`audience eval activity`: how much people do, and which law that follows."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o

_WIDTH = 120


@click.command("activity")
@click.option(
    "--data",
    type=o.RUN,
    required=True,
    multiple=True,
    metavar="PATH",
    help="A dataset, or a folder of several; may be given more than once.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Names every draw.")
@o.out_option
@o.json_option
def command(data: tuple[Path, ...], seed: int, out: Path | None, as_json: bool) -> None:
    """Fit Pareto and lognormal laws to interactions per user, with KS distances and figure 5."""
    from msgspec.structs import replace
    from rich.console import Console

    from audience.cli.evaluating import folder_for
    from audience.experiments.evaluation.activity import fits_of, foot, plain, table
    from audience.experiments.evaluation.writing import write_activity
    from audience.results import print_table

    console = Console(stderr=True)
    with console.status("Fitting …"):
        fits, left = fits_of(data, seed)
        names = ",".join(map(str, data))
        written = write_activity(fits, left, seed, folder_for(out, "activity", names, seed))
    if as_json:
        o.print_json(plain(fits, left, seed) | {"written": [str(path) for path in written]})
        return
    note = "\n".join(foot(fits, left, seed))
    print_table(replace(table(fits), note=note), _WIDTH)
    for path in written:
        click.echo(str(path))
