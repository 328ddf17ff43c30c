"""`audience eval calibration` and `eval spread`: minds and cascades fitted to real data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput

if TYPE_CHECKING:
    from audience.lab.spread import (
        CascadeFits,
        Curves,
        CurveSource,
        FittedSpread,
        MoodFit,
        Truth,
    )
    from audience.results import Calibration
    from audience.world import Floats

_WIDTH = 110


@click.command("calibration")
@click.option("--data", type=o.RUN, required=True, metavar="PATH", help="Files with interactions.")
@click.option("--mind", default="rule", show_default=True, help="The kind to calibrate.")
@click.option("--agents", default=200, show_default=True, help="Simulated people a try.")
@click.option("--page-size", default=10, show_default=True, help="Items a page.")
@click.option("--max-pages", default=60, show_default=True, help="Pages a visit at most.")
@click.option("--gap", default=60.0, show_default=True, help="Minutes that part two visits.")
@click.option("--tries", default=60, show_default=True, help="Sets of parameters to try.")
@click.option("--seed", default=1, show_default=True, help="Of halves and draws.")
@click.option("--out", type=o.RUN, default=None, metavar="FILE", help="Parameters, as TOML.")
@o.json_option
def calibration_command(data: Path, out: Path | None, as_json: bool, **flags: object) -> None:
    """Fit visits and ratings of minds to half of a dataset's people; check on the other half."""
    import msgspec

    from audience.results import calibration_figure, write_figure
    from audience.runs.calibration import CalibrationOptions as Wanted, calibrate, write_parameters

    if out is not None and out.suffix != ".toml":
        raise BadInput(f"--out {out}: parameters are TOML; give a name that ends with .toml")
    options = Wanted(**flags)  # type: ignore[arg-type]
    result = calibrate(data, options, lambda said: click.echo(said, err=True))
    written = []
    if out is not None:
        written = [write_parameters(result, out)]
        figure = calibration_figure(result)
        written += [write_figure(figure, out.with_suffix(kind)) for kind in (".svg", ".png")]
    if as_json:
        o.print_json({**msgspec.to_builtins(result), "files": [str(path) for path in written]})
        return
    _print(result)
    for path in written:
        click.echo(str(path))


def _print(calibration: Calibration) -> None:
    from audience.grounding import miscalibration
    from audience.results import POSITIVE, Column, Interval, ResultTable, to_rich, wide_console

    means = (
        Column(head, over="people", digits=2, half=True, bounds=POSITIVE)
        for head in ("real", "simulated")
    )
    distances = (Column(head, digits=4) for head in ("JSD", "before", "two halves of real"))
    rows = tuple(
        (
            one.name,
            Interval(*one.mean_real),
            Interval(*one.mean_simulated),
            *(one.distance, one.distance_before, one.floor),
        )
        for one in calibration.compared
    )
    table = ResultTable((Column("", is_text=True), *means, *distances), rows)
    console = wide_console(_WIDTH, table)
    console.print(to_rich(table))
    for name, bins in calibration.reliability.items():
        count = sum(one.count for one in bins)
        console.print(
            f"predicted {name}: {miscalibration(bins):.3f} from what happened on average, over "
            f"{count:,} interactions held out"
        )
    console.print(
        f"[dim]mind {calibration.mind} on {calibration.source}, seed {calibration.seed}: fitted on "
        f"{calibration.people[0]:,} people with {calibration.visits[0]:,} visits, checked on "
        f"{calibration.people[1]:,} others with {calibration.visits[1]:,}; ± is a 95 % interval "
        "over people. "
        "JSD: Jensen-Shannon divergence from real, in bits, for fitted parameters and before. "
        f"Minds take {100 * calibration.pick_rate:.1f} % of what they are shown; data of ratings "
        "does not say what people were shown.[/]",
        soft_wrap=True,
    )
    for note in calibration.notes:
        console.print(f"{note[0].upper()}{note[1:]}.", soft_wrap=True)
    if not calibration.has_pages:
        console.print("[dim]Every pick has its own moment: pages were not matched.[/]")


