"""`audience study`: studies of audiences with controls, seeds and intervals."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput, Interrupted, shell_command

if TYPE_CHECKING:
    from audience.lab.studies import Recipe, Studied
    from audience.terminal import Console

ALL, LIST = "all", "list"


@click.command("study")
@click.argument("name", metavar="NAME|FILE.toml|all|list")
@click.option("--agents", type=int, default=None, help="How many people.")
@click.option("--rounds", type=int, default=None, help="How many rounds.")
@click.option("--seeds", type=int, default=None, help="How many seeds.")
@click.option("--mind", default=None, metavar="KIND", help="How people decide.")
@click.option("--data", default=None, metavar="PATH", help="A dataset by name, or a folder.")
@o.model_options
@click.option("--quick", is_flag=True, help="Small: 60 people, 4 rounds, 3 seeds.")
@click.option("--workers", type=int, default=0, help="Runs at once; 0: one per core.")
@click.option("--write", type=o.RUN, default=None, metavar="FILE", help="Write its file.")
@o.out_option
@o.json_option
def study_command(
    name: str,
    quick: bool,
    workers: int,
    write: Path | None,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Run a study by NAME, a changed one by FILE.toml, or all; `list` prints their names."""
    from audience.cli.progress import fail_if_withheld
    from audience.lab.studies import study_names

    if workers < 0:
        raise BadInput(f"--workers {workers} is negative; 0 means one per core")
    if name == LIST:
        _print_list(as_json=as_json)
    elif write is not None:
        _write_file(name, write)
    elif name == ALL:
        root = out or o.free_folder("studies")
        chosen = [(study_name, root / study_name) for study_name in study_names()]
        done = [_one(one, place, flags, quick, workers, as_json) for one, place in chosen]
        _print_all(root, done, as_json=as_json)
        fail_if_withheld(*(one.findings for one in done))
    else:
        folder = out or o.free_folder(f"study-{Path(name).stem}")
        studied = _one(name, folder, flags, quick, workers, as_json)
        if as_json:
            o.print_json(_plain(studied))
        fail_if_withheld(studied.findings)


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


def _one(
    name: str, folder: Path, flags: dict[str, Any], quick: bool, workers: int, as_json: bool
) -> Studied:
    """Run or continue a study, print its finding and write its files."""
    from audience.lab.studies import command_of, find, with_changes, write_study
    from audience.terminal import Console

    recipe = with_changes(find(name), o.scenario_changes(flags), quick=quick)
    errors = Console(stderr=True)
    again = command_of(name, flags, quick=quick)
    try:
        studied = _conducted(recipe, folder, workers, errors, quiet=as_json)
        with errors.status("Writing the report and its figures …"):
            page = write_study(studied, again)
    except (Interrupted, KeyboardInterrupt):
        raise Interrupted(
            "Stopped; the rounds so far are kept. Continue with: "
            f"{again} --out {quote(str(folder))}"
        ) from None
    if not as_json:
        click.echo(studied.findings.verdict)
        click.echo(f"Report: {page}")
    return studied


def _conducted(
    recipe: Recipe,
    folder: Path,
    workers: int,
    errors: Console,
    *,
    quiet: bool,
) -> Studied:
    from audience.cli.screen import StudyBar, stoppable
    from audience.lab.studies import conduct_study

    scenario = recipe.scenario
    runs = len(scenario.arms) * scenario.seeds
    if not quiet:
        errors.print(
            f"[bold]{recipe.study.name}[/]: {recipe.question} {scenario.agents:,} people, "
            f"{scenario.rounds} rounds, {scenario.seeds} seeds; {', '.join(scenario.arms)}"
            f" → {folder}",
            highlight=False,
            soft_wrap=True,
        )
    with StudyBar(errors, runs, scenario.rounds) as bar, stoppable() as stopping:
        return conduct_study(recipe, folder, workers=workers, watch=bar.watch, stopping=stopping)


def _print_all(root: Path, done: list[Studied], *, as_json: bool) -> None:
    from audience.lab.studies import write_index

    page = write_index(root, done)
    if as_json:
        o.print_json({"index": str(page), "studies": [_plain(one) for one in done]})
    else:
        click.echo(f"\nAll reports: {page}")


def _plain(studied: Studied) -> dict[str, object]:
    return {
        "study": studied.recipe.study.name,
        "question": studied.recipe.question,
        "finding": studied.findings.verdict,
        "folder": str(studied.folder),
        "report": str(studied.folder / "report.html"),
        "remarks": list(studied.remarks),
    }
