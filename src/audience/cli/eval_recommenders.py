"""`audience eval recommenders` and `eval verdicts`: offline accuracy, and what minds say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput

if TYPE_CHECKING:
    from audience.lab.evaluation import RecommenderScore
    from audience.lab.verdicts import SkippedRecommender, Verdicts
    from audience.scenario import Scenario
    from audience.terminal import Console

_WIDTH = 100
USUAL = "random,popular,item-knn,ease,bpr,als,lightgcn,multvae,markov,content"


@click.command("recommenders")
@click.option("--data", type=o.RUN, required=True, metavar="PATH", help="Files with interactions.")
@o.recommender_option("What is checked.", USUAL)
@click.option("--k", default=10, show_default=True, help="How many items are shown.")
@click.option("--seed", default=1, show_default=True, help="For methods that draw.")
@o.pieces_option
@o.cluster_option
@o.json_option
def recommenders_command(
    data: Path,
    recommender: tuple[str, ...],
    k: int,
    seed: int,
    workers: int,
    cluster: str,
    as_json: bool,
) -> None:
    """Hold out the last item of each user, and rank it among all items new to that user."""
    from audience.cli.eval import pieces_shared
    from audience.lab.evaluation import plain_scores, read_split, score_offline
    from audience.scenario import Part, made

    for kind in recommender:
        made("recommenders", Part(kind))
    data = data.resolve()
    source, split = read_split(data)
    with pieces_shared(len(recommender), workers, cluster) as shared:
        scores = score_offline(data, recommender, k=k, seed=seed, **shared)
    if as_json:
        o.print_json(plain_scores(scores, seed))
        return
    _print(scores, len(split.train.users), len(source.catalogue), seed)


def _print(scores: Sequence[RecommenderScore], learnt: int, items: int, seed: int) -> None:
    from audience.lab.evaluation import MEASURES
    from audience.results import SHARE, Column, Interval, ResultTable, Value, to_rich, wide_console

    first = scores[0]
    columns = (
        Column(
            f"{name}@{first.k}",
            over="users" if name in first.bounds else "",
            digits=4,
            half=True,
            bounds=SHARE,
        )
        for name in MEASURES
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            score.recommender,
            *(Interval(score.values[name], *score.bounds.get(name, ())) for name in MEASURES),
        )
        for score in scores
    )
    table = ResultTable((Column("recommender", is_text=True), *columns), rows)
    console = wide_console(_WIDTH, table)
    console.print(to_rich(table))
    console.print(
        f"[dim]{first.users:,} users, {items:,} items, {learnt:,} interactions learnt from, "
        f"seed {seed}; ± is a 95 % interval over users. The last item of each user is ranked "
        "against all items that are new to them.[/]",
        soft_wrap=True,
    )


_VERDICT_WIDTH = 110
USUAL_VERDICTS = "random,popular,bpr,als,ease,lightgcn,multvae"


@click.command("verdicts")
@click.option("--data", required=True, metavar="PATH", help="A dataset by name or path.")
@click.option("--mind", default="rule", show_default=True, metavar="KIND", help="Who judges.")
@o.recommender_option("What is judged.", USUAL_VERDICTS)
@click.option("--agents", default=200, show_default=True, help="How many people.")
@click.option("--rounds", default=3, show_default=True, help="How many visits each may make.")
@click.option("--seed", default=1, show_default=True, help="The first seed.")
@click.option("--seeds", default=5, show_default=True, help="How many seeds.")
@click.option(
    "--evidence",
    type=click.Choice(("apart", "same")),
    default=None,
    help="Whether minds know items from other people than recommenders learn from.",
)
@click.option(
    "--recbole-python",
    envvar="RECBOLE_PYTHON",
    default="",
    metavar="PYTHON",
    help="The Python that has RecBole.",
)
@o.model_options
@o.spending_options
@o.workers_option
@o.cluster_option
@o.out_option
@o.json_option
def verdicts_command(
    data: str,
    mind: str,
    recommender: tuple[str, ...],
    workers: int,
    cluster: str,
    out: Path | None,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Let the same people judge recommenders: views, likes, exit page, satisfaction.

    Run again with the same --out to continue where it was stopped.
    """
    from audience.cli.progress import conducted, fail_if_withheld
    from audience.lab.verdicts import as_plain, judged, write
    from audience.runs import pool_for, variants
    from audience.terminal import Console

    spending = o.spending_of(flags)
    scenario, skipped = _experiment(data, mind, recommender, flags)
    folder = out or o.free_folder("verdicts")
    errors = Console(stderr=True)
    arms = list(variants(scenario).values())
    with pool_for(arms, workers, cluster=cluster) as pool:
        asked = (scenario, folder, errors, spending)
        outcome = conducted(*asked, quiet=as_json, workers=workers, pool=pool)
    with errors.status("Reading the logs, and measuring offline …"):
        verdicts = judged(scenario, outcome, skipped)
    write(verdicts, folder)
    if as_json:
        o.print_json(as_plain(verdicts) | {"folder": str(folder)})
    else:
        console = Console(highlight=False)
        console.width = max(console.width, _VERDICT_WIDTH)
        _print_verdicts(console, verdicts)
        files = "verdicts.md, .csv, .json, .png and .svg"
        console.print(f"\nWritten: {folder}/{files}", soft_wrap=True)
    fail_if_withheld(outcome.findings)


def _experiment(
    data: str, mind: str, recommender: tuple[str, ...], flags: dict[str, Any]
) -> tuple[Scenario, tuple[SkippedRecommender, ...]]:
    from audience.datasets.loaders import options_for
    from audience.lab.verdicts import arms_for, scenario_for
    from audience.runs import can_be_apart
    from audience.scenario import models_table

    arms, skipped = arms_for(list(recommender), flags.pop("recbole_python"))
    dataset, evidence = options_for(data), flags.pop("evidence")
    possible = can_be_apart(dataset)
    if evidence == "apart" and not possible:
        raise BadInput(
            f"--evidence apart: {data} cannot be halved; use a dataset of interactions as it is "
            "published, or --evidence same, which flags what is shared"
        )
    models = models_table(flags)
    apart = possible and evidence != "same"
    return scenario_for(dataset, mind, arms, apart=apart, llm=models, **flags), skipped


def _print_verdicts(console: Console, verdicts: Verdicts) -> None:
    from audience.lab.verdicts import remarks, tables
    from audience.results import least_width, to_rich

    shown = tables(verdicts)
    console.width = max(console.width, *map(least_width, shown))
    for table in shown:
        console.print(to_rich(table))
        console.print()
    for line in remarks(verdicts):
        console.print(line, style="dim", markup=False, soft_wrap=True)