_SPREAD_WIDTH = 120


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
@click.option(
    "--mind",
    type=click.Choice(["rule", "llm"]),
    default="rule",
    show_default=True,
    help="llm: also let language minds spread it.",
)
@click.option(
    "--llm-agents",
    type=click.IntRange(10, 10_000),
    default=60,
    show_default=True,
    help="People with language minds.",
)
@click.option("--most", default=20, show_default=True, help="So many cascades of a folder.")
@click.option("--news", default="", metavar="TEXT", help="What spreads, in a sentence.")
@o.model_options
@o.spending_options
@o.pieces_option
@o.cluster_option
@o.out_option
@o.json_option
def spread_command(
    data: Path,
    people: int,
    graph: str,
    seeds: int,
    workers: int,
    cluster: str,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Fit IC, LT and rule minds on the first 60 % of hours of a curve and predict the rest.

    Beside them are a logistic and a Bass curve, and a control in which nobody more comes. PATH may
    be a folder of curves, or of cascades with their graph: then the share of cascades won is told.
    Columns `emotion` and `attitude` of the file, 0 to 1, are compared too. With --mind llm,
    language minds live the same hours; without --llm the embedded model is asked.
    """
    from audience.cli.eval import bar, folder_for
    from audience.cli.screen import stoppable
    from audience.lab.spread import AT_ONCE, CurveSource, fit_curves, is_one_curve, moods_in
    from audience.runs import pool_for_pieces

    parts = (flags["mind"], flags["llm_agents"], flags["llm"], flags["model"], flags["news"])
    asked = parts if flags["mind"] == "llm" else ()
    folder = folder_for(out, "spread", data, people, graph, seeds, *asked)
    where, testing = CurveSource(str(data.resolve()), people, graph), range(101, 101 + seeds)
    moods = moods_in(data) if is_one_curve(data) else None
    most = flags["most"] if moods is None else None
    with (
        stoppable() as stopping,
        pool_for_pieces(AT_ONCE, workers, cluster) as pool,
        bar() as told,
    ):
        fits = fit_curves(where, testing, most, pool=pool, told=told, stopping=stopping)
    if moods is None:
        _several(fits, where, testing, folder, as_json)
    else:
        _one_curve(fits[0], moods, where, testing, folder, as_json, flags)


def _one_curve(
    fit: CascadeFits,
    moods: dict[str, Floats],
    where: CurveSource,
    seeds: range,
    folder: Path,
    as_json: bool,
    flags: dict[str, Any],
) -> None:
    """Print how well each model predicts the rest of one curve, and language minds if asked."""
    from audience.lab.spread import RULE, mood_fits, plain, rule_courses, steady, write
    from audience.terminal import Console

    truth, rows = fit.truth, list(fit.rows)
    people, graph = where.people, where.graph
    fits = steady(truth, moods)
    with Console(stderr=True).status("Fitting …") as status:
        rules = next(row.parameters for row in rows if row.name == RULE)
        if moods:
            courses = rule_courses(people, graph, rules, len(truth.counts), seeds)
            fits += mood_fits(truth, moods, RULE, courses)
        if flags["mind"] == "llm":
            row, courses = _spoken(truth, rules, folder, graph, seeds, flags, status.update)
            rows.append(row)
            fits += mood_fits(truth, moods, row.name, courses)
    written = write(truth, rows, people, graph, seeds, folder, fits, moods)
    if as_json:
        result = plain(truth, rows, people, graph, seeds, fits)
        o.print_json(result | {"written": [str(path) for path in written]})
        return
    _print_spread(truth, rows, people, graph, len(seeds), fits)
    for path in written:
        click.echo(str(path))


def _several(
    fits: Sequence[CascadeFits], where: CurveSource, seeds: range, folder: Path, as_json: bool
) -> None:
    """Print how many cascades each model wins."""
    from audience.lab.spread import curves_at, plain_cascades, wins, write_cascades
    from audience.results import print_table

    notes = curves_at(where)[1]
    written = write_cascades(fits, notes, seeds, folder)
    if as_json:
        o.print_json(plain_cascades(fits, notes) | {"written": [str(path) for path in written]})
        return
    print_table(wins(fits), _SPREAD_WIDTH)
    for line in (*notes, *written):
        click.echo(str(line))


def _spoken(
    truth: Truth,
    rules: dict[str, float],
    folder: Path,
    graph: str,
    seeds: range,
    flags: dict[str, Any],
    progress: Callable[[str], None],
) -> tuple[FittedSpread, list[Curves]]:
    """Return the row of language minds, and their whole curves."""
    from msgspec.structs import replace

    from audience.lab.evaluation import Doors
    from audience.lab.spread import DISCOVERY, language_minds

    topic = replace(DISCOVERY, name="the news", text=flags["news"]) if flags["news"] else DISCOVERY
    doors = Doors(o.models_of(flags), o.spending_of(flags), folder)
    people = flags["llm_agents"]
    about = {"people": people, "graph": graph, "seeds": seeds, "progress": progress}
    return language_minds(truth, rules, doors, topic, **about)


def _print_spread(
    truth: Truth,
    rows: Sequence[FittedSpread],
    people: int,
    graph: str,
    seeds: int,
    fits: Sequence[MoodFit],
) -> None:
    from audience.lab.spread import foot, mood_table, table, verdict
    from audience.results import print_table, to_rich, wide_console

    shown = wide_console(_SPREAD_WIDTH)
    shown.print(to_rich(table(rows, seeds)))
    shown.print(verdict(rows), style="bold", markup=False, soft_wrap=True)
    for line in foot(truth, rows, people, graph, seeds):
        shown.print(line, style="dim", markup=False, soft_wrap=True)
    if fits:
        print_table(mood_table(fits), _SPREAD_WIDTH)
