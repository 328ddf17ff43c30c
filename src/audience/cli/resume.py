"""`audience resume`: go on where a run was committed last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from audience.cli import options as o


@click.command("resume")
@o.run_argument
@click.option("--rounds", type=int, default=None, help="Go on to this round instead.")
@o.spending_options
@o.report_option
@o.json_option
def command(
    run: Path,
    rounds: int | None,
    report: bool,
    as_json: bool,
    **given: Any,  # noqa: ANN401
) -> None:
    """Take up a run or an experiment where it was committed last."""
    from audience.cli.conducting import conduct_on_screen
    from audience.errors import BadInput
    from audience.experiments import is_experiment, prolong, scenario_of

    if rounds is not None:
        if is_experiment(run):
            raise BadInput(
                f"--rounds: {run} is an experiment; prolong its runs one by one, "
                f"as in {run}/ARM/seed-1"
            )
        prolong(run, rounds)
    scenario = scenario_of(run)
    spending = o.spending_of(given)
    conduct_on_screen(scenario, run, as_json=as_json, report=report, spending=spending)
