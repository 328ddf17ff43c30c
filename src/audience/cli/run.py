"""`audience run`, its `--estimate`, and `audience resume`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from rich.table import Table

from audience.cli import options as o
from audience.cli.gate import fail_if_option
from audience.errors import BadInput
from audience.llm import load_prices
from audience.runs import (
    GROWING,
    WAYS,
    Condition,
    CostEstimate,
    estimate,
    how_to_choose,
    lacks_model,
    warning_of,
    way_of,
    with_way,
)
from audience.scenario import Scenario, changed
from audience.terminal import Console

if TYPE_CHECKING:
    from audience.scenario import SpendingOptions

WIDTH = 92


def print_estimate(scenario: Scenario, *, as_json: bool) -> None:
    """Print calls, tokens and costs before anything is spent, for every way of prompting."""
    chosen = way_of(scenario)
    with Console(stderr=True).status("Simulating a few rounds with made-up answers …"):
        estimates = {way: estimate(one) for way, one in _prompted(scenario).items()}
        memory = {way: estimate(with_way(scenario, way)) for way in WAYS} if chosen else {}
    if as_json:
        tree = {way or "estimate": msgspec.to_builtins(one) for way, one in estimates.items()}
        if memory:
            tree["memory"] = {"chosen": chosen, "ways": msgspec.to_builtins(memory)}
        o.print_json(tree)
        return
    _print_minds(scenario, estimates)
    if memory:
        _print_memory(memory, chosen)
    click.echo("\nAn estimate from made-up answers, four characters to a token; nothing was asked.")
    prices = load_prices(Path(scenario.llm.prices) if scenario.llm.prices else None)
    click.echo(f"Prices: {prices.source} of {prices.date}.")


def _prompted(scenario: Scenario) -> dict[str, Scenario]:
    """Return the scenario for both ways of prompting, if there are two."""
    if scenario.mind.kind != "llm":
        return {"": scenario}
    ways = {}
    for way in ("fused", "faithful"):
        mind = {"kind": "llm", "options": {**scenario.mind.options, "prompting": way}}
        ways[way] = changed(scenario, mind=mind)
    return ways


def _print_minds(scenario: Scenario, estimates: Mapping[str, CostEstimate]) -> None:
    table = Table(
        "", "calls", "per visit", "prompt tokens", "completion tokens", "cost", show_edge=False
    )
    for way, one in estimates.items():
        table.add_row(
            way or scenario.mind.kind,
            f"{one.calls:,.0f}",
            f"{one.calls_per_visit:.2f}",
            f"{one.prompt:,.0f}",
            f"{one.completion:,.0f}",
            _cost(one),
        )
    Console().print(table)


def _print_memory(estimates: Mapping[str, CostEstimate], chosen: str) -> None:
    """Print the ways of consolidating side by side: memory's own share, and the whole run."""
    table = Table(show_edge=False)
    for head in ("memory", "its calls", "per visit", "its tokens", "calls", "tokens", "cost"):
        table.add_column(head, no_wrap=head == "memory")
    for way, one in estimates.items():
        table.add_row(
            f"{way} (chosen)" if way == chosen else way,
            f"{one.memory_calls:,.0f}",
            f"{one.memory_calls_per_visit:.2f}",
            f"{one.memory_prompt + one.memory_completion:,.0f}",
            f"{one.calls:,.0f}",
            f"{one.prompt + one.completion:,.0f}",
            _cost(one),
        )
    click.echo()
    console = Console()
    console.width = max(console.width, WIDTH)
    console.print(table)
    people, rounds = GROWING
    click.echo(
        "\nThe last three columns are of minds and memory together. Memories are lived for "
        f"{rounds} rounds\nby {people} people; later rounds count as the second half of these. "
        "Reflections fall due later\nthan that: `fused` puts them into the same call, `faithful` "
        "takes calls of its own for them\nand will cost somewhat more than this."
    )


def _cost(one: CostEstimate) -> str:
    return "unknown: no price for this model" if one.dollars is None else f"${one.dollars:,.2f}"


DEFAULT_TITLE = "Two recommenders"


