"""`audience eval generation`: a few steps from a history, beside what people really did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli.evaluating import conduct, evaluation_options, folder_for, model_name

if TYPE_CHECKING:
    from audience.experiments.evaluation.contest import Progress
    from audience.experiments.evaluation.contestants import Doors
    from audience.experiments.evaluation.results import Result

USERS = 1000


@click.command("generation")
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
    """Make 5 and 10 steps, each a pick from five items ranked by matrix factorisation.

    1,000 users unless --agents says otherwise. sequences.json holds what minds, RecSim-style users
    and the people themselves went on to, for `audience eval people`.
    """
    from audience.experiments.evaluation.asking import STEP, TASTE
    from audience.experiments.evaluation.contestants import Rules, baselines, kinds_of, minds
    from audience.experiments.evaluation.exporting import FILE, exported
    from audience.experiments.evaluation.generation import paths_of, result_of, walked
    from audience.experiments.evaluation.keeping import Keeper
    from audience.experiments.evaluation.reading import read_real
    from audience.results import replace_all

    kinds = kinds_of(mind)

    async def work(doors: Doors, progress: Progress, folder: Path) -> Result:
        real = read_real(data)
        paths = paths_of(real, agents=agents, most=USERS, seed=seed)
        entries, steppers = (
            [*baselines(), *minds(kinds, Rules(form, real.domain, seed, doors, progress))]
            for form in (TASTE, STEP)
        )
        keeper = Keeper(folder, fresh=doors.fresh)
        found = [await walked(path, entries, steppers, keeper, progress) for path in paths]
        replace_all({folder / FILE: exported(real, found, [*kinds, "recsim"])})
        return result_of(real, found, entries, seed=seed, model=model_name(doors, kinds))

    parts = (mind, agents, seed, given["llm"], given["model"])
    conduct(work, folder_for(out, "generation", data, *parts), given, as_json=as_json)
