"""Offline evaluation of recommenders: the last item of each user, ranked among all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from threadpoolctl import threadpool_limits

from audience.datasets.loaders import read_folder, recognise
from audience.errors import BadInput
from audience.metrics import gini
from audience.recommenders import Context, Ranker, Recommender, seen_by_recommender
from audience.results import SHARE, finite, t_interval
from audience.runs import Attendant, Counted, Here, Pool, PoolTask, Stopping, packed, unpacked
from audience.scenario import Part, label, made
from audience.world import Catalogue, Floats, Interactions, Ints, SocialGraph, Ties, dice, rng

MEASURES = ("recall", "ndcg", "mrr", "coverage", "gini")
_USERS = 4096


class InteractionColumns(msgspec.Struct, frozen=True, eq=False):
    """Interactions as columns of equal length; stars are 0 where none were given."""

    users: Ints
    items: Ints
    at: Ints
    stars: Ints

    def rows(self, chosen: Ints) -> InteractionColumns:
        """Return some of the interactions."""
        return InteractionColumns(
            self.users[chosen], self.items[chosen], self.at[chosen], self.stars[chosen]
        )


class OfflineSplit(msgspec.Struct, frozen=True, eq=False):
    """The training part, and one later item of each user to be found."""

    train: InteractionColumns
    truth: InteractionColumns
    spare: InteractionColumns
    """Neither learnt from nor recommended: what others keep for validation."""


class RecommenderScore(msgspec.Struct, frozen=True):
    """What a recommender achieved."""

    recommender: str
    users: int
    k: int
    values: dict[str, float]
    bounds: dict[str, tuple[float, float]]
    """95 % intervals over users; coverage and Gini are of all slates together and have none."""


def leave_last(lived: InteractionColumns, spare: int = 0) -> OfflineSplit:
    """Hold out the last interaction of each user with enough; set `spare` before it aside.

    Where times are equal the order of the rows decides.
    """
    order = np.lexsort((lived.at, lived.users))
    users = lived.users[order]
    ends = np.searchsorted(users, users, side="right")
    after = ends - 1 - np.arange(len(users))
    before = ends - np.searchsorted(users, users, side="left")
    many = before > spare + 1
    parts = (~many | (after > spare), many & (after == 0), many & (after > 0) & (after <= spare))
    train, truth, aside = (lived.rows(np.sort(order[part])) for part in parts)
    if not len(truth.users):
        raise BadInput(f"nobody has {spare + 2} interactions, so there is nothing to predict")
    return OfflineSplit(train, truth, aside)


def check_offline(
    split: OfflineSplit,
    catalogue: Catalogue,
    people: int,
    recommenders: Mapping[str, Recommender],
    *,
    k: int = 10,
    seed: int = 1,
    ties: SocialGraph | None = None,
) -> list[RecommenderScore]:
    """Return what each recommender achieves on the same split, ranking the whole catalogue."""
    if not 1 <= k <= len(catalogue):
        raise BadInput(f"k is {k}; give 1 to {len(catalogue)}, the number of items")
    columns = (split.train.users, split.train.items, split.train.at)
    whole = np.ones(len(split.train.users))
    rows = (*columns, whole, split.train.stars)
    learnt = seen_by_recommender(Interactions.of(catalogue, people, rows, ties))
    scores = []
    for name, recommender in recommenders.items():
        ranker = recommender.fit(learnt, rng(seed, "fit", 0))
        scores.append(scored(name, slates_of(ranker, split, k, seed), split, len(catalogue)))
    return scores


@lru_cache(maxsize=1)
def read_split(data: Path) -> tuple[OfflineSource, OfflineSplit]:
    """Return a dataset, and its interactions without the last of each user."""
    source = read_source(data)
    return source, leave_last(source.lived)


def score_offline(
    data: Path,
    kinds: Sequence[str],
    *,
    k: int = 10,
    seed: int = 1,
    pool: Pool | None = None,
    counted: Counted = lambda rounds, runs: None,
    stopping: Stopping = lambda: False,
) -> list[RecommenderScore]:
    """Return what recommenders achieve on a dataset; each is a task of the pool."""
    call = f"{__name__}:{perform_score.__name__}"
    given = {"data": str(data.resolve()), "k": k, "seed": seed}
    tasks = [PoolTask(label(kind), call, {**given, "kind": kind}, ".") for kind in kinds]
    ended = (pool or Here()).work(tasks, counted, stopping)
    scores = {task.name: unpacked(body, RecommenderScore) for task, body in ended}
    return [scores[task.name] for task in tasks]


def perform_score(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Return what one recommender achieves, as bytes; threads would change its last digits."""
    del root, attendant  # nothing is written
    kind, (source, split) = given["kind"], read_split(Path(given["data"]))
    one = {label(kind): made("recommenders", Part(kind))}
    about = {"k": given["k"], "seed": given["seed"], "ties": source.ties}
    with threadpool_limits(limits=1):
        return packed(check_offline(split, source.catalogue, source.people, one, **about)[0])


