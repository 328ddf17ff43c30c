"""`audience eval knowledge`: what a model knows of a catalogue, and what it may not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from audience.cli.probing import conduct, probe_options

if TYPE_CHECKING:
    from audience.experiments.probing.asking import Asker
    from audience.experiments.probing.result import Found


@click.command("knowledge")
@click.option("--items", default=60, show_default=True, help="Items to be asked about.")
@click.option(
    "--cutoff", type=int, default=None, metavar="YEAR", help="The model has seen nothing newer."
)
@probe_options(agents=40)
def command(
    items: int,
    cutoff: int | None,
    data: str,
    agents: int,
    seed: int,
    **given: Any,  # noqa: ANN401
) -> None:
    """Ask a model for what it may know by heart, and count titles that it should not name.

    The same questions are put on real, hidden and invented titles, and by stretches of years.
    Without --llm the embedded model is asked.
    """
    from audience.experiments.probing.knowledge import knowledge
    from audience.experiments.probing.town import town_of

    town = town_of(data, agents, seed)

    async def work(asker: Asker) -> Found:
        return await knowledge(asker, town, items=items, cutoff=cutoff)

    conduct("knowledge", work, town.name, agents, seed, given)
