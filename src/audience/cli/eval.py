"""`audience eval`: the list of evaluations, and what evaluations of minds share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import structs

from audience.cli import options as o
from audience.cli.commands import LazyGroup
from audience.files import slug_of

if TYPE_CHECKING:
    from audience.lab.evaluation import Doors, Progress, Result

EVALUATIONS = {
    "recommenders": (
        "eval_recommenders:recommenders_command",
        "How well recommenders find what people did next.",
    ),
    "verdicts": (
        "eval_recommenders:verdicts_command",
        "What an audience makes of several recommenders, with intervals.",
    ),
    "sensitivity": (
        "eval_sensitivity:sensitivity_command",
        "Before which people the arms of a scenario are ranked in another way.",
    ),
    "discrimination": (
        "eval_minds:discrimination_command",
        "Telling what people picked next from what they never did.",
    ),
    "tuned": (
        "eval_tuned:tuned_command",
        "A tuned model against its bars: choices, calibration, orders, speech, speed.",
    ),
    "taste": (
        "eval_minds:taste_command",
        "Saying yes to what people picked, at ratios of 1:1 to 1:9.",
    ),
    "ratings": (
        "eval_minds:ratings_command",
        "The stars people give: errors, and how far the histogram is off.",
    ),
    "generation": (
        "eval_minds:generation_command",
        "Five and ten steps from a history, against what people really did.",
    ),
    "activity": ("eval_minds:activity_command", "Pareto and lognormal fits of how much people do."),
    "calibration": (
        "eval_fits:calibration_command",
        "Fit how minds visit and rate to real people, and check on others.",
    ),
    "spread": (
        "eval_fits:spread_command",
        "A real adoption curve: fitted first, then predicted.",
    ),
    "backtest": (
        "eval_backtest:backtest_command",
        "Whether an audience orders policies as real, randomised people did.",
    ),
    "memory": (
        "eval_memory:memory_command",
        "What each kind of memory keeps and loses, by planted facts.",
    ),
    "behaviour": (
        "eval_models:behaviour_command",
        "What language-model people do and say, beside what is known of people.",
    ),
    "people": (
        "eval_people:people_command",
        "People as judges, or a model as judge: choices, texts, blind pairs, scores.",
    ),
    "knowledge": (
        "eval_models:knowledge_command",
        "What a language model knows by heart, and titles that it should not name.",
    ),
    "consistency": (
        "eval_models:consistency_command",
        "Whether a model stays the person it plays, and can dislike.",
    ),
    "prompts": (
        "eval_models:prompts_command",
        "Position on a page, wording of prompts, and visits against real ones.",
    ),
    "demographics": (
        "eval_models:demographics_command",
        "Gender, age and occupation guessed from what people wrote in a run.",
    ),
    "efficiency": (
        "eval_models:efficiency_command",
        "Seconds a round, by people, concurrent calls and endpoints or keys.",
    ),
    "forgetting": (
        "eval_memory:forgetting_command",
        "Draw the forgetting function for chosen beta and delta.",
    ),
}


@click.group("eval", cls=LazyGroup, listed=EVALUATIONS)
def eval_group() -> None:
    """Evaluate a part against a known truth, with intervals and baselines."""


Work = Callable[["Doors", "Progress", Path], Awaitable["Result"]]
_WIDTH = 110
T = TypeVar("T")


def evaluation_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the flags that every evaluation of minds takes."""
    return evaluation_options_for(
        "grounded",
        "KIND[,KIND…]",
        "grounded, rule, recsim, tuned, llm, llm+evidence, llm+score, llm-plain, ...",
    )(command)


