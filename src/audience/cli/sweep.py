"""`audience sweep`: a grid or a random search over the keys of a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import AudienceError, Interrupted

if TYPE_CHECKING:
    from audience.runs import Pool, Sweep, SweepOutcome
    from audience.scenario import SpendingOptions

_WIDTH = 100


@click.command("sweep")
@click.argument("scenario", type=o.RUN, required=False)
@click.option(
    "--vary",
    multiple=True,
    required=True,
    metavar="KEY=VALUES",
    help="A key and its values, as in mind.position=0.2,0.5; a range with --random: 0.1..0.9.",
)
@click.option("--random", type=int, default=0, metavar="K", help="Draw K points; default: a grid.")
@click.option("--metric", multiple=True, metavar="NAME", help="What to compare; repeat for more.")
@o.audience_options
@o.model_options
@o.spending_options
@o.workers_option
@o.cluster_option
@o.out_option
@o.json_option
def sweep_command(
    scenario: Path | None,
    vary: tuple[str, ...],
    random: int,
    metric: tuple[str, ...],
    workers: int,
    cluster: str,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Run a scenario at every combination of values, or at random ones, and compare them."""
    from audience.cli.run import changed_by
    from audience.runs import (
        audience_of,
        embedded_scenario,
        names_mind,
        pool_for,
        settle_people,
        sweep_of,
        varied,
        write_sweep,
    )
    from audience.scenario import load
    from audience.terminal import Console

    given = [varied(text) for text in vary]
    spending = o.spending_of(flags)
    recipe = load(scenario) if scenario else embedded_scenario()
    is_named = bool(flags["mind"] or (scenario and names_mind(scenario)))
    is_named = is_named or any(each.key == "mind" for each in given)
    recipe = changed_by(recipe, (), flags)
    errors = Console(stderr=True)
    with errors.status("Making items, people and ties …"):
        people = audience_of(recipe, is_named=is_named)
        plan = sweep_of(people.scenario, given, random=random, metrics=metric)
        spending = settle_people(people.scenario, spending).left
    for note in people.notes:
        click.echo(note, err=True)
    folder = out or o.free_folder(f"sweep-{scenario.stem if scenario else 'default'}")
    with pool_for(plan.scenarios, workers, cluster=cluster) as pool:
        outcome = _conducted(plan, folder, pool, spending, workers, quiet=as_json)
    written = write_sweep(outcome, folder)
    if as_json:
        o.print_json(_plain(outcome, written))
    else:
        _print(outcome)
        click.echo(f"\nWritten: {', '.join(str(path) for path in written)}")
    if outcome.withheld:
        raise click.exceptions.Exit(1)


def _conducted(
    plan: Sweep,
    folder: Path,
    pool: Pool,
    spending: SpendingOptions,
    workers: int,
    *,
    quiet: bool,
) -> SweepOutcome:
    from audience.cli.screen import PoolBar, stoppable
    from audience.engine import RecommenderFault, cores
    from audience.runs import TaskFault, conduct_sweep, line_of
    from audience.terminal import Console

    errors, again = Console(stderr=True), "Give the same command with --out to continue"
    go_on = f"{again}: --out {folder}"
    if not quiet:
        words = f"{len(plan.points):,} points, {plan.scenario.seeds} seeds, {plan.runs:,} runs"
        errors.print(f"{plan.scenario.title}: {words} → {folder}", highlight=False, markup=False)
    try:
        with (
            stoppable() as stopping,
            PoolBar(errors, plan.runs, plan.runs * plan.scenario.rounds) as bar,
        ):
            return conduct_sweep(
                *(plan, folder, pool),
                counted=bar.watch,
                stopping=stopping,
                spending=spending,
                workers=workers or cores(),
            )
    except (Interrupted, KeyboardInterrupt) as stopped:
        why = stopped.__cause__ or "Stopped; what was lived is kept"
        raise Interrupted(f"{why}. {go_on}") from None
    except (RecommenderFault, TaskFault) as fault:
        raise AudienceError(f"{fault}{line_of(fault)}\nWhat was lived is kept. {go_on}") from fault


def _print(outcome: SweepOutcome) -> None:
    from audience.results import effects_table, sweep_table, to_rich, wide_console

    tables = [sweep_table(outcome.findings), effects_table(outcome.findings)]
    console = wide_console(_WIDTH, *tables)
    for table in tables:
        console.print(to_rich(table))
        console.print()
    console.print(outcome.verdict, style="bold", markup=False, soft_wrap=True)


def _plain(outcome: SweepOutcome, written: list[Path]) -> dict[str, object]:
    import json

    from audience.results import effects_table, sweep_table, to_json

    findings = outcome.findings
    points = [
        {
            "values": point.values,
            "runs": [run.folder for run in point.arm.runs],
            "digests": [run.digest for run in point.arm.runs],
        }
        for point in findings.points
    ]
    return {
        "sweep": outcome.folder,
        "verdict": outcome.verdict,
        "points": points,
        "table": json.loads(to_json(sweep_table(findings))),
        "effects": json.loads(to_json(effects_table(findings))),
        "written": [str(path) for path in written],
    }
