"""`audience eval ratings`: the stars that people give."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli.evaluating import conduct, evaluation_options, folder_for, model_name

if TYPE_CHECKING:
    from audience.experiments.evaluation.contest import Progress
    from audience.experiments.evaluation.contestants import Doors
    from audience.experiments.evaluation.results import Result


@click.command("ratings")
@evaluation_options
def command(
    data: Path,
    mind: str,
    agents: int | None,
    seed: int,
    out: Path | None,
    as_json: bool,
    **given: Any,  # noqa: ANN401
) -> None:
    """Predict a fifth of the stars, drawn or latest: RMSE, MAE, and the histogram's divergence."""
    from audience.experiments.evaluation import raters
    from audience.experiments.evaluation.asking import RATINGS
    from audience.experiments.evaluation.contest import play
    from audience.experiments.evaluation.contestants import Rules, kinds_of
    from audience.experiments.evaluation.keeping import Keeper
    from audience.experiments.evaluation.ratings import result_of, splits_of
    from audience.experiments.evaluation.reading import read_real

    kinds = kinds_of(mind)

    async def work(doors: Doors, progress: Progress, folder: Path) -> Result:
        real = read_real(data)
        splits = splits_of(real, agents=agents, seed=seed)
        rules = Rules(RATINGS, real.domain, seed, doors, progress)
        entries = [*raters.baselines(), *raters.minds(kinds, rules)]
        keeper = Keeper(folder, fresh=doors.fresh)
        played = [await play(one.arena, entries, keeper, progress, mixes=False) for one in splits]
        model = model_name(doors, kinds)
        return result_of(real, splits, played, entries, seed=seed, model=model)

    parts = (mind, agents, seed, given["llm"], given["model"])
    conduct(work, folder_for(out, "ratings", data, *parts), given, as_json=as_json)
