"""`audience eval prompts`: places on a page, wordings of a prompt, and visits beside real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from audience.cli.probing import conduct, probe_options

if TYPE_CHECKING:
    from audience.experiments.probing.asking import Asker
    from audience.experiments.probing.result import Found


@click.command("prompts")
@click.option("--gap", default=30.0, show_default=True, help="Minutes that end a real visit.")
@probe_options(agents=40)
def command(gap: float, data: str, agents: int, seed: int, **given: Any) -> None:  # noqa: ANN401
    """Show the same pages in other orders and ask in other words; walk through whole visits.

    With --data of dated interactions, visits are compared with those of real people. Without --llm
    the embedded model is asked.
    """
    from audience.experiments.probing.sensitivity import prompts
    from audience.experiments.probing.town import town_of
    from audience.experiments.probing.visits import real_visits

    town = town_of(data, agents, seed)
    real, why_not = real_visits(data, gap, seed)

    async def work(asker: Asker) -> Found:
        return await prompts(asker, town, real, why_not)

    conduct("prompts", work, town.name, agents, seed, given)
