"""`audience eval forgetting`: the forgetting function as a figure."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o
from audience.errors import BadInput

MOST = 6


@click.command("forgetting")
@click.option("--beta", default="1,1.5,2", metavar="LIST", help="Exponents of recency.")
@click.option("--delta", default="0.01,0.1", metavar="LIST", help="Holds that never go.")
@click.option("--decay", type=float, default=0.99, help="Recency left after an hour.")
@click.option(
    "--out", type=o.RUN, default=Path("forgetting.svg"), metavar="FILE", help="SVG, PDF or PNG."
)
def command(beta: str, delta: str, decay: float, out: Path) -> None:
    """Draw g(M) = 1 - (s + r)/2 * max(r^beta, delta) over recency r and importance s."""
    from audience.experiments.memory_figures import forgetting_curves
    from audience.results import format_of, write_figure

    format_of(out)
    betas, deltas = numbers_of("--beta", beta), numbers_of("--delta", delta)
    for name, value, fits, wanted in (
        *(("--beta", one, one >= 1, "at least 1") for one in betas),
        *(("--delta", one, 0 < one < 1, "between 0 and 1") for one in deltas),
        ("--decay", decay, 0 < decay <= 1, "above 0 and at most 1"),
    ):
        if not fits:
            raise BadInput(f"{name} {value:g}: give numbers {wanted}")
    click.echo(str(write_figure(forgetting_curves(betas, deltas, decay), out)))


def numbers_of(flag: str, text: str) -> list[float]:
    """Return the numbers of a list such as `1,1.5,2`."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(f"{flag} {text!r} is not a list of numbers such as 1,1.5,2") from None
    if len(found) > MOST:
        raise BadInput(f"{flag}: {len(found)} numbers are too many to tell apart; give {MOST}")
    return found
