"""`audience data`: list, get, check and import datasets, and write tables of people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput, shell_command

if TYPE_CHECKING:
    from audience.agents.language import WrittenPeople
    from audience.datasets import Dataset
    from audience.runs import PeopleTable
    from audience.scenario import Part
    from audience.world import Profile

_FIELDS = ("name", "gender", "age", "traits", "career", "interests", "features")


@click.command("people")
@click.option(
    "--like", type=o.RUN, default=None, metavar="FILE", help="Some people: CSV, JSON or TOML."
)
@click.option("--agents", type=int, default=None, help="How many people to write.")
@click.option(
    "--data", default="films", metavar="PATH", help="The dataset they belong to; default films."
)
@click.option(
    "--fill",
    multiple=True,
    metavar="[FIELD=]SOURCE",
    help="llm (default), drawn, none; aligned for traits and features. Repeat it by field.",
)
@click.option(
    "--taste",
    type=click.Choice(["llm"]),
    default=None,
    help="Let the model write what people like, from what they rated.",
)
@click.option("--fit", default=None, metavar="PATH", help="Fit activity laws to a dataset instead.")
@click.option("--batch", type=click.IntRange(1, 50), default=5, help="People in a call, at first.")
@click.option("--seed", type=int, default=1)
@click.option("--out", type=o.RUN, default=Path("people.csv"), metavar="FILE")
@o.model_options
@o.spending_options
@o.json_option
def command(
    like: Path | None,
    agents: int | None,
    data: str,
    fit: str | None,
    out: Path,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Complete or extend a table of people, or those of a dataset, field by field.

    Known fields are kept. Interrupted, start it again: a model's answers are stored
    beside the table and not asked for twice. With --fit nothing is written: activity laws
    are printed.
    """
    if fit is not None:
        print_fit(fit, as_json=flags["as_json"])
        return
    if out.exists():
        raise BadInput(f"{out} already exists; choose another file with --out")
    if like is not None:
        _check_like(like, agents)
    if agents is None:
        raise BadInput("--agents is missing; give the number of people")
    table = _write(like, agents, data, out, flags)
    save(out, table)
    if table.written:
        _warn(table.written)
    click.echo(f"{len(table.genesis.profiles)} people in {out}")


def _write(
    like: Path | None, agents: int, data: str, out: Path, flags: dict[str, Any]
) -> PeopleTable:
    from rich.progress import Progress

    from audience.datasets import Mixture
    from audience.runs import write_people
    from audience.terminal import Console

    mixture = Mixture(
        profiles=str(like or ""), fill=filled(flags["fill"]), taste=flags["taste"] or ""
    )
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("people", total=agents)
        table = write_people(
            part_of(data),
            mixture,
            agents,
            o.models_of(flags),
            o.spending_of(flags),
            seed=flags["seed"],
            store=out.with_suffix(".calls.db"),
            batch=flags["batch"],
            progress=lambda done: bar.update(task, completed=done),
        )
        bar.update(task, completed=agents)
    return table


def filled(words: tuple[str, ...]) -> dict[str, str]:
    """Return the source of each field, from words such as `drawn` and `traits=aligned`."""
    usual = [word for word in words if "=" not in word]
    if len(usual) > 1:
        raise BadInput(f"--fill {usual[1]}: --fill {usual[0]} already fills all fields")
    sources = dict.fromkeys(_FIELDS, usual[0] if usual else "llm")
    for word in words:
        field, equals, source = word.partition("=")
        if equals:
            sources[field.strip()] = source.strip()
    return sources


def part_of(data: str) -> Part:
    """Return a dataset as a scenario names it, from a name or a path."""
    from audience.datasets.loaders import options_for
    from audience.scenario import Part

    dataset = options_for(data)
    if isinstance(dataset, str):
        return Part(dataset)
    return Part(dataset["kind"], {key: value for key, value in dataset.items() if key != "kind"})


def print_fit(path: str, *, as_json: bool) -> None:
    """Print the activity laws of a dataset, both with their KS distance."""
    import msgspec

    from audience.datasets import counts_of
    from audience.datasets.people import POOR, fit_activity

    fitted = fit_activity(counts_of(_found(path)))
    if as_json:
        o.print_json(msgspec.to_builtins(fitted))
        return
    pareto, lognormal = fitted.pareto, fitted.lognormal
    click.echo(f"{fitted.people} people, {fitted.mean:.1f} interactions each on average")
    click.echo(
        f"lognormal  KS {lognormal.ks:.3f}  mu {lognormal.mu:.3f}  sigma {lognormal.sigma:.3f}"
    )
    click.echo(f"pareto     KS {pareto.ks:.3f}  a {pareto.shape:.3f}  x_min {pareto.least:g}")
    click.echo(f"{fitted.best} fits better; [dataset] activity = 'fitted' draws from it")
    if min(pareto.ks, lognormal.ks) > POOR:
        click.echo("warning: neither fits well; activity = 'past' takes the counts as they are")


