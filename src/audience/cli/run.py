"""`audience run`: one run, or arms x seeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o

if TYPE_CHECKING:
    from audience.experiments import Scenario

DEFAULT_TITLE = "Two recommenders"


@click.command("run")
@click.argument("scenario", type=o.RUN, required=False)
@click.option(
    "--data", default=None, metavar="PATH", help="A dataset by name, a folder or an archive."
)
@click.option("--agents", type=int, default=None, help="How many people.")
@click.option("--rounds", type=int, default=None, help="How many rounds.")
@click.option("--seed", type=int, default=None, help="The first seed.")
@click.option("--seeds", type=int, default=None, help="How many seeds.")
@click.option("--mind", default=None, metavar="KIND", help="How people decide.")
@click.option("--memory", default=None, metavar="KIND", help="How people remember.")
@click.option("--order", default=None, metavar="ORDER", help="together or one-by-one.")
@click.option(
    "--recommender",
    multiple=True,
    metavar="KIND|FILE.py:CLASS|URL",
    help="What serves; give it twice or more to compare.",
)
@o.model_options
@o.spending_options
@click.option("--estimate", is_flag=True, help="Say what it would cost, and stop.")
@o.out_option
@click.option("--overwrite", is_flag=True, help="Replace the run that lies in --out.")
@o.report_option
@o.json_option
def command(
    scenario: Path | None,
    recommender: tuple[str, ...],
    out: Path | None,
    report: bool,
    as_json: bool,
    **given: Any,  # noqa: ANN401
) -> None:
    """Run a scenario, or the embedded one: two recommenders before a thousand people."""
    from rich.console import Console

    from audience.cli.conducting import conduct_on_screen
    from audience.cli.estimating import print_estimate
    from audience.experiments import drawn_instead, embedded_scenario, load, make_room, verify
    from audience.experiments import settle_people as settle

    overwrite, estimate = bool(given.pop("overwrite")), bool(given.pop("estimate"))
    spending = o.spending_of(given)
    wanted = load(scenario) if scenario else embedded_scenario()
    wanted = changed_by(wanted, recommender, given)
    with Console(stderr=True).status("Making items, people and ties …"):
        if estimate:
            wanted = drawn_instead(wanted)
        else:
            spending = settle(wanted, spending).left
        verify(wanted, str(scenario or ""))
    if estimate:
        print_estimate(wanted, as_json=as_json)
        return
    warn_of_late(wanted)
    folder = out or o.free_folder(scenario.stem if scenario else "two-recommenders")
    make_room(folder, overwrite=overwrite)
    conduct_on_screen(wanted, folder, as_json=as_json, report=report, spending=spending)


def warn_of_late(scenario: Scenario) -> None:
    """Say which interventions come after the last round and so never happen."""
    for number, one in enumerate(scenario.interventions, 1):
        if one["round"] > scenario.rounds:
            click.echo(
                f"intervention {number} ({one['do']}) is set for round {one['round']}, after the "
                f"last one ({scenario.rounds}): it will not happen; raise --rounds or move it",
                err=True,
            )


def changed_by(
    scenario: Scenario, recommenders: tuple[str, ...], given: dict[str, Any]
) -> Scenario:
    """Return the scenario with what the command line says laid over it."""
    from audience.datasets import options_for
    from audience.experiments import arms_of, changed
    from audience.experiments.scenario import label

    changes = {key: value for key, value in given.items() if value is not None}
    names = {"url": "llm", "model": "model", "key_env": "key_env"}
    models = {key: changes.pop(flag) for key, flag in names.items() if flag in changes}
    if models:
        changes["llm"] = models
        if models.get("url"):
            changes["llm"]["endpoints"] = ()
    if "data" in changes:
        changes["dataset"] = options_for(changes.pop("data"))
    if recommenders and scenario.title == DEFAULT_TITLE:
        changes["title"] = " against ".join(map(label, recommenders))
    if len(recommenders) == 1:
        changes |= {"recommender": recommenders[0], "arms": {}}
        changes.setdefault("seeds", 1)
    elif recommenders:
        changes["arms"] = arms_of(recommenders)
    return changed(scenario, **changes) if changes else scenario
