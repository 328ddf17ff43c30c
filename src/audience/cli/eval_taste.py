"""`audience eval taste`: saying yes to what people took up, and no to what they never did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.cli.evaluating import conduct, evaluation_options, folder_for, model_name

if TYPE_CHECKING:
    from audience.experiments.evaluation.contest import Progress
    from audience.experiments.evaluation.contestants import Doors
    from audience.experiments.evaluation.results import Result


@click.command("taste")
@evaluation_options
@click.option(
    "--also",
    type=o.RUN,
    default=None,
    metavar="PATH",
    help="The data a published split is drawn from: its other people are learnt from too.",
)
def command(
    data: Path,
    mind: str,
    agents: int | None,
    seed: int,
    also: Path | None,
    out: Path | None,
    as_json: bool,
    **given: Any,  # noqa: ANN401
) -> None:
    """Ask about held-out items and one, two, three or nine times as many never taken up.

    PATH is Agent4Rec's published split (train.txt, valid.txt, test.txt and its maps), or any
    dataset, which is then split 40/30/30 by a named draw.
    """
    from audience.experiments.evaluation.asking import TASTE
    from audience.experiments.evaluation.contest import play
    from audience.experiments.evaluation.contestants import Rules, baselines, kinds_of, minds
    from audience.experiments.evaluation.keeping import Keeper
    from audience.experiments.evaluation.splits import read_parts
    from audience.experiments.evaluation.taste import arena_of, result_of

    kinds = kinds_of(mind)

    async def work(doors: Doors, progress: Progress, folder: Path) -> Result:
        parted = read_parts(data, also, seed)
        arena = arena_of(parted, agents=agents, seed=seed)
        rules = Rules(TASTE, parted.real.domain, seed, doors, progress, "spread")
        entries = [*baselines(), *minds(kinds, rules, practises=True)]
        played = await play(arena, entries, Keeper(folder, fresh=doors.fresh), progress)
        return result_of(parted, played, entries, model=model_name(doors, kinds))

    parts = (mind, agents, seed, also, given["llm"], given["model"])
    conduct(work, folder_for(out, "taste", data, *parts), given, as_json=as_json)
