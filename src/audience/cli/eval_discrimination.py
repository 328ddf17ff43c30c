"""`audience eval discrimination`: telling what people took up next from what they never did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli.evaluating import conduct, evaluation_options, folder_for, model_name

if TYPE_CHECKING:
    from audience.experiments.evaluation.contest import Progress
    from audience.experiments.evaluation.contestants import Doors
    from audience.experiments.evaluation.results import Result


@click.command("discrimination")
@evaluation_options
@click.option(
    "--people", type=click.Path(path_type=Path), default=None, metavar="FILE", help="A human row."
)
def command(
    data: Path,
    mind: str,
    agents: int | None,
    seed: int,
    people: Path | None,
    out: Path | None,
    as_json: bool,
    **given: Any,  # noqa: ANN401
) -> None:
    """Choose the last a items of each user out of these and b that it never took up."""
    from audience.experiments.evaluation.answered import read_answers
    from audience.experiments.evaluation.asking import CHOOSE
    from audience.experiments.evaluation.contest import play
    from audience.experiments.evaluation.contestants import Rules, baselines, kinds_of, minds
    from audience.experiments.evaluation.discrimination import arenas, result_of
    from audience.experiments.evaluation.keeping import Keeper
    from audience.experiments.evaluation.reading import read_real

    kinds = kinds_of(mind)
    humans = read_answers(people, seed) if people else ()

    async def work(doors: Doors, progress: Progress, folder: Path) -> Result:
        real = read_real(data)
        found = arenas(real, agents=agents, seed=seed)
        rules = Rules(CHOOSE, real.domain, seed, doors, progress)
        entries = [*baselines(), *minds(kinds, rules)]
        keeper = Keeper(folder, fresh=doors.fresh)
        played = [await play(one, entries, keeper, progress) for one in found]
        model = model_name(doors, kinds)
        return result_of(real, played, entries, seed=seed, model=model, people=humans)

    parts = (mind, agents, seed, given["llm"], given["model"])
    conduct(work, folder_for(out, "discrimination", data, *parts), given, as_json=as_json)
