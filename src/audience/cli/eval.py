"""`audience eval`: evaluations, one file each."""

from __future__ import annotations

import importlib

import click

EVALUATIONS = {
    "recommenders": "How well recommenders find what people did next.",
    "memory": "What each kind of memory keeps and loses, by planted facts.",
    "forgetting": "Draw the forgetting function for chosen beta and delta.",
}


class _Evaluations(click.Group):
    """Loads an evaluation's file only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(EVALUATIONS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in EVALUATIONS:
            return None
        found: click.Command = importlib.import_module(f"audience.cli.eval_{name}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Evaluations"):
            formatter.write_dl(list(EVALUATIONS.items()))


@click.group("eval", cls=_Evaluations)
def command() -> None:
    """Evaluate a part against what is known to be right, with intervals and baselines."""
