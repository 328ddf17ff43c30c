"""`audience eval recommenders`: recommenders against what people really did next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audience.cli import options as o
from audience.errors import BadInput

if TYPE_CHECKING:
    from audience.experiments.offline import Score

_WIDTH = 100
USUAL = "random,popular,item-knn,ease,bpr,als,lightgcn,multvae,markov,content"


@click.command("recommenders")
@click.option("--data", type=o.RUN, required=True, metavar="PATH", help="Files with interactions.")
@click.option("--recommender", default=USUAL, metavar="LIST", help=f"Default: {USUAL}.")
@click.option("--k", default=10, show_default=True, help="How many items are shown.")
@click.option("--seed", default=1, show_default=True, help="For methods that draw.")
@o.json_option
def command(data: Path, recommender: str, k: int, seed: int, as_json: bool) -> None:
    """Hold out the last item of each user and see who finds it among all that it did not live."""
    from audience.experiments.build import made
    from audience.experiments.offline import check_offline, leave_last, plain_scores
    from audience.experiments.offline_source import read_source
    from audience.experiments.scenario import Part, label

    kinds = [kind.strip() for kind in recommender.split(",") if kind.strip()]
    if not kinds:
        raise BadInput("--recommender: is empty; give kinds such as popular,ease")
    recommenders = {label(kind): made("recommenders", Part(kind)) for kind in kinds}
    found = read_source(data)
    split = leave_last(found.lived)
    scores = check_offline(
        split, found.catalogue, found.people, recommenders, k=k, seed=seed, ties=found.ties
    )
    if as_json:
        o.print_json(plain_scores(scores, seed))
        return
    _print(scores, len(split.train.users), len(found.catalogue), seed)


def _print(scores: Sequence[Score], learnt: int, items: int, seed: int) -> None:
    from audience.experiments.offline import MEASURES
    from audience.results import Column, Interval, ResultTable, Value, to_rich, wide_console

    first = scores[0]
    columns = (
        Column(
            f"{name}@{first.k}", over="users" if name in first.bounds else "", digits=4, half=True
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
    console = wide_console(_WIDTH)
    console.print(to_rich(ResultTable((Column("recommender", is_text=True), *columns), rows)))
    console.print(
        f"[dim]{first.users:,} users, {items:,} items, {learnt:,} interactions learnt from, "
        f"seed {seed}; ± is a 95 % interval over users. The last item of each user is ranked "
        "against all that it did not live.[/]",
        soft_wrap=True,
    )
