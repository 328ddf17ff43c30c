"""`audience replay`: fold a log again; with --check, live it again and compare the bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from audience.cli import options as o


@click.command("replay")
@o.run_argument
@o.at_option
@click.option(
    "--check", is_flag=True, help="Run it again from its scenario and compare the digests."
)
@o.json_option
def command(run: Path, at: int | None, check: bool, as_json: bool) -> None:
    """Fold a log from its beginning and show each round's numbers."""
    from rich.console import Console
    from rich.table import Table

    from audience.experiments import measured_upto
    from audience.experiments.findings import readable

    with o.open_run(run) as log:
        done = log.complete_rounds()
        at = o.round_within(at, done, run)
        found = measured_upto(log, at)
        digest = log.digest(upto_round=at)
        again = _again(log.scenario, log.seed, at) if check else ""
    if as_json:
        o.print_json(
            {
                "run": str(run),
                "rounds": at,
                "digest": digest,
                "reproduced": again == digest if check else None,
            }
        )
    else:
        table = Table(
            "round",
            "visits",
            "picks",
            "click rate",
            "satisfaction",
            "posts",
            "chats",
            show_edge=False,
        )
        for numbers in found.by_round():
            names = ("round", "visits", "picks", "click_rate", "satisfaction", "posts", "chats")
            table.add_row(*(readable(numbers[name]) for name in names))
        Console().print(table)
        click.echo(f"digest {digest}")
        if check:
            click.echo(
                "Lived again: the same bytes."
                if again == digest
                else f"Lived again: DIFFERENT ({again})"
            )
    if check and again != digest:
        raise click.exceptions.Exit(1)


def _again(scenario: str, seed: int, at: int) -> str:
    from audience.experiments import changed, parse, start

    with tempfile.TemporaryDirectory(prefix="audience-") as place:
        wanted = changed(parse(scenario), rounds=at)
        return start(wanted, seed, Path(place) / "again").measured.digest
