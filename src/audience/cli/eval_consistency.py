"""`audience eval consistency`: does a model stay the person it plays, and can it dislike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from audience.cli.probing import conduct, probe_options

if TYPE_CHECKING:
    from audience.experiments.probing.asking import Asker
    from audience.experiments.probing.result import Found


@click.command("consistency")
@click.option("--rounds", default=3, show_default=True, help="Rounds in which the same is asked.")
@probe_options(agents=40)
def command(rounds: int, data: str, agents: int, seed: int, **given: Any) -> None:  # noqa: ANN401
    """Ask the same people the same again and rounds later, and let them rate bad and good items.

    Without --llm the embedded model is asked.
    """
    from audience.experiments.probing.consistency import consistency
    from audience.experiments.probing.town import town_of

    town = town_of(data, agents, seed)

    async def work(asker: Asker) -> Found:
        return await consistency(asker, town, rounds=rounds)

    conduct("consistency", work, town.name, agents, seed, given)
