"""`audience data people`: a table of people completed or extended by a model."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import click

from audience.cli import options as o
from audience.errors import BadInput


@click.command("people")
@click.option("--like", type=o.RUN, required=True, metavar="FILE", help="A CSV with some people.")
@click.option("--agents", type=int, required=True, help="How many people there shall be.")
@click.option("--data", default="films", help="The dataset whose tags are possible interests.")
@click.option("--seed", type=int, default=1)
@click.option("--out", type=o.RUN, default=Path("people.csv"), metavar="FILE")
@o.model_options
@o.spending_options
def command(
    like: Path,
    agents: int,
    data: str,
    seed: int,
    out: Path,
    llm: str | None,
    model: str | None,
    key_env: str | None,
    **given: Any,  # noqa: ANN401
) -> None:
    """Complete or extend a table of people with a language model, keeping what is given.

    Break off and start again: answers are kept beside the table and not asked for twice.
    """
    from rich.console import Console
    from rich.progress import Progress

    from audience.experiments import write_people
    from audience.experiments.models import Models

    if out.exists():
        raise BadInput(f"{out} exists already; choose another file with --out")
    rows = read_rows(like)
    if agents < max(1, len(rows)):
        raise BadInput(
            f"--agents {agents}: {like} has {len(rows)} people already; give {max(1, len(rows))} "
            "or more"
        )
    models = Models(url=llm or "", model=model or "", key_env=key_env or "")
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("people", total=agents)
        people, wrong = write_people(
            rows,
            agents,
            models,
            o.spending_of(given),
            dataset=data,
            seed=seed,
            store=out.with_suffix(".calls.db"),
            progress=lambda done: bar.update(task, completed=done),
        )
    save_rows(out, people)
    for line in wrong:
        click.echo(f"warning: {line}", err=True)
    click.echo(f"{len(people)} people in {out}")


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV; empty fields are to be filled."""
    from audience.agents.population import FIELDS
    from audience.errors import unknown

    if not path.is_file():
        raise BadInput(f"--like {path} does not exist; give a CSV with columns {', '.join(FIELDS)}")
    rows: list[dict[str, str]] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            for column in reader.fieldnames or ("",):
                if column not in (*FIELDS, "id"):
                    raise BadInput(f"{path}, line 1: {unknown('column', column, (*FIELDS, 'id'))}")
            for row in reader:
                if None in row:
                    raise BadInput(
                        f"{path}, line {reader.line_num}: there are more values than columns; "
                        'put values that hold commas into "quotation marks"'
                    )
                rows.append({key: value or "" for key, value in row.items() if key != "id"})
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read as CSV in UTF-8: {error}") from None
    return rows


def save_rows(path: Path, people: list[dict[str, str]]) -> None:
    """Write people as a dataset folder's people.csv, whole or not at all."""
    from audience.agents.population import FIELDS

    part = path.with_suffix(path.suffix + ".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["id", *FIELDS], extrasaction="ignore")
        writer.writeheader()
        for number, row in enumerate(people, 1):
            writer.writerow({"id": number, **row})
    part.replace(path)
