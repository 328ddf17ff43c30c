"""`audience eval people`: a page for people to judge on, their answers, and a model as judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput

if TYPE_CHECKING:
    from audience.experiments.judging.answers import Answered, Problem
    from audience.experiments.judging.kinds import Key

_NAMES = {"choose": "choices", "write": "texts", "pair": "pairs", "score": "memories"}
SHAPES = "1:5,3:3,3:7,1:9"
_KEY_OPTION = click.option(
    "--key", type=o.RUN, required=True, metavar="FILE", help="The page's .key.json."
)


@click.group("people")
def command() -> None:
    """Let people choose, write and judge on a page; import what they say; ask a model the same."""


@command.command("make")
@click.option("--data", type=o.RUN, default=None, metavar="PATH", help="Real interactions (a).")
@click.option("--run", type=o.RUN, default=None, metavar="RUN", help="With memories (b, c).")
@click.option(
    "--sequences", type=o.RUN, default=None, metavar="FILE", help="Of eval generation (c)."
)
@click.option(
    "--references", type=o.RUN, default=None, metavar="FILE", help="What people wrote (c)."
)
@click.option("--tasks", default="a,b,c", help="a: choose, b: write, c: judge.")
@click.option("--cases", type=int, default=20, show_default=True, help="Of each kind.")
@click.option("--behaviours", type=int, default=15, show_default=True, help="To score memories of.")
@click.option("--shapes", default=SHAPES, show_default=True, help="Choices: taken up, not.")
@click.option("--negatives", type=click.Choice(("uniform", "matched")), default="uniform")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--out", type=o.RUN, default=Path("page.html"), metavar="FILE", help="The page.")
@o.json_option
def make(out: Path, tasks: str, shapes: str, as_json: bool, **given: Any) -> None:  # noqa: ANN401
    """Make a page that opens offline, and its key, which judges must not see."""
    import msgspec

    from audience.experiments.judging.making import Sources, notes
    from audience.experiments.judging.making import make as made
    from audience.experiments.judging.page import page_of
    from audience.results import replace_all

    sources = {name: given.pop(name) for name in ("data", "run", "sequences", "references")}
    wanted = _tasks(tasks)
    key = made(Sources(**sources), wanted, shapes=_shapes(shapes), **given)
    sealed = msgspec.json.format(msgspec.json.encode(key), indent=1) + b"\n"
    apart = out.with_suffix(".key.json")
    replace_all({out: page_of(key.sheet).encode(), apart: sealed})
    counts: dict[str, int] = {}
    for task in key.sheet.tasks:
        kind = type(task).__name__.lower()
        counts[kind] = counts.get(kind, 0) + 1
    thin = notes(key, wanted)
    if as_json:
        places = {"page": str(out), "key": str(apart), "id": key.page}
        o.print_json({**places, "tasks": counts, "notes": thin})
        return
    told = ", ".join(f"{many} {_NAMES[kind]}" for kind, many in counts.items())
    click.echo(f"{out}: {len(key.sheet.tasks)} tasks ({told}), seed {key.seed}")
    for note in thin:
        click.echo(f"  {note}")
    click.echo(f"{apart}: which side is which. Keep it from the judges.")
    click.echo(f"Then: audience eval people import answers-*.json --key {apart}")


def _tasks(tasks: str) -> tuple[str, ...]:
    from audience.experiments.judging.making import TASKS

    wanted = tuple(dict.fromkeys(one.strip() for one in tasks.split(",") if one.strip()))
    wrong = [one for one in wanted if one not in TASKS]
    if wrong or not wanted:
        raise BadInput(f"--tasks {tasks!r}: give some of a (choose), b (write), c (judge)")
    return wanted


def _shapes(shapes: str) -> tuple[tuple[int, int], ...]:
    found = []
    for one in shapes.split(","):
        a, _, b = one.strip().partition(":")
        if not (a.isdecimal() and b.isdecimal() and int(a) and int(b)):
            raise BadInput(f"--shapes {one!r}: give such as {SHAPES}")
        found.append((int(a), int(b)))
    return tuple(dict.fromkeys(found))


@command.command("import")
@click.argument("answers", type=o.RUN, nargs=-1, required=True)
@_KEY_OPTION
@o.out_option
@o.json_option
def import_(answers: tuple[Path, ...], key: Path, out: Path | None, as_json: bool) -> None:
    """Print the tables that answers give, with intervals and the agreement between judges."""
    from audience.experiments.judging.answers import read_answers, read_key

    sealed = read_key(key)
    answered, problems = read_answers(answers, sealed)
    if not answered:
        told = "\n".join(f"  {one.path} {one.why}" for one in problems)
        raise BadInput(f"none of {len(answers)} files can be used:\n{told}")
    _tell(sealed, answered, problems, out, as_json)


@command.command("judge")
@click.argument("page", type=o.RUN)
@_KEY_OPTION
@click.option("--prompts", default="", metavar="DIR", help="Prompt files of yours.")
@click.option("--out", type=o.RUN, required=True, metavar="DIR", help="Calls and answers.")
@o.model_options
@o.spending_options
@o.json_option
def judge(page: Path, key: Path, out: Path, as_json: bool, **given: Any) -> None:  # noqa: ANN401
    """Ask a language model the tasks of a page, each pair and choice in both orders."""
    import json

    from audience.experiments.judging.answers import read_answers, read_key
    from audience.experiments.judging.judge import answers_file
    from audience.experiments.judging.page import sheet_in
    from audience.experiments.models import Models, check_models, name_of
    from audience.results import replace_all

    sheet, sealed = sheet_in(page), read_key(key)
    if sheet.id != sealed.page:
        raise BadInput(f"--key {key} belongs to another page than {page}; give that beside it")
    spending = o.spending_of(given)
    models = Models(
        url=given["llm"] or "", model=given["model"] or "", key_env=given["key_env"] or ""
    )
    check_models(models, spending)
    judged = _judged(sheet, models, spending, out, given["prompts"])
    told = json.dumps(answers_file(sheet, judged, name_of(models)), indent=1) + "\n"
    path = out / "answers-model.json"
    replace_all({path: told.encode()})
    answered, problems = read_answers([path], sealed)
    _tell(sealed, answered, problems, out, as_json)


def _judged(sheet: Any, models: Any, spending: Any, out: Path, prompts: str) -> Any:  # noqa: ANN401
    from rich.console import Console
    from rich.progress import Progress

    from audience.experiments.judging.judge import judge as judge_
    from audience.experiments.models import door_of, name_of

    out.mkdir(parents=True, exist_ok=True)
    door = door_of(models, spending, out)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Judging", total=None)
        return judge_(
            sheet,
            door,
            model=name_of(models),
            prompts=prompts,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )


def _tell(
    key: Key, answered: list[Answered], problems: list[Problem], out: Path | None, as_json: bool
) -> None:
    """Write what is to be kept, and print the tables."""
    from audience.cli.judgements import print_all
    from audience.experiments.judging.tables import tables_of
    from audience.experiments.judging.turning import turned

    tables, models = tables_of(key, answered), turned(key, answered)
    written = _written(key, answered, problems, out) if out else []
    if as_json:
        from audience.experiments.judging.keeping import plain_result

        found = plain_result(key, answered, problems)
        o.print_json({**found, "written": [str(path) for path in written]})
        return
    print_all(tables, models, answered, problems, seed=key.seed, kept=bool(written))
    for path in written:
        click.echo(str(path))


def _written(key: Key, answered: list[Answered], problems: list[Problem], out: Path) -> list[Path]:
    from audience.experiments.judging.keeping import files_of
    from audience.results import replace_all

    contents = files_of(key, answered, problems)
    return replace_all({out / name: body for name, body in contents.items()})
