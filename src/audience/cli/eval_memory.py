"""`audience eval memory` and `eval forgetting`: what memories keep, and the forgetting curve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput

if TYPE_CHECKING:
    from audience.lab.evaluation import Evaluation

WIDTH = 100


@click.command("memory")
@click.option("--kinds", default="", metavar="LIST", help="Such as recagent,recagent-no-short.")
@click.option("--people", type=int, default=20, help="People with planted facts, per seed.")
@click.option("--rounds", type=int, default=30, help="Simulated days.")
@click.option("--seeds", type=int, default=3, help="How many seeds.")
@click.option("--seed", type=int, default=1, help="The first seed.")
@o.pieces_option
@o.cluster_option
@o.out_option
@o.json_option
def memory_command(
    kinds: str,
    workers: int,
    cluster: str,
    out: Path | None,
    as_json: bool,
    **sizes: Any,  # noqa: ANN401
) -> None:
    """Plant facts, repeat some, let time pass, and ask for them, without a model or a judge."""
    from audience.cli.eval import pieces_shared
    from audience.lab.evaluation import KINDS, evaluate, memory_values as plain

    chosen = tuple(dict.fromkeys(kind.strip() for kind in kinds.split(",") if kind.strip()))
    pieces = max(1, len(chosen or KINDS) * sizes["seeds"])
    with pieces_shared(pieces, workers, cluster) as shared:
        evaluation = evaluate(chosen or KINDS, **shared, **sizes)
    written = _written(evaluation, out) if out else []
    if as_json:
        o.print_json(plain(evaluation) | {"written": [str(path) for path in written]})
        return
    _print(evaluation)
    for path in written:
        click.echo(str(path))


def _written(evaluation: Evaluation, out: Path) -> list[Path]:
    import json

    from audience.files import replace_all
    from audience.lab.evaluation import memory_values as plain, recall_by_age
    from audience.results import figure_files

    contents = {
        out / name: body for name, body in figure_files(recall_by_age(evaluation), "memory").items()
    }
    text = json.dumps(plain(evaluation), indent=1, allow_nan=False) + "\n"
    return replace_all({out / "memory.json": text.encode(), **contents})


def _print(evaluation: Evaluation) -> None:
    from audience.lab.evaluation import OFTEN, OLD, RECENT
    from audience.results import Column, ResultTable, to_rich, wide_console

    shares = (Column(head, digits=2) for head in ("should last", "should fade", "balance"))
    counts = (Column(head, digits=0) for head in ("tokens", "thoughts"))
    rows = tuple(
        (
            score.kind,
            score.lasting,
            score.fading,
            score.balance,
            score.tokens.mean,
            score.thoughts.mean,
        )
        for score in evaluation.scores
    )
    columns = (Column("memory", is_text=True), *shares, *counts)
    wide_console(WIDTH).print(to_rich(ResultTable(columns, rows)))
    click.echo(
        f"\n{evaluation.facts:,} facts of {evaluation.people} people x {evaluation.seeds} seeds, "
        f"seed {evaluation.seed}, over {evaluation.rounds} days; no model; 95 % intervals over "
        "people.\n"
        "should last: recalled, of what was important and either repeated "
        f"{OFTEN} times or more, or at most {RECENT} days ago.\n"
        "should fade: not recalled, of what was met in passing, once, at least "
        f"{OLD} days ago.\n"
        "balance: the mean of the two. tokens: of what one cue brings to mind. "
        "thoughts: kept in the end."
    )


MOST = 6


@click.command("forgetting")
@click.option("--beta", default="1,1.5,2", metavar="LIST", help="Exponents of recency.")
@click.option("--delta", default="0.01,0.1", metavar="LIST", help="Floors of recency.")
@click.option("--decay", type=float, default=0.99, help="Recency left after an hour.")
@click.option(
    "--out", type=o.RUN, default=Path("forgetting.svg"), metavar="FILE", help="SVG, PDF or PNG."
)
def forgetting_command(beta: str, delta: str, decay: float, out: Path) -> None:
    """Draw g(M) = 1 - (s + r)/2 * max(r^beta, delta) over recency r and importance s."""
    from audience.lab.evaluation import forgetting_curves
    from audience.results import format_of, write_figure

    format_of(out)
    betas, deltas = numbers_of("--beta", beta), numbers_of("--delta", delta)
    for name, value, fits, bounds in (
        *(("--beta", one, one >= 1, "at least 1") for one in betas),
        *(("--delta", one, 0 < one < 1, "between 0 and 1") for one in deltas),
        ("--decay", decay, 0 < decay <= 1, "above 0 and at most 1"),
    ):
        if not fits:
            raise BadInput(f"{name} {value:g}: give numbers {bounds}")
    click.echo(str(write_figure(forgetting_curves(betas, deltas, decay), out)))


def numbers_of(flag: str, text: str) -> list[float]:
    """Return the numbers of a list such as `1,1.5,2`."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(f"{flag} {text!r} is not a list of numbers such as 1,1.5,2") from None
    if len(numbers) > MOST:
        raise BadInput(f"{flag}: {len(numbers)} numbers are too many to tell apart; give {MOST}")
    return numbers