def evaluation_options_for(
    mind: str, shape: str, about: str
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return what adds these flags with another default of `--mind`."""
    return partial(_with_options, mind, shape, about)


def _with_options(
    mind: str, shape: str, about: str, command: Callable[..., object]
) -> Callable[..., object]:
    flags = (
        click.option(
            "--data", type=o.RUN, required=True, metavar="PATH", help="Real interactions."
        ),
        click.option(
            "--mind",
            default=mind,
            show_default=True,
            metavar=shape,
            help=about,
        ),
        click.option("--agents", type=int, default=None, metavar="N", help="Draw so many users."),
        click.option(
            "--min-per-item",
            type=click.IntRange(min=0),
            default=0,
            metavar="N",
            help="Leave out items that fewer than N people took.",
        ),
        click.option("--seed", type=int, default=1, show_default=True, help="Names every draw."),
    )
    for flag in reversed(flags):
        command = flag(command)
    return o.model_options(o.spending_options(o.out_option(o.json_option(command))))


def folder_for(out: Path | None, *parts: object) -> Path:
    """Return the folder of an evaluation: the same arguments give the same folder."""
    from audience.lab.evaluation import joined

    if out is not None:
        return out
    name, data, *rest = parts
    slug = slug_of(Path(str(data)).stem)
    return Path("runs") / f"eval-{name}-{slug[:30]}-{joined(str(data), *map(str, rest))[:8]}"


def model_name(doors: Doors, kinds: Sequence[str]) -> str:
    """Return the name of the model in a table; "" if none takes part."""
    from audience.lab.evaluation import asks_model
    from audience.scenario import name_of

    if not any(map(asks_model, kinds)):
        return ""
    return name_of(doors.models) or doors.models.address


def conduct(
    work: Work, folder: Path, flags: dict[str, Any], kinds: Sequence[str], *, as_json: bool
) -> None:
    """Do the work with a gateway to models and a progress bar; write and print the result."""
    from audience.lab.evaluation import write_evaluation as write

    result, doors = asked(work, folder, flags, kinds)
    result = structs.replace(result, calls_now=doors.calls)
    written = write(result, folder)
    if as_json:
        from audience.lab.evaluation import result_values as plain

        o.print_json(plain(result) | {"written": [str(path) for path in written]})
        return
    show(result)
    for path in written:
        click.echo(str(path))


def asked(
    work: Callable[[Doors, Progress, Path], Awaitable[T]],
    folder: Path,
    flags: dict[str, Any],
    kinds: Sequence[str],
) -> tuple[T, Doors]:
    """Do the work with a gateway to models and a progress bar; return its result."""
    from audience.engine import run_sync
    from audience.lab.evaluation import Doors, check_tuned, models_for

    models, spending = models_for(kinds, o.models_of(flags)), o.spending_of(flags)
    check_tuned(kinds, models, spending)
    doors = Doors(models, spending, folder)
    results: list[T] = []

    async def whole() -> None:
        try:
            results.append(await work(doors, progress, folder))
        finally:
            await doors.close()

    with bar() as progress:
        run_sync(whole)
    return results[0], doors


@contextmanager
def bar() -> Iterator[Progress]:
    """Show on standard error who is answering and how far they are."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from audience.cli.screen import progress_lines
    from audience.terminal import Console

    console = Console(stderr=True)
    told_lines = progress_lines()
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as shown:
        task = shown.add_task("reading", total=None)
        totals: dict[str, int] = {}

        def told(name: str, done: int, total: int) -> None:
            totals[name] = total or totals.get(name, 0)
            shown.update(task, description=name, completed=done, total=totals[name] or None)
            told_lines(name, done, totals[name])

        yield told


@contextmanager
def pieces_shared(pieces: int, workers: int, cluster: str) -> Iterator[dict[str, Any]]:
    """Yield the pool for the pieces of an evaluation, and who counts them and may stop it."""
    from audience.cli.screen import stoppable
    from audience.runs import pool_for_pieces

    done = 0
    with stoppable() as stopping, pool_for_pieces(pieces, workers, cluster) as pool, bar() as told:

        def counted(rounds: int, runs: int) -> None:
            nonlocal done
            done += runs
            told("pieces", done, pieces)

        yield {"pool": pool, "counted": counted, "stopping": stopping}


def show(result: Result) -> None:
    """Print a result: a section for each group, paired differences, and notes."""
    from audience.lab.evaluation import footer, group_tables
    from audience.results import to_rich, wide_console

    tables = group_tables(result)
    console = wide_console(_WIDTH, *tables)
    console.print(result.title, style="bold", markup=False)
    for table in tables:
        console.print(to_rich(table))
        console.print()
    for line in footer(result):
        console.print(line, style="dim", markup=False, soft_wrap=True)
