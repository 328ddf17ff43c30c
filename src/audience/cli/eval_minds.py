"""`audience eval` of minds: discrimination, taste, ratings, generation and activity laws."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.cli.eval import conduct, evaluation_options, folder_for, model_name

if TYPE_CHECKING:
    from audience.lab.evaluation import (
        ContestSource,
        Doors,
        Progress,
        Result,
    )

_WIDTH = 120


def _least(min_per_item: int) -> tuple[int, ...]:
    """Return what is part of a folder's name: nothing where all items take part."""
    return (min_per_item,) if min_per_item > 1 else ()


def _place(data: Path) -> str:
    """Return where data are for a process elsewhere: a path, or the name of a public dataset."""
    return str(data.resolve() if data.exists() else data)


def _is_begun(folder: Path, flags: dict[str, Any]) -> bool:
    """Return True if answers are in a folder already: they are used, and this process goes on."""
    return flags["calls"] != "fresh" and (folder / "scores").is_dir()


def _computed(
    source: ContestSource, folder: Path, flags: dict[str, Any], workers: int, cluster: str
) -> list[Any]:
    """Return what other processes answer or walk; nothing if there are none or need be none."""
    from audience.cli.eval import pieces_shared
    from audience.lab.evaluation import (
        answered_by,
        check_tuned,
        models_for,
        pieces_of,
        walk_pieces,
        walked_by,
    )

    if _is_begun(folder, flags):
        return []
    left = dict(flags)
    models = models_for(source.kinds, o.models_of(left))
    check_tuned(source.kinds, models, o.spending_of(left))
    walks = source.evaluation == "generation"
    pieces = len(walk_pieces(source) if walks else pieces_of(source))
    with pieces_shared(pieces, workers, cluster) as shared:
        return [*(walked_by if walks else answered_by)(source=source, **shared)]


@click.command("activity")
@click.option(
    "--data",
    type=o.RUN,
    required=True,
    multiple=True,
    metavar="PATH",
    help="A dataset, or a folder of several; may be given more than once.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Names every draw.")
@o.out_option
@o.json_option
def activity_command(data: tuple[Path, ...], seed: int, out: Path | None, as_json: bool) -> None:
    """Fit laws to how much people do, and compare when they come with own clocks and rounds."""
    from msgspec.structs import replace

    from audience.cli.eval import folder_for
    from audience.lab.evaluation import (
        activity_values as plain,
        clock_foot,
        clock_table,
        fits_of,
        foot,
        table,
        write_activity,
    )
    from audience.results import print_table
    from audience.terminal import Console

    console = Console(stderr=True)
    with console.status("Fitting …"):
        fits, left = fits_of(data, seed)
        names = ",".join(map(str, data))
        written = write_activity(fits, left, seed, folder_for(out, "activity", names, seed))
    if as_json:
        o.print_json(plain(fits, left, seed) | {"written": [str(path) for path in written]})
        return
    note = "\n".join(foot(fits, left, seed))
    print_table(replace(table(fits), note=note), _WIDTH)
    for score in (fit.clocks for fit in fits if fit.clocks):
        print_table(replace(clock_table(score), note=clock_foot(score, seed)), _WIDTH)
    for path in written:
        click.echo(str(path))


