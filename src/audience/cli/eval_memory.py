"""`audience eval memory`: what each kind of memory keeps and loses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from audience.cli import options as o

if TYPE_CHECKING:
    from audience.experiments.eval_memory import Evaluation

WIDTH = 100


@click.command("memory")
@click.option("--kinds", default="", metavar="LIST", help="Such as recagent,recagent-no-short.")
@click.option("--people", type=int, default=20, help="People with planted facts, per seed.")
@click.option("--rounds", type=int, default=30, help="Days that they live.")
@click.option("--seeds", type=int, default=3, help="How many seeds.")
@click.option("--seed", type=int, default=1, help="The first seed.")
@o.out_option
@o.json_option
def command(
    kinds: str, people: int, rounds: int, seeds: int, seed: int, out: Path | None, as_json: bool
) -> None:
    """Plant facts, repeat some, let time pass, and ask. No model, no judge."""
    from rich.console import Console

    from audience.experiments.eval_memory import KINDS, evaluate, plain

    wanted = tuple(dict.fromkeys(kind.strip() for kind in kinds.split(",") if kind.strip()))
    with Console(stderr=True).status("Living …") as status:
        found = evaluate(
            wanted or KINDS,
            people=people,
            rounds=rounds,
            seeds=seeds,
            seed=seed,
            progress=lambda kind, one: status.update(f"Living with {kind}, seed {one} …"),
        )
    written = _written(found, out) if out else []
    if as_json:
        o.print_json(plain(found) | {"written": [str(path) for path in written]})
        return
    _print(found)
    for path in written:
        click.echo(str(path))


def _written(found: Evaluation, out: Path) -> list[Path]:
    import json

    from audience.experiments.eval_figure import recall_by_age
    from audience.experiments.eval_memory import plain
    from audience.results import figure_files, replace_all

    contents = {
        out / name: body for name, body in figure_files(recall_by_age(found), "memory").items()
    }
    told = json.dumps(plain(found), indent=1, allow_nan=False) + "\n"
    return replace_all({out / "memory.json": told.encode(), **contents})


def _print(found: Evaluation) -> None:
    from audience.experiments.eval_scores import OFTEN, OLD, RECENT
    from audience.results import Column, ResultTable, to_rich, wide_console

    shares = (Column(head, digits=2) for head in ("should last", "should fade", "balance"))
    counts = (Column(head, digits=0) for head in ("tokens", "thoughts"))
    rows = tuple(
        (one.kind, one.lasting, one.fading, one.balance, one.tokens.mean, one.thoughts.mean)
        for one in found.scores
    )
    columns = (Column("memory", is_text=True), *shares, *counts)
    wide_console(WIDTH).print(to_rich(ResultTable(columns, rows)))
    click.echo(
        f"\n{found.facts:,} facts of {found.people} people x {found.seeds} seeds, seed "
        f"{found.seed}, over {found.rounds} days; no model; 95 % intervals over people.\n"
        "should last: recalled, of what was important and either repeated "
        f"{OFTEN} times or more, or at most {RECENT} days ago.\n"
        "should fade: not recalled, of what was met in passing, once, at least "
        f"{OLD} days ago.\n"
        "balance: the mean of the two. tokens: of what one cue brings to mind. "
        "thoughts: kept in the end."
    )
