"""`audience eval spread`: a real curve of people who hear of something, fitted and predicted."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o

_WIDTH = 120


@click.command("spread")
@click.option(
    "--data",
    type=o.RUN,
    required=True,
    metavar="PATH",
    help="A CSV of hour and cumulative active users, or the folder that holds it.",
)
@click.option(
    "--agents",
    "people",
    type=click.IntRange(50, 100_000),
    default=1000,
    show_default=True,
    help="People of the generated graphs.",
)
@click.option(
    "--graph",
    type=click.Choice(["preferential", "small-world", "random"]),
    default="preferential",
    show_default=True,
    help="How these graphs are made.",
)
@click.option(
    "--seeds",
    type=click.IntRange(2, 100),
    default=10,
    show_default=True,
    help="Graphs and dice that are predicted on.",
)
@o.out_option
@o.json_option
def command(
    data: Path, people: int, graph: str, seeds: int, out: Path | None, as_json: bool
) -> None:
    """Fit IC, LT and rule minds on the first 60 % of hours of a curve and predict the rest."""
    from rich.console import Console

    from audience.cli.evaluating import folder_for
    from audience.experiments.spread import telling
    from audience.experiments.spread.real import curve_in, models, scored, truth_of, unmoved
    from audience.results import to_rich, wide_console

    truth = truth_of(curve_in(data))
    testing = range(101, 101 + seeds)
    console = Console(stderr=True)
    with console.status("Fitting …") as status:
        rows = [unmoved(truth)]
        for model in models(people, graph):
            rows.append(scored(model, truth, testing=testing, told=status.update))
        folder = folder_for(out, "spread", data, people, graph, seeds)
        written = telling.write(truth, rows, people, graph, testing, folder)
    if as_json:
        found = telling.plain(truth, rows, people, graph, testing)
        o.print_json(found | {"written": [str(path) for path in written]})
        return
    shown = wide_console(_WIDTH)
    shown.print(to_rich(telling.table(rows, seeds)))
    shown.print(telling.verdict(rows), style="bold", markup=False, soft_wrap=True)
    for one in telling.foot(truth, people, graph, seeds):
        shown.print(one, style="dim", markup=False, soft_wrap=True)
    for path in written:
        click.echo(str(path))
