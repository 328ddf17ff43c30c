"""`audience study`: studies of audiences with controls, seeds and intervals."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput, Interrupted, shell_command

if TYPE_CHECKING:
    from audience.lab.studies import Reported, StudyOrder
    from audience.terminal import Console

ALL, LIST = "all", "list"
QUICK_FORMATS = ("svg", "png")
"""A trial is looked at, not printed: PDF takes as long as the rest of a figure together."""


@click.command("study")
@click.argument("name", metavar="NAME|FILE.toml|all|list")
@click.option("--agents", type=int, default=None, help="How many people.")
@click.option("--rounds", type=int, default=None, help="How many rounds.")
@click.option("--seeds", type=int, default=None, help="How many seeds.")
@click.option("--mind", default=None, metavar="KIND", help="How people decide.")
@click.option("--data", default=None, metavar="PATH", help="A dataset by name, or a folder.")
@o.model_options
@click.option("--quick", is_flag=True, help="Small: 60 people, 4 rounds, 3 seeds.")
@o.workers_option
@o.cluster_option
@click.option("--write", type=o.RUN, default=None, metavar="FILE", help="Write its file.")
@o.out_option
@o.json_option
def study_command(
    name: str,
    quick: bool,
    workers: int,
    cluster: str,
    write: Path | None,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Run a study by NAME, a changed one by FILE.toml, or all; `list` prints their names."""
    from audience.lab.studies import study_names

    if name == LIST:
        _print_list(as_json=as_json)
    elif write is not None:
        _write_file(name, write)
    else:
        root = out or o.free_folder("studies" if name == ALL else f"study-{Path(name).stem}")
        names = study_names() if name == ALL else (name,)
        places = {each: root / each if name == ALL else root for each in names}
        again = f"{_command(name, flags, quick=quick)} --out {quote(str(root))}"
        orders = [_order(each, place, flags, quick=quick) for each, place in places.items()]
        done = _conducted(orders, workers, cluster, again, quiet=as_json)
        _print_done(name, root, done, as_json=as_json)
        if any(reported.withheld for reported in done):
            raise click.exceptions.Exit(1)


def _print_list(*, as_json: bool) -> None:
    from audience.lab.studies import find, study_names

    questions = {name: find(name).question for name in study_names()}
    if as_json:
        o.print_json(questions)
        return
    width = max(map(len, questions))
    for name, question in questions.items():
        click.echo(f"{name:{width}}  {question}")


def _write_file(name: str, path: Path) -> None:
    from audience.files import replace_all
    from audience.lab.studies import shipped

    if name.endswith(".toml") or name == ALL:
        raise BadInput("--write needs the name of one study; see `audience study list`")
    if path.exists():
        raise BadInput(f"--write {path} already exists; give the name of a new file")
    replace_all({path: shipped(name).encode()})
    click.echo(f"Change {path}, then: {shell_command('study', path)}")


def _command(name: str, flags: dict[str, Any], *, quick: bool) -> str:
    from audience.lab.studies import command_of

    return command_of(name, flags, quick=quick)


def _order(name: str, folder: Path, flags: dict[str, Any], *, quick: bool) -> StudyOrder:
    from msgspec.structs import replace

    from audience.lab.studies import StudyOrder, find, with_changes

    recipe = with_changes(find(name), o.scenario_changes(dict(flags)), quick=quick)
    order = StudyOrder(recipe, folder, _command(name, flags, quick=quick))
    return replace(order, formats=QUICK_FORMATS) if quick else order


def _conducted(
    orders: list[StudyOrder], workers: int, cluster: str, again: str, *, quiet: bool
) -> list[Reported]:
    """Run or continue studies, and print each finding when its files are written."""
    from audience.cli.screen import PoolBar, stoppable
    from audience.lab.studies import conduct_studies, pool_for_studies
    from audience.terminal import Console

    errors = Console(stderr=True)
    scenarios = [order.recipe.scenario for order in orders]
    runs = [len(scenario.arms) * scenario.seeds for scenario in scenarios]
    rounds = sum(scenarios[place].rounds * count for place, count in enumerate(runs))
    if not quiet and len(orders) == 1:
        _announce(orders[0], errors)
    by_name = {order.recipe.study.name: order for order in orders}
    done = []
    try:
        with (
            stoppable() as stopping,
            pool_for_studies([order.recipe for order in orders], workers, cluster) as pool,
            PoolBar(errors, sum(runs), rounds) as bar,
        ):
            for reported in conduct_studies(orders, pool, bar.watch, stopping):
                done.append(reported)
                if not quiet and len(orders) > 1:
                    _announce(by_name[reported.study], errors)
                if not quiet:
                    click.echo(reported.finding)
                    click.echo(f"Report: {reported.report}")
    except (Interrupted, KeyboardInterrupt) as stopped:
        why = getattr(stopped.__cause__, "args", ("Stopped",))[0]
        raise Interrupted(f"{why}; the rounds so far are kept. Continue with: {again}") from None
    return done


def _announce(order: StudyOrder, errors: Console) -> None:
    scenario = order.recipe.scenario
    errors.print(
        f"[bold]{order.recipe.study.name}[/]: {order.recipe.question} {scenario.agents:,} people, "
        f"{scenario.rounds} rounds, {scenario.seeds} seeds; {', '.join(scenario.arms)}"
        f" → {order.folder}",
        highlight=False,
        soft_wrap=True,
    )


def _print_done(name: str, root: Path, done: list[Reported], *, as_json: bool) -> None:
    from msgspec import to_builtins

    from audience.lab.studies import study_names, write_index

    if name != ALL:
        if as_json:
            o.print_json(_plain(to_builtins(done[0])))
        return
    places = {study: place for place, study in enumerate(study_names())}
    done = sorted(done, key=lambda reported: places[reported.study])
    page = write_index(root, {reported.study: reported.finding for reported in done})
    if as_json:
        studies = [_plain(to_builtins(reported)) for reported in done]
        o.print_json({"index": str(page), "studies": studies})
    else:
        click.echo(f"\nAll reports: {page}")


def _plain(reported: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in reported.items() if key != "withheld"}
