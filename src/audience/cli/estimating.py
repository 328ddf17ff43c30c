"""`audience run --estimate`: what it would cost."""

from __future__ import annotations

import click
import msgspec
from rich.console import Console
from rich.table import Table

from audience.cli import options as o
from audience.experiments import Scenario, estimate
from audience.experiments.scenario import changed


def print_estimate(scenario: Scenario, *, as_json: bool) -> None:
    """Print calls, tokens and money before anything is spent, for both ways of prompting."""
    ways = {"": scenario}
    if scenario.mind.kind == "llm":
        for way in ("fused", "faithful"):
            mind = {"kind": "llm", "options": {**scenario.mind.options, "prompting": way}}
            ways[way] = changed(scenario, mind=mind)
        ways.pop("")
    with Console(stderr=True).status("Living a few rounds with made-up answers …"):
        found = {way: estimate(one) for way, one in ways.items()}
    if as_json:
        o.print_json({way or "estimate": msgspec.to_builtins(one) for way, one in found.items()})
        return
    table = Table(
        "", "calls", "per visit", "prompt tokens", "completion tokens", "cost", show_edge=False
    )
    for way, one in found.items():
        cost = "unknown: no price for this model" if one.dollars is None else f"${one.dollars:,.2f}"
        table.add_row(
            way or scenario.mind.kind,
            f"{one.calls:,.0f}",
            f"{one.calls_per_visit:.2f}",
            f"{one.prompt:,.0f}",
            f"{one.completion:,.0f}",
            cost,
        )
    Console().print(table)
    click.echo("\nAn estimate from made-up answers, four characters to a token; nothing was asked.")