@click.command("discrimination")
@evaluation_options
@click.option(
    "--people", type=click.Path(path_type=Path), default=None, metavar="FILE", help="A human row."
)
@click.option(
    "--unseen", is_flag=True, help="Ask only people whom audience-135m was not trained on."
)
@click.option(
    "--window",
    type=int,
    default=None,
    metavar="N",
    help="Ranks of popularity that matched negatives come from; 100.",
)
@o.pieces_option
@o.cluster_option
def discrimination_command(
    data: Path,
    mind: str,
    agents: int | None,
    min_per_item: int,
    seed: int,
    people: Path | None,
    unseen: bool,
    window: int | None,
    workers: int,
    cluster: str,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Choose the last a items of each user among these and b that the user never picked.

    `grounded+tuned`, or another mind that decides by scoring in its place, weighs the scores of
    both, with weights from other users: the table says what the model adds to evidence.
    """
    from audience.lab.evaluation import (
        CHOOSE,
        WINDOW,
        AnswerStore as Keeper,
        ContestRules as Rules,
        ContestSource as Source,
        arenas,
        baseline_contestants as baselines,
        discrimination_result as result_of,
        done_in,
        kinds_of,
        mind_contestants as minds,
        play,
        read_answers,
        read_real,
    )

    kinds, ranks = kinds_of(mind, stacks=True), WINDOW if window is None else window
    humans = read_answers(people, seed) if people else ()
    asked = (agents, seed, min_per_item, "", unseen, ranks)
    source = Source("discrimination", _place(data), kinds, *asked)
    parts = (mind, agents, seed, flags["llm"], flags["model"], *_least(min_per_item))
    parts += (*(["unseen"] * unseen), *(("window", ranks) if ranks != WINDOW else ()))
    target = folder_for(out, "discrimination", data, *parts)
    computed = _computed(source, target, flags, workers, cluster)

    async def work(doors: Doors, progress: Progress, folder: Path) -> Result:
        real = read_real(data, least=min_per_item)
        contests = arenas(real, agents=agents, seed=seed, unseen=unseen, window=ranks)
        rules = Rules(CHOOSE, real.domain, seed, doors, progress, profiles=real.profiles)
        entries = [*baselines(), *minds(kinds, rules)]
        keeper = Keeper(folder, fresh=doors.fresh)
        played = [
            await play(contest, entries, keeper, progress, done=done_in(contest, computed))
            for contest in contests
        ]
        model = model_name(doors, kinds)
        return result_of(real, played, entries, seed=seed, model=model, people=humans)

    conduct(work, target, flags, kinds, as_json=as_json)


@click.command("taste")
@evaluation_options
@click.option(
    "--also",
    type=o.RUN,
    default=None,
    metavar="PATH",
    help="The data a published split is drawn from: its other people are learnt from too.",
)
@o.pieces_option
@o.cluster_option
def taste_command(
    data: Path,
    mind: str,
    agents: int | None,
    min_per_item: int,
    seed: int,
    also: Path | None,
    workers: int,
    cluster: str,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Ask about held-out items and one, two, three or nine times as many never picked.

    PATH is Agent4Rec's published split (train.txt, valid.txt, test.txt and its maps), or any
    dataset, which is then split 40/30/30 by a named draw.
    """
    from audience.lab.evaluation import (
        TASTE,
        AnswerStore as Keeper,
        ContestRules as Rules,
        ContestSource as Source,
        arena_of,
        baseline_contestants as baselines,
        done_in,
        kinds_of,
        mind_contestants as minds,
        play,
        read_parts,
        taste_result as result_of,
    )

    kinds = kinds_of(mind)

    others = _place(also) if also else ""
    source = Source("taste", _place(data), kinds, agents, seed, min_per_item, others)
    parts = (mind, agents, seed, also, flags["llm"], flags["model"], *_least(min_per_item))
    target = folder_for(out, "taste", data, *parts)
    computed = _computed(source, target, flags, workers, cluster)

    async def work(doors: Doors, progress: Progress, folder: Path) -> Result:
        parted = read_parts(data, also, seed, least=min_per_item)
        arena = arena_of(parted, agents=agents, seed=seed)
        about = parted.real
        rules = Rules(TASTE, about.domain, seed, doors, progress, "spread", about.profiles)
        entries = [*baselines(), *minds(kinds, rules, practises=True)]
        keeper, done = Keeper(folder, fresh=doors.fresh), done_in(arena, computed)
        played = await play(arena, entries, keeper, progress, done=done)
        return result_of(parted, played, entries, model=model_name(doors, kinds))

    conduct(work, target, flags, kinds, as_json=as_json)


@click.command("ratings")
@evaluation_options
@o.pieces_option
@o.cluster_option
def ratings_command(
    data: Path,
    mind: str,
    agents: int | None,
    min_per_item: int,
    seed: int,
    workers: int,
    cluster: str,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Predict a fifth of the stars, drawn or latest: RMSE, MAE, and the histogram's divergence."""
    from audience.lab.evaluation import (
        RATINGS,
        AnswerStore as Keeper,
        ContestRules as Rules,
        ContestSource as Source,
        baseline_raters,
        done_in,
        kinds_of,
        mind_raters,
        play,
        ratings_result as result_of,
        read_real,
        splits_of,
    )

    kinds = kinds_of(mind)

    source = Source("ratings", _place(data), kinds, agents, seed, min_per_item)
    parts = (mind, agents, seed, flags["llm"], flags["model"], *_least(min_per_item))
    target = folder_for(out, "ratings", data, *parts)
    computed = _computed(source, target, flags, workers, cluster)

    async def work(doors: Doors, progress: Progress, folder: Path) -> Result:
        real = read_real(data, least=min_per_item)
        splits = splits_of(real, agents=agents, seed=seed)
        rules = Rules(RATINGS, real.domain, seed, doors, progress)
        entries = [*baseline_raters(), *mind_raters(kinds, rules)]
        keeper = Keeper(folder, fresh=doors.fresh)
        done = [done_in(split.arena, computed) for split in splits]
        played = [
            await play(split.arena, entries, keeper, progress, mixes=False, done=own)
            for split, own in zip(splits, done, strict=True)
        ]
        model = model_name(doors, kinds)
        return result_of(real, splits, played, entries, seed=seed, model=model)

    conduct(work, target, flags, kinds, as_json=as_json)


@click.command("generation")
@evaluation_options
@o.pieces_option
@o.cluster_option
def generation_command(
    data: Path,
    mind: str,
    agents: int | None,
    min_per_item: int,
    seed: int,
    workers: int,
    cluster: str,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Make 5 and 10 steps, each a pick from five items ranked by matrix factorisation.

    1,000 users unless --agents is flags. sequences.json holds the next items of minds, RecSim users
    and the people themselves, for `audience eval people`.
    """
    from msgspec.structs import replace

    from audience.files import replace_all
    from audience.lab.evaluation import (
        STEP,
        TASTE,
        AnswerStore as Keeper,
        ContestRules as Rules,
        ContestSource as Source,
        baseline_contestants as baselines,
        generation_result as result_of,
        kinds_of,
        mind_contestants as minds,
        paths_of,
        read_real,
        steps_done,
        walked,
    )
    from audience.lab.judging import FILE, exported

    kinds = kinds_of(mind)
    source = Source("generation", _place(data), kinds, agents, seed, min_per_item)
    parts = (mind, agents, seed, flags["llm"], flags["model"], *_least(min_per_item))
    target = folder_for(out, "generation", data, *parts)
    done = _computed(source, target, flags, workers, cluster)

    async def work(doors: Doors, progress: Progress, folder: Path) -> Result:
        real = read_real(data, least=min_per_item)
        paths = paths_of(real, agents=agents, seed=seed)
        rules = Rules(TASTE, real.domain, seed, doors, progress, profiles=real.profiles)
        entries, steppers = (
            [*baselines(), *minds(kinds, replace(rules, form=form))] for form in (TASTE, STEP)
        )
        keeper = Keeper(folder, fresh=doors.fresh)
        walks = [
            await walked(path, entries, steppers, keeper, progress, steps_done(path, done))
            for path in paths
        ]
        replace_all({folder / FILE: exported(real, walks, [*kinds, "recsim"])})
        return result_of(real, walks, entries, seed=seed, model=model_name(doors, kinds))

    conduct(work, target, flags, kinds, as_json=as_json)
