"""`audience run --estimate`: what it would cost."""

from __future__ import annotations

from collections.abc import Mapping

import click
import msgspec
from rich.console import Console
from rich.table import Table

from audience.cli import options as o
from audience.experiments import Estimate, Scenario, estimate
from audience.experiments.estimate import GROWING, WAYS, way_of, with_way
from audience.experiments.scenario import changed

WIDTH = 92


def print_estimate(scenario: Scenario, *, as_json: bool) -> None:
    """Print calls, tokens and money before anything is spent, for every way of asking."""
    chosen = way_of(scenario)
    with Console(stderr=True).status("Living a few rounds with made-up answers …"):
        found = {way: estimate(one) for way, one in _prompted(scenario).items()}
        memory = {way: estimate(with_way(scenario, way)) for way in WAYS} if chosen else {}
    if as_json:
        tree = {way or "estimate": msgspec.to_builtins(one) for way, one in found.items()}
        if memory:
            tree["memory"] = {"chosen": chosen, "ways": msgspec.to_builtins(memory)}
        o.print_json(tree)
        return
    _print_minds(scenario, found)
    if memory:
        _print_memory(memory, chosen)
    click.echo("\nAn estimate from made-up answers, four characters to a token; nothing was asked.")


def _prompted(scenario: Scenario) -> dict[str, Scenario]:
    """Return the scenario for both ways of prompting, where there are two."""
    if scenario.mind.kind != "llm":
        return {"": scenario}
    ways = {}
    for way in ("fused", "faithful"):
        mind = {"kind": "llm", "options": {**scenario.mind.options, "prompting": way}}
        ways[way] = changed(scenario, mind=mind)
    return ways


def _print_minds(scenario: Scenario, found: Mapping[str, Estimate]) -> None:
    table = Table(
        "", "calls", "per visit", "prompt tokens", "completion tokens", "cost", show_edge=False
    )
    for way, one in found.items():
        table.add_row(
            way or scenario.mind.kind,
            f"{one.calls:,.0f}",
            f"{one.calls_per_visit:.2f}",
            f"{one.prompt:,.0f}",
            f"{one.completion:,.0f}",
            _cost(one),
        )
    Console().print(table)


def _print_memory(found: Mapping[str, Estimate], chosen: str) -> None:
    """Print the ways of consolidating side by side: memory's own share, and the whole run."""
    table = Table(show_edge=False)
    for head in ("memory", "its calls", "per visit", "its tokens", "calls", "tokens", "cost"):
        table.add_column(head, no_wrap=head == "memory")
    for way, one in found.items():
        table.add_row(
            f"{way} (chosen)" if way == chosen else way,
            f"{one.memory_calls:,.0f}",
            f"{one.memory_calls_per_visit:.2f}",
            f"{one.memory_prompt + one.memory_completion:,.0f}",
            f"{one.calls:,.0f}",
            f"{one.prompt + one.completion:,.0f}",
            _cost(one),
        )
    click.echo()
    console = Console()
    console.width = max(console.width, WIDTH)
    console.print(table)
    people, rounds = GROWING
    click.echo(
        "\nThe last three columns are of minds and memory together. Memories are lived for "
        f"{rounds} rounds\nby {people} people; later rounds count as the second half of these. "
        "Reflections fall due later\nthan that: `fused` puts them into the same call, `faithful` "
        "takes calls of its own for them\nand will cost somewhat more than this."
    )


def _cost(one: Estimate) -> str:
    return "unknown: no price for this model" if one.dollars is None else f"${one.dollars:,.2f}"