def _found(path: str) -> Dataset:
    from audience.datasets.loaders import Folder, is_own, public, recognise

    place = Path(path)
    if not place.exists():
        return public(path)
    return Folder(place) if is_own(place) else recognise(place).make(place)


def _check_like(path: Path, agents: int | None) -> None:
    from audience.datasets.people import read_people

    if not path.is_file():
        raise BadInput(f"--like {path} does not exist; give a table with {', '.join(_FIELDS)}")
    there = len(read_people(path).people)
    if agents is not None and agents < there:
        raise BadInput(
            f"--agents {agents}: {path} has {there} people already; give {there} or more"
        )


def _warn(written: WrittenPeople) -> None:
    for line in written.unfilled:
        click.echo(f"warning: {line}", err=True)
    if written.malformed or written.unfit:
        click.echo(
            f"warning: {written.malformed} of {written.asked} replies could not be read, "
            f"{written.unfit} fields of the others could not be used",
            err=True,
        )


def save(path: Path, table: PeopleTable) -> None:
    """Write people as a dataset folder's people.csv, whole or not at all."""
    from audience.datasets import row_of
    from audience.datasets.people import known_of
    from audience.files import replace_all
    from audience.results import csv_text
    from audience.world import HABITS

    people = table.genesis.profiles
    graded = any(not _is_plain(who) for who in people)
    columns = ["id", *_FIELDS, *(HABITS if graded else ()), *_activity(table)]
    rows = []
    for number, who in enumerate(people, 1):
        row: dict[str, object] = {"id": who.key if table.has_keys else number}
        row |= {habit: getattr(who.habits, habit) for habit in HABITS}
        row |= {**row_of(known_of(who)), "activity": who.activity}
        rows.append([row.get(name, "") for name in columns])
    replace_all({path: csv_text(columns, rows).encode()})


def _activity(table: PeopleTable) -> tuple[str, ...]:
    return ("activity",) if table.has_history else ()


def _is_plain(who: Profile) -> bool:
    """Return whether habits are only 0 or 1, so that the features say all."""
    from audience.world import HABITS

    return all(getattr(who.habits, habit) in (0.0, 1.0) for habit in HABITS)


@click.group("data")
def datasets_command() -> None:
    """List, download and check datasets, import RecAgent's settings, let a model write people."""


datasets_command.add_command(command)


@datasets_command.command("list")
def list_() -> None:
    """List the datasets that are here and those to download."""
    from rich.table import Table

    from audience.datasets import listing
    from audience.terminal import Console

    table = Table("name", "what", "counts", show_edge=False)
    for row in listing():
        table.add_row(row.name, row.what, row.counts)
    Console().print(table)


@datasets_command.command("get", short_help="Download a published dataset.")
@click.argument("name")
def get(name: str) -> None:
    """Download a published dataset, continuing an earlier attempt."""
    from rich.progress import DownloadColumn, Progress, TransferSpeedColumn

    from audience.datasets.loaders import fetch, published
    from audience.terminal import Console

    dataset = published(name)
    click.echo(f"{dataset.what}\nIts terms of use: {dataset.page}", err=True)
    columns = (*Progress.get_default_columns(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=None)
        folder = fetch(
            name, lambda done, total: bar.update(task, completed=done, total=total or None)
        )
    unchecked = [file.name for file in dataset.files if not file.md5]
    if unchecked:
        click.echo(f"unchecked: no checksum is published for {', '.join(unchecked)}", err=True)
    click.echo(f"{folder}\nUse it with: {shell_command('run', '--data', name)}")


@datasets_command.command("check", short_help="Check your own tables, or any known dataset.")
@click.argument("path", type=o.RUN)
@o.json_option
def check(path: Path, as_json: bool) -> None:
    """Check your own tables, or any dataset that is recognised by its files."""
    import msgspec

    from audience.datasets import check as checked

    report = checked(path)
    tree = msgspec.to_builtins(report)
    if as_json:
        o.print_json(tree)
        return
    for warning in tree.pop("warnings"):
        click.echo(f"warning: {warning}")
    for one in tree.pop("skipped"):
        click.echo(f"left out: {one['count']} ({one['reason']}; first: {one['first']})")
    click.echo(tree.pop("what"))
    click.echo(", ".join(f"{key} {value}" for key, value in tree.items()))
    click.echo(f"Good. Use it with: {shell_command('run', '--data', path)}")


@datasets_command.command("import", short_help="Write the scenario of RecAgent's config.yaml.")
@click.argument("config", type=o.RUN)
@click.option("--out", type=o.RUN, default=Path("scenario.toml"), metavar="FILE")
def import_(config: Path, out: Path) -> None:
    """Write the scenario of RecAgent's config.yaml, and list what has no equivalent."""
    from audience.errors import BadInput, shell_command
    from audience.scenario import dump, imported

    if out.exists():
        raise BadInput(f"{out} already exists; choose another file with --out")
    recipe = imported(config, out)
    out.write_text(dump(recipe.tree), "utf-8")
    for line in recipe.without:
        click.echo(f"no equivalent: {line}")
    click.echo(f"{out}\nUse it with: {shell_command('run', out)}")
