"""`audience branch` and `audience replay`: go on in another way, and check a run."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput, shell_command
from audience.files import free_path
from audience.log import Log

if TYPE_CHECKING:
    from audience.metrics import Metrics


@click.command("branch")
@o.run_argument
@o.at_option
@click.option(
    "--intervene", type=o.RUN, default=None, metavar="FILE", help="TOML with [[interventions]]."
)
@o.out_option
@click.option("--stay", is_flag=True, help="Make the branch but do not run it.")
@o.spending_options
@o.report_option
@o.json_option
def branch_command(
    run: Path,
    at: int | None,
    intervene: Path | None,
    out: Path | None,
    stay: bool,
    report: bool,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Copy a run up to a round and continue from there, with other interventions."""
    from audience.cli.progress import conduct_on_screen
    from audience.runs import branch, load_interventions, scenario_of

    with o.open_run(run):
        pass
    target = out or free_path(run.parent / f"{run.name}-branch")
    branch(run, target, at, load_interventions(intervene) if intervene else ())
    if stay:
        if as_json:
            o.print_json({"run": str(target), "parent": str(run), "at": at})
        else:
            click.echo(f"Branch: {target}\nContinue with: {shell_command('resume', target)}")
        return
    conduct_on_screen(
        scenario_of(target),
        target,
        as_json=as_json,
        report=report,
        spending=o.spending_of(flags),
    )
    if not as_json:
        click.echo(f"Compare: {shell_command('compare', run, target)}")


_SHOWN = ("round", "visits", "picks", "click_rate", "satisfaction", "posts", "chats")


@click.command("replay")
@o.run_argument
@o.at_option
@click.option(
    "--check", is_flag=True, help="Run it again from its scenario and compare the digests."
)
@o.json_option
def replay_command(run: Path, at: int | None, check: bool, as_json: bool) -> None:
    """Fold a log from its beginning and show each round's metrics."""
    from audience.cli.screen import reading
    from audience.runs import measured_upto

    with o.open_run(run) as log:
        at = o.round_within(at, log.complete_rounds(), run)
        if check and not at:
            raise BadInput(f"--check: {run} has no complete round; resume it first")
        with reading([run]) as seen:
            metrics = measured_upto(log, at, seen)
        digest = log.digest(upto_round=at)
        again = _again(log, at) if check else ""
    if as_json:
        o.print_json(
            {
                "run": str(run),
                "rounds": at,
                "digest": digest,
                "reproduced": again == digest if check else None,
            }
        )
    else:
        _print_rounds(metrics)
        click.echo(f"digest {digest}")
        if check:
            click.echo(
                "Reproduced: the same bytes."
                if again == digest
                else f"Reproduced: DIFFERENT ({again})"
            )
    if check and again != digest:
        raise click.exceptions.Exit(1)


def _print_rounds(metrics: Metrics) -> None:
    from rich.table import Table

    from audience.results import readable
    from audience.terminal import Console

    table = Table(show_edge=False)
    for name in _SHOWN:
        table.add_column(name.replace("_", " "), justify="right")
    for numbers in metrics.by_round():
        table.add_row(*(readable(numbers[name]) for name in _SHOWN))
    Console().print(table)


def _again(log: Log, at: int) -> str:
    from audience.cli.screen import Bar
    from audience.llm import FILE as CALLS
    from audience.runs import start
    from audience.scenario import FILE as MOVES, SpendingOptions as Spending, changed, parse
    from audience.terminal import Console

    scenario, seed = changed(parse(log.scenario), rounds=at), log.seed
    asked = any((log.folder / name).is_file() for name in (CALLS, MOVES))
    spending = Spending("stored", source=log.folder) if asked else None
    with (
        tempfile.TemporaryDirectory(prefix="audience-") as place,
        Bar(Console(stderr=True), 1, at) as bar,
    ):
        again = start(scenario, seed, Path(place) / "again", progress=bar, spending=spending)
        return again.measured.digest