def slates_of(ranker: Ranker, split: OfflineSplit, k: int, seed: int) -> Ints:
    """Return [truths, k]: what each user is shown, without items they already know."""
    barred = _barred(split)
    slates = []
    for start in range(0, len(barred), _USERS):
        users = split.truth.users[start : start + _USERS]
        pages = np.zeros(len(users), np.int64)
        draws = dice(seed, "rank", users, 0, pages)
        moments = split.truth.at[start : start + _USERS]
        context = Context(moments, pages, barred[start : start + _USERS], draws)
        slates.append(np.asarray(ranker.rank(users, k, context)))
    return np.concatenate(slates)


def scored(name: str, slates: Ints, split: OfflineSplit, items: int) -> RecommenderScore:
    """Return the measures of some slates."""
    per_user = measures(slates, split.truth.items)
    values, bounds = {}, {}
    for measure, each in per_user.items():
        values[measure], low, high = t_interval(each, SHARE).three
        bounds[measure] = (low, high)
    shown = np.bincount(slates[slates >= 0], minlength=items).astype(np.float64)
    values |= {"coverage": float((shown > 0).mean()), "gini": gini(shown)}
    return RecommenderScore(name, len(slates), slates.shape[1], values, bounds)


def measures(slates: Ints, truths: Ints) -> dict[str, Floats]:
    """Return recall, NDCG and MRR of each row for its one truth: 1, 1/log2(place + 1), 1/place."""
    hits = slates == truths[:, None]
    places = np.arange(1, slates.shape[1] + 1)
    return {
        "recall": hits.sum(axis=1).astype(np.float64),
        "ndcg": (hits / np.log2(places + 1)).sum(axis=1),
        "mrr": (hits / places).sum(axis=1),
    }


def _barred(split: OfflineSplit) -> list[tuple[int, ...]]:
    """Return the items each user consumed before; never the truth itself."""
    users = np.concatenate([split.train.users, split.spare.users])
    items = np.concatenate([split.train.items, split.spare.items])
    order = np.argsort(users, kind="stable")
    users, items = users[order], items[order]
    begins = np.searchsorted(users, split.truth.users, side="left").tolist()
    ends = np.searchsorted(users, split.truth.users, side="right").tolist()
    spans = zip(begins, ends, split.truth.items.tolist(), strict=True)
    return [tuple(set(items[begin:end].tolist()) - {truth}) for begin, end, truth in spans]


def plain_scores(scores: Sequence[RecommenderScore], seed: int) -> dict[str, object]:
    """Return scores as plain values; what is not a number becomes None."""
    rows = []
    for score in scores:
        values, bounds = finite(score.values), finite(score.bounds)
        rows.append({"recommender": score.recommender, "values": values, "intervals": bounds})
    first = scores[0]
    return {"seed": seed, "users": first.users, "k": first.k, "recommenders": rows}


class OfflineSource(msgspec.Struct, frozen=True, eq=False):
    """All that recommenders may be evaluated on."""

    catalogue: Catalogue
    people: int
    lived: InteractionColumns
    ties: SocialGraph | None


def read_source(path: Path) -> OfflineSource:
    """Return the interactions of a dataset with its items and ties; raise if there are none."""
    source = _own(path) if (path / "items.csv").exists() else _published(path)
    if not len(source.lived.users):
        raise BadInput(f"{path}: has no interactions, so that there is nothing to check")
    return source


def _own(path: Path) -> OfflineSource:
    held = read_folder(path)
    people, past = held.people or (), held.past or ()
    columns = np.array([(p.agent, p.item, p.at, p.stars) for p in past], np.int64).reshape(-1, 4).T
    ties = None
    if held.ties:
        firsts, others = [row.first for row in held.ties], [row.other for row in held.ties]
        kinds, closeness = [0] * len(held.ties), [row.closeness for row in held.ties]
        ties = SocialGraph(Ties.of(len(people), firsts, others, kinds, closeness))
    return OfflineSource(Catalogue(held.items), len(people), InteractionColumns(*columns), ties)


def _published(path: Path) -> OfflineSource:
    corpus = recognise(path).make(path).corpus()
    lived, edges, ties = corpus.lived, corpus.ties, None
    if edges is not None:
        columns = (edges.firsts, edges.others, edges.kinds, edges.closeness.astype(np.float32))
        ties = SocialGraph(Ties.of(len(corpus.people), *columns, edges.names))
    # Half stars are given upwards: 0.5 is one star, since 0 says that there are none.
    stars = np.floor(lived.stars + 0.5).astype(np.int64)
    lived_ = InteractionColumns(lived.users, lived.items, lived.at, stars)
    return OfflineSource(Catalogue(corpus.items), len(corpus.people), lived_, ties)
