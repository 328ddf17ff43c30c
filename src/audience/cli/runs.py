"""`audience runs`, `digest`, `export`, `report` and `compare`: work with finished runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audience.cli import options as o
from audience.cli.gate import (
    fail_if_any,
    fail_if_option,
    print_power,
    print_rulings,
    share_of,
)
from audience.errors import AudienceError, BadInput, unknown

if TYPE_CHECKING:
    from audience.results import Findings
    from audience.runs import Condition

DEFAULT = Path("runs")
TRASH = ".trash"
"""Where the page keeps runs that were deleted in it."""


@click.command("runs")
@click.argument("folder", type=o.RUN, default=DEFAULT)
@o.json_option
def runs_command(folder: Path, as_json: bool) -> None:
    """List the runs below a folder: state, people, rounds, size, cost."""
    from rich.markup import escape
    from rich.table import Table

    from audience.terminal import Console

    if not folder.is_dir() and folder != DEFAULT:
        raise BadInput(f"{folder} is not a folder; give one that holds runs")
    rows = []
    for place in sorted(path.parent for path in folder.glob("**/run.db")):
        if TRASH not in place.relative_to(folder).parts:
            rows.append(_told(place))
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
        if row.get("halted"):
            row["state"] = f"{row['state']}: {row['halted']}"
        table.add_row(*(escape(str(row.get(key, ""))) for key in ("run", "state", *numbers)))
    Console().print(table)


def _told(folder: Path) -> dict[str, object]:
    try:
        return _row(folder)
    except (AudienceError, OSError) as error:
        return {"run": str(folder), "state": f"unreadable: {error}"}


def _row(folder: Path) -> dict[str, object]:
    from audience.log import Log
    from audience.scenario import cost_of, parse

    with Log.open(folder) as log:
        scenario = parse(log.scenario, str(folder))
        size = sum(one.stat().st_size for one in folder.iterdir() if one.is_file())
        return {
            "run": str(folder),
            "state": o.state_of(log, folder),
            "halted": log.halted,
            "people": scenario.agents,
            "rounds": f"{log.complete_rounds()}/{scenario.rounds}",
            "seed": log.seed,
            "size": f"{size / 1e6:.1f} MB",
            "cost": cost_of(folder, scenario.llm),
        }


@click.command("digest")
@o.run_argument
@o.at_option
def digest_command(run: Path, at: int | None) -> None:
    """Print the hash of a run's log, to the end of a round if given."""
    with o.open_run(run) as log:
        upto = None if at is None else o.round_within(at, log.complete_rounds(), run)
        click.echo(log.digest(upto_round=upto))


KINDS = ("csv", "parquet", "recbole", "jsonl", "dialogues", "messages", "metrics")


@click.command("export")
@o.run_argument
@click.option("--to", "kind", type=click.Choice(KINDS), required=True, help="The format.")
@click.option("--exposures", is_flag=True, help="Also items that were shown and not picked.")
@o.out_option
def export_command(run: Path, kind: str, exposures: bool, out: Path | None) -> None:
    """Write interactions (csv, parquet, recbole), events, dialogues, messages or metrics."""
    if exposures and kind not in ("csv", "parquet", "recbole"):
        raise BadInput(f"--exposures: --to {kind} holds no interactions; use csv, parquet, recbole")
    from audience.runs import export

    with o.open_run(run) as log:
        for path in export(log, kind, out or run / "export", exposures=exposures):
            click.echo(str(path))


FORMATS = ("html", "md", "csv", "tex", "json")


@click.command("report")
@o.run_argument
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(FORMATS),
    default=("html",),
    help="May be repeated.",
)
@o.out_option
def report_command(run: Path, formats: tuple[str, ...], out: Path | None) -> None:
    """Write the report of a run or an experiment: page, tables, figures as SVG, PDF and PNG."""
    from audience.cli.screen import reading
    from audience.results import write_report
    from audience.runs import gathered
    from audience.terminal import Console

    with reading([run]) as seen:
        findings = gathered(run, seen)
    with Console(stderr=True).status("Writing the report and its figures …"):
        paths = write_report(findings, out or run, formats)
    for path in paths:
        click.echo(str(path))


@click.command("compare")
@click.argument("runs", type=o.RUN, nargs=-1, required=True)
@fail_if_option
@click.option(
    "--estimate",
    callback=share_of,
    metavar="LOSS",
    help="Print how many people and seeds see a loss such as 5%, with this as the pilot.",
)
@click.option("--metric", "metrics", multiple=True, help="Only these metrics.")
@o.json_option
def compare_command(
    runs: tuple[Path, ...],
    fail_if: tuple[str, ...],
    estimate: float | None,
    metrics: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare runs with the first one, person by person; or the arms of an experiment."""
    from audience.cli.screen import print_findings, reading
    from audience.runs import compared, condition, first_difference, plain_comparison, ruled

    conditions = [condition(text) for text in fail_if]
    with reading(runs) as seen:
        findings = compared(runs, seen)
    if estimate is not None:
        _estimate(findings, conditions, estimate, as_json=as_json)
        return
    first = first_difference(runs) if len(runs) == 2 else None
    rulings = ruled(conditions, findings)
    if as_json:
        o.print_json(plain_comparison(findings, rulings, first))
    else:
        print_findings(findings, known_metrics(metrics, findings))
        if len(runs) == 2:
            click.echo(f"First difference: {first or 'none, the logs are equal'}")
        print_rulings(rulings)
    fail_if_any(rulings)
    if findings.is_withheld:
        raise click.exceptions.Exit(1)


def _estimate(
    findings: Findings, conditions: Sequence[Condition], loss: float, *, as_json: bool
) -> None:
    from msgspec import to_builtins

    from audience.runs import power_estimates

    estimates = power_estimates(conditions, findings, loss)
    if as_json:
        o.print_json({"estimates": to_builtins(estimates)})
    else:
        print_power(estimates)


def known_metrics(names: tuple[str, ...], findings: Findings) -> tuple[str, ...]:
    """Return the named metrics, or all; raise for one that was not measured."""
    there = findings.arms[0].runs[0].totals
    for name in names:
        if name not in there:
            raise BadInput(f"--metric: {unknown('metric', name, there)}")
    return names or tuple(there)