@click.command("run")
@click.argument("scenario", type=o.RUN, required=False)
@o.audience_options
@click.option("--memory", default=None, metavar="KIND", help="How people remember.")
@click.option("--order", default=None, metavar="ORDER", help="together or one-by-one.")
@o.recommender_option("What serves; give several to compare.")
@o.model_options
@o.spending_options
@click.option("--estimate", is_flag=True, help="Print what it would cost, and stop.")
@fail_if_option
@o.sensitivity_option
@o.workers_option
@o.cluster_option
@o.out_option
@click.option("--overwrite", is_flag=True, help="Replace the run in --out.")
@o.report_option
@o.json_option
def run_command(
    scenario: Path | None,
    recommender: tuple[str, ...],
    fail_if: tuple[str, ...],
    sensitivity: bool,
    workers: int,
    cluster: str,
    out: Path | None,
    report: bool,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Run a scenario file or a preset; by default, two recommenders with a thousand people."""
    from audience.cli.progress import conduct_on_screen
    from audience.runs import (
        audience_of,
        condition,
        drawn_instead,
        embedded_scenario,
        make_room,
        names_mind,
        settle_people as settle,
        verify,
    )
    from audience.scenario import load

    overwrite, estimate = bool(flags.pop("overwrite")), bool(flags.pop("estimate"))
    spending, conditions = o.spending_of(flags), [condition(text) for text in fail_if]
    recipe = load(scenario) if scenario else embedded_scenario()
    is_named = bool(flags["mind"] or (scenario and names_mind(scenario)))
    recipe = changed_by(recipe, recommender, flags)
    _check_gate(conditions, recipe)
    with Console(stderr=True).status("Making items, people and ties …"):
        people = audience_of(recipe, is_named=is_named)
        recipe = people.scenario
        if estimate:
            recipe = drawn_instead(recipe)
        else:
            spending = settle(recipe, spending).left
        verify(recipe, str(scenario or ""))
    if estimate:
        print_estimate(recipe, as_json=as_json)
        return
    _warn(recipe, people.notes, spending, str(scenario or "SCENARIO"))
    folder = out or o.free_folder(scenario.stem if scenario else "two-recommenders")
    conduct_on_screen(
        recipe,
        folder,
        as_json=as_json,
        report=report,
        spending=spending,
        conditions=conditions,
        sensitivity=sensitivity,
        fitting=people.fitting,
        workers=workers,
        cluster=cluster,
        make_room=lambda: make_room(folder, overwrite=overwrite),
    )


def _warn(scenario: Scenario, notes: Sequence[str], spending: SpendingOptions, name: str) -> None:
    """Print what to know before a run begins; raise if people lack a model."""
    for note in notes:
        click.echo(note, err=True)
    if spending.calls != "stored":
        _check_model(scenario, name)
    warn_of_late(scenario)


def _check_gate(conditions: Sequence[Condition], recipe: Scenario) -> None:
    if conditions and len(recipe.arms) < 2:
        raise BadInput("--fail-if: there is one arm and nothing to compare; give two or more")


def _check_model(scenario: Scenario, name: str) -> None:
    """Raise if people lack a model to decide by; warn if it decides at chance."""
    with Console(stderr=True).status("Estimating …"):
        if lacks_model(scenario):
            raise BadInput(how_to_choose(scenario, name))
        warning = warning_of(scenario)
    if warning:
        click.echo(warning, err=True)


def warn_of_late(scenario: Scenario) -> None:
    """Warn of interventions after the last round, which never happen."""
    for number, intervention in enumerate(scenario.interventions, 1):
        if intervention["round"] > scenario.rounds:
            click.echo(
                f"intervention {number} ({intervention['do']}) is set for round "
                f"{intervention['round']}, after the last one ({scenario.rounds}): it will not "
                "happen; raise --rounds or move it",
                err=True,
            )


def changed_by(
    scenario: Scenario, recommenders: tuple[str, ...], flags: dict[str, Any]
) -> Scenario:
    """Return the scenario with the changes of the command line."""
    from audience.scenario import arms_of, changed, label

    changes = o.scenario_changes(flags)
    if recommenders and scenario.title == DEFAULT_TITLE:
        changes["title"] = " against ".join(map(label, recommenders))
    if len(recommenders) == 1:
        changes |= {"recommender": recommenders[0], "arms": {}}
        changes.setdefault("seeds", 1)
    elif recommenders:
        changes["arms"] = arms_of(recommenders)
    return changed(scenario, **changes) if changes else scenario


@click.command("resume")
@o.run_argument
@click.option("--rounds", type=int, default=None, help="Continue to this round instead.")
@o.spending_options
@o.sensitivity_option
@o.workers_option
@o.cluster_option
@o.report_option
@o.json_option
def resume_command(
    run: Path,
    rounds: int | None,
    sensitivity: bool,
    workers: int,
    cluster: str,
    report: bool,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Resume a run or an experiment from its last commit."""
    from audience.cli.progress import conduct_on_screen
    from audience.runs import SWEEP, is_experiment, prolong, scenario_of

    if (run / SWEEP).is_file():
        raise BadInput(f"{run} is a sweep; continue it with its own command and --out {run}")
    if rounds is not None:
        if is_experiment(run):
            raise BadInput(
                f"--rounds: {run} is an experiment; prolong its runs one by one, "
                f"as in {run}/ARM/seed-1"
            )
        prolong(run, rounds)
    scenario = scenario_of(run)
    spending = o.spending_of(flags)
    conduct_on_screen(
        scenario,
        run,
        as_json=as_json,
        report=report,
        spending=spending,
        sensitivity=sensitivity,
        workers=workers,
        cluster=cluster,
    )
