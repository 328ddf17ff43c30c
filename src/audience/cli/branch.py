"""`audience branch`: what if, from here on?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from audience.cli import options as o


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
def command(
    run: Path,
    at: int | None,
    intervene: Path | None,
    out: Path | None,
    stay: bool,
    report: bool,
    as_json: bool,
    **given: Any,  # noqa: ANN401
) -> None:
    """Copy a run up to a round and go on from there, with other interventions."""
    from audience.cli.conducting import conduct_on_screen
    from audience.experiments import branch, load_interventions, scenario_of

    with o.open_run(run):
        pass
    target = out or _free_beside(run)
    branch(run, target, at, load_interventions(intervene) if intervene else ())
    if stay:
        if as_json:
            o.print_json({"run": str(target), "parent": str(run), "at": at})
        else:
            click.echo(f"Branch: {target}\nGo on with: audience resume {target}")
        return
    conduct_on_screen(
        scenario_of(target),
        target,
        as_json=as_json,
        report=report,
        spending=o.spending_of(given),
    )
    if not as_json:
        click.echo(f"Compare: audience compare {run} {target}")


def _free_beside(run: Path) -> Path:
    count = 1
    while (place := run.parent / f"{run.name}-branch-{count}").exists():
        count += 1
    return place
