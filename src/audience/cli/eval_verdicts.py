"""`audience eval verdicts`: what one audience makes of several recommenders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from audience.experiments.scenario import Scenario
    from audience.experiments.verdict_arms import Skipped
    from audience.experiments.verdicts import Verdicts

_WIDTH = 110
USUAL = "random,popular,bpr,als,ease,lightgcn,multvae"


@click.command("verdicts")
@click.option("--data", required=True, metavar="PATH", help="A dataset by name or path.")
@click.option("--mind", default="rule", show_default=True, metavar="KIND", help="Who judges.")
@click.option("--recommender", default=USUAL, metavar="LIST", help=f"Default: {USUAL}.")
@click.option("--agents", default=200, show_default=True, help="How many people.")
@click.option("--rounds", default=3, show_default=True, help="How many visits each may make.")
@click.option("--seed", default=1, show_default=True, help="The first seed.")
@click.option("--seeds", default=5, show_default=True, help="How many seeds.")
@click.option(
    "--evidence",
    type=click.Choice(("apart", "same")),
    default=None,
    help="Whether minds know items from other people than recommenders learn from.",
)
@click.option(
    "--recbole-python",
    envvar="RECBOLE_PYTHON",
    default="",
    metavar="PYTHON",
    help="The Python that has RecBole.",
)
@o.model_options
@o.spending_options
@o.out_option
@o.json_option
def command(
    data: str,
    mind: str,
    recommender: str,
    out: Path | None,
    as_json: bool,
    **given: Any,  # noqa: ANN401
) -> None:
    """Let the same people judge recommenders: views, likes, exit page, satisfaction.

    Run again with the same --out to go on where it was stopped.
    """
    from rich.console import Console

    from audience.cli.conducting import conducted
    from audience.experiments.verdict_tables import as_plain, write
    from audience.experiments.verdicts import judged

    spending = o.spending_of(given)
    scenario, skipped = _experiment(data, mind, recommender, given)
    folder = out or o.free_folder("verdicts")
    errors = Console(stderr=True)
    outcome = conducted(scenario, folder, errors, spending, quiet=as_json)
    with errors.status("Reading the logs, and measuring offline …"):
        found = judged(scenario, outcome, skipped)
    write(found, folder)
    if as_json:
        o.print_json(as_plain(found) | {"folder": str(folder)})
        return
    console = Console(highlight=False)
    console.width = max(console.width, _WIDTH)
    _print(console, found)
    console.print(f"\nWritten: {folder}/verdicts.md, .csv, .json, .png and .svg", soft_wrap=True)


def _experiment(
    data: str, mind: str, recommender: str, given: dict[str, Any]
) -> tuple[Scenario, tuple[Skipped, ...]]:
    from audience.datasets import options_for
    from audience.experiments.verdict_arms import arms_for, can_be_apart, scenario_for

    kinds = [kind.strip() for kind in recommender.split(",") if kind.strip()]
    if not kinds:
        raise BadInput("--recommender: is empty; give kinds such as random,popular,ease")
    arms, skipped = arms_for(kinds, given.pop("recbole_python"))
    dataset, evidence = options_for(data), given.pop("evidence")
    possible = can_be_apart(dataset)
    if evidence == "apart" and not possible:
        raise BadInput(
            f"--evidence apart: {data} cannot be halved; take a dataset of interactions as it is "
            "published, or --evidence same, which flags what is shared"
        )
    names = {"url": "llm", "model": "model", "key_env": "key_env"}
    models = {key: given.pop(flag) for key, flag in names.items()}
    models = {key: value for key, value in models.items() if value is not None}
    apart = possible and evidence != "same"
    return scenario_for(dataset, mind, arms, apart=apart, llm=models, **given), skipped


def _print(console: Console, found: Verdicts) -> None:
    from audience.experiments.verdict_tables import remarks, tables
    from audience.results import to_rich

    for table in tables(found):
        console.print(to_rich(table))
        console.print()
    for line in remarks(found):
        console.print(line, style="dim", markup=False, soft_wrap=True)
