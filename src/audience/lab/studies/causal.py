"""Causal study: which of an item's variables lead to which, by DirectLiNGAM on a run's log.

DirectLiNGAM (Shimizu and others 2011, with the measure of Hyvärinen and Smith 2013) assumes linear
effects, no loops, no hidden causes and non-Gaussian noise; where these fail, so may its
arrows. The study plants known truths to find out.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from audience.lab.studies.study import (
    Chart,
    Study,
    StudyFindings,
    against_zero,
    clause,
    known,
    level,
    sentence,
)
from audience.metrics import NAN
from audience.results import Findings, Label, bootstrap, shown, t_interval
from audience.world import Floats, Generator, Ints, Picked, Rated, Record, SlateShown, View, rng

_K1, _K2, _GAMMA = 79.047, 7.4129, 0.37457
_GAUSSIAN = (1.0 + np.log(2.0 * np.pi)) / 2.0


def direct_lingam(rows: Floats) -> tuple[list[int], Floats]:
    """Return the causal order of the columns, and [to, from] effects in standard deviations.

    Columns are standardised; a constant column comes last in the order and has no effect.
    """
    spread = rows.std(axis=0)
    varying = np.flatnonzero(spread > 1e-9).tolist()
    values = (rows - rows.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    order = _order(values, varying)
    effects = np.zeros((rows.shape[1], rows.shape[1]))
    for place, column in enumerate(order[1:], 1):
        causes = order[:place]
        slopes = np.linalg.lstsq(values[:, causes], values[:, column], rcond=None)[0]
        effects[column, causes] = slopes
    rest = [column for column in range(rows.shape[1]) if column not in varying]
    return order + rest, effects


def _order(values: Floats, columns: list[int]) -> list[int]:
    left, ordered, values = list(columns), list[int](), values.copy()
    while len(left) > 1:
        first = _exogenous(values, left)
        ordered.append(first)
        left.remove(first)
        for column in left:
            values[:, column] = _residual(values[:, column], values[:, first])
    return ordered + left


def _exogenous(values: Floats, left: list[int]) -> int:
    """Return the column that depends least on any other; the first of equals."""
    columns = [_standard(values[:, column]) for column in left]
    entropies = [_entropy(column) for column in columns]
    leanings = np.zeros((len(left), len(left)))
    for first, second in combinations(range(len(left)), 2):
        onward = _residual(columns[second], columns[first])
        back = _residual(columns[first], columns[second])
        forward = entropies[first] + _entropy(_standard(onward))
        backward = entropies[second] + _entropy(_standard(back))
        # Above zero if the first is the cause; seen from the second, the opposite.
        leanings[first, second], leanings[second, first] = backward - forward, forward - backward
    scores = [sum(min(0.0, float(leaning)) ** 2 for leaning in row) for row in leanings]
    return left[int(np.argmin(np.round(scores, 12)))]


def _standard(values: Floats) -> Floats:
    centred = values - values.mean()
    scaled: Floats = np.divide(centred, max(float(centred.std()), 1e-12))
    return scaled


def _residual(values: Floats, cause: Floats) -> Floats:
    centred, by = values - values.mean(), cause - cause.mean()
    slope = float((centred * by).mean()) / max(float((by * by).mean()), 1e-12)
    return np.subtract(values, slope * cause)


def _entropy(values: Floats) -> float:
    """Return Hyvärinen's approximation to the entropy of standardised values."""
    # log cosh u, in a form that does not overflow for large u
    cosh = np.abs(values) + np.log1p(np.exp(-2.0 * np.abs(values))) - np.log(2.0)
    bell = values * np.exp(-(values**2) / 2.0)
    first, second = float(cosh.mean()) - _GAMMA, float(bell.mean())
    return float(_GAUSSIAN - _K1 * first**2 - _K2 * second**2)


QUALITY, POPULARITY, SHOWN, PICKED, RATING = range(5)
PARENTS: dict[int, list[int]] = {
    QUALITY: [],
    POPULARITY: [QUALITY],
    SHOWN: [POPULARITY],
    PICKED: [QUALITY, SHOWN],
    RATING: [QUALITY],
}
KNOWN = ((QUALITY, PICKED), (QUALITY, RATING), (SHOWN, PICKED))
RESAMPLES = 60
DRAWS = 6
LEAST = 0.05
"""The least effect, in standard deviations, that counts as an arrow."""


def resampled(rows: Floats, seed: int) -> Floats:
    """Return [to, from]: the share of resamples of the items in which an arrow is found."""

    def arrows(items: Ints) -> Floats:
        return (np.abs(direct_lingam(rows[items])[1]) >= LEAST).astype(np.float64).ravel()

    samples = bootstrap(arrows, len(rows), seed=seed, names=("causal",), resamples=RESAMPLES)
    shares: Floats = samples.mean(axis=-1).reshape(rows.shape[1], rows.shape[1])
    return shares


def right(rows: Floats) -> float:
    """Return the share of the known arrows whose cause precedes its effect."""
    order = direct_lingam(rows)[0]
    return sum(order.index(cause) < order.index(effect) for cause, effect in KNOWN) / len(KNOWN)


def planted(rows: Floats, draw: Generator, noise: str) -> Floats:
    """Return a table of the same size and strengths whose effects are linear, with a given noise.

    `noise` is `laplace`, as the method assumes, or `normal`, with which no order can be found.
    """
    spread = rows.std(axis=0)
    real = (rows - rows.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)
    made: Floats = np.zeros_like(real)
    for column, causes in PARENTS.items():
        own = getattr(draw, noise)(size=len(real))
        own = (own - own.mean()) / max(float(own.std()), 1e-12)
        effect = np.linalg.lstsq(real[:, causes], real[:, column], rcond=None)[0]
        rest = float((real[:, column] - real[:, causes] @ effect).std())
        made[:, column] = made[:, causes] @ effect + rest * own
    return made


def counted(items: Floats, draw: Generator, times: int = 1) -> Floats:
    """Return the table of a truth like that of rule minds, with everything shown `times` as often.

    `items` holds quality, past, exposures and picks of everything shown, as plain counts. Quality
    raises the chance that an exposure is picked, and the stars of each pick.
    """
    quality, past, shown, picked = items.T
    often = shown.astype(np.int64) * times
    rate = picked.sum() / max(float(shown.sum()), 1.0)
    chance = np.clip(rate * np.exp(2.0 * (quality - quality.mean())), 0.0, 1.0)
    picks = draw.binomial(often, chance)
    some = picks > 0
    stars = _stars(quality[some], picks[some], draw)
    logs = [np.log1p(counts[some]) for counts in (past, often, picks)]
    return np.stack([quality[some], *logs, stars], axis=1)


def _stars(quality: Floats, picks: Ints, draw: Generator) -> Floats:
    """Return the mean stars of each item, of as many ratings as it has picks."""
    owners = np.repeat(np.arange(len(quality)), picks)
    felt = 1.6 + 3.2 * quality[owners] + 0.8 * draw.standard_normal(len(owners))
    stars = np.clip(np.round(felt), 1, 5)
    means: Floats = np.bincount(owners, stars, minlength=len(quality)) / np.maximum(picks, 1)
    return means


VARIABLES = {
    "quality": "quality",
    "popularity": "popularity",
    "shown": "exposure",
    "picked": "picks",
    "rating": "mean rating",
}
"""The five variables of every item, as in Agent4Rec."""
FEW = 20
"""With fewer rated items nothing is estimated."""
PAIRS = [(cause, effect) for cause in VARIABLES for effect in VARIABLES if cause != effect]
OFTEN = 25
"""How many times as much is shown in the check whether counts are too small."""
CHECKS: dict[str, Label] = {
    "known_right": ("Arrows known in rule minds whose order is right", "share", "higher"),
    "planted_right": ("The same, planted with Laplace noise", "share", "higher"),
    "gaussian_right": ("The same, planted with Gaussian noise", "share", "higher"),
    "counted_right": ("The same, planted as counts like these", "share", "higher"),
    "often_right": (f"The same, as counts {OFTEN} times as large", "share", "higher"),
}
LABELS: dict[str, Label] = {
    **{
        f"edge_{cause}_{effect}": (
            f"{VARIABLES[cause]} → {VARIABLES[effect]}",
            "standard deviations",
            "",
        )
        for cause, effect in PAIRS
    },
    **{
        f"kept_{cause}_{effect}": (
            f"{VARIABLES[cause]} → {VARIABLES[effect]}, found",
            "share of resamples",
            "",
        )
        for cause, effect in PAIRS
    },
    **{f"place_{name}": (f"Place of {label} in the order", "", "")
       for name, label in VARIABLES.items()},
    **CHECKS,
    "rated_items": ("Items compared", "", ""),
    "picks_an_item": ("Picks of an item compared", "mean", ""),
}  # fmt: skip


class Arrows:
    """Counts what happens to every item, and estimates arrows among its five variables.

    Only items with a rating are compared; counts are taken as log(1 + count). `kept_A_B` is the
    share of resamples of the items in which the arrow from A to B is found.
    """

    watches = (SlateShown, Picked, Rated)

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._shown: list[int] = []
        self._picked: list[int] = []
        self._rated: list[tuple[int, int]] = []
        self._world: View | None = None

    def update(self, record: Record, world: View) -> None:
        event: Any = record.event
        self._world = world
        if isinstance(event, SlateShown):
            self._shown += event.items
        elif isinstance(event, Picked):
            self._picked.append(event.item)
        else:
            self._rated.append((event.item, event.stars))

    def items(self) -> Floats:
        """Return [items, 6]: quality, counts of past, shown, picked and rated, sum of stars."""
        assert self._world is not None
        count = len(self._world.catalogue)
        ratings = np.array(self._rated, np.int64).reshape(-1, 2)
        past = [events.item for events in self._world.genesis.past]
        columns = [
            self._world.catalogue.quality,
            *(np.bincount(events, minlength=count) for events in (past, self._shown, self._picked)),
            np.bincount(ratings[:, 0], minlength=count),
            np.bincount(ratings[:, 0], ratings[:, 1], minlength=count),
        ]
        return np.stack([np.asarray(events, np.float64) for events in columns], axis=1)

    def table(self) -> Floats:
        """Return [rated items, variables]."""
        quality, past, shown_, picked, ratings, stars = self.items().T
        rated = ratings > 0
        logs = [np.log1p(column) for column in (past, shown_, picked)]
        columns = [quality, *logs, stars / np.maximum(ratings, 1)]
        return np.stack([column[rated] for column in columns], axis=1)

    def close(self) -> dict[str, float]:
        """Return nothing: it is slow, and only needed at the end."""
        return {}

    def value(self) -> dict[str, float]:
        values = dict.fromkeys(LABELS, NAN)
        rows = self.table() if self._rated else np.zeros((0, len(VARIABLES)))
        values["rated_items"] = float(len(rows))
        if len(rows) < FEW:
            return values
        order, effects = direct_lingam(rows)
        names = list(VARIABLES)
        for cause, effect in PAIRS:
            strength = effects[names.index(effect), names.index(cause)]
            values[f"edge_{cause}_{effect}"] = float(strength)
        for name in names:
            values[f"place_{name}"] = float(order.index(names.index(name)) + 1)
        values["picks_an_item"] = float(np.expm1(rows[:, names.index("picked")]).mean())
        return values | self._trusted(rows) | self._kept(rows)

    def _trusted(self, rows: Floats) -> dict[str, float]:
        """Return how much of a known truth the method finds in the log and in planted tables."""
        items = self.items()
        seen = items[items[:, 2] > 0][:, :4]
        draw = rng(self._seed, "causal", "planted")
        made: dict[str, Callable[[], Floats]] = {
            "planted_right": lambda: planted(rows, draw, "laplace"),
            "gaussian_right": lambda: planted(rows, draw, "normal"),
            "counted_right": lambda: counted(seen, draw),
            "often_right": lambda: counted(seen, draw, OFTEN),
        }
        shares = {"known_right": right(rows)}
        for name, make in made.items():
            shares[name] = sum(right(make()) for _ in range(DRAWS)) / DRAWS
        return shares

    def _kept(self, rows: Floats) -> dict[str, float]:
        shares = resampled(rows, self._seed)
        names = list(VARIABLES)
        return {
            f"kept_{cause}_{effect}": float(shares[names.index(effect), names.index(cause)])
            for cause, effect in PAIRS
        }


def arrows(findings: Findings, name: str) -> list[tuple[str, float, float, float, float]]:
    """Return the arrows of an arm whose interval excludes zero, the strongest first.

    Each has its name, mean, low and high, and the share of resamples in which it is found.
    """
    arm = next(arm for arm in findings.arms if arm.name == name)
    clear = []
    for cause, effect in PAIRS:
        metric = f"edge_{cause}_{effect}"
        mean, low, high = t_interval(arm.values(metric)).three
        if low > 0.0 or high < 0.0:
            kept = t_interval(arm.values(f"kept_{cause}_{effect}")).mean
            clear.append((findings.labels[metric][0], mean, low, high, kept))
    return sorted(clear, key=lambda arrow: -abs(arrow[1]))


def finding(findings: StudyFindings) -> str:
    """Return which arrows are found repeatedly, what the control shows, and what to trust."""
    first = findings.arms[0].name
    strong = arrows(findings, first)[:3]
    if strong:
        listed = ", ".join(_arrow(*arrow) for arrow in strong)
        strongest = f"the strongest arrows with {first} whose interval excludes zero are {listed}"
    else:
        strongest = f"no arrow with {first} could be shown that seeds agree on"
    clauses = [clause(findings, "edge_popularity_shown", "random", first)]
    if findings.has_rule_minds:
        listed = ", ".join(
            f"{level(findings, 'known_right', arm.name)} with {arm.name}" for arm in findings.arms
        )
        clauses.append(
            f"of the arrows known in rule minds the order has right: {listed}, and "
            f"{level(findings, 'planted_right', first)} in planted data of the size of {first}"
        )
    return sentence([strongest, *clauses])


def _arrow(name: str, mean: float, low: float, high: float, kept: float) -> str:
    often = "" if np.isnan(kept) else f" (in {kept:.0%} of resamples)".replace("%", " %")
    return f"{name} {shown(mean, low, high, signed=True)}{often}"


def remarks(findings: StudyFindings) -> list[str]:
    """Return what is known to be true, what the method assumes, and what that means here."""
    lines = [
        "DirectLiNGAM assumes linear effects, no loops, no hidden causes and non-Gaussian noise. "
        "Counts of a few picks violate this: their noise grows with their mean. Only items that "
        "were picked have a rating: a selection that biases arrows. A recommender that reads what "
        "people have consumed since, such as content, is a loop, which it cannot show."
    ]
    if findings.has_rule_minds:
        lines.append(
            "With rule minds the truth is known: quality leads to picks and to ratings, exposure "
            "to picks; popularity leads to neither directly. A share of one half right is chance."
        )
        lines += [blame(findings, arm.name) for arm in findings.arms]
    return lines


def blame(findings: Findings, name: str) -> str:
    """Return what keeps the method from the known truth in an arm, as far as the checks tell."""
    log, planted, counted, often = (
        against_zero(findings, metric, name)
        for metric in ("known_right", "planted_right", "counted_right", "often_right")
    )
    numbers = ", ".join(level(findings, metric, name) for metric in CHECKS)
    facts = f"With {name}, shares right in the log and in the four checks: {numbers}. "
    if not planted[1] > log[2]:
        return (
            facts + "It could not be shown to do worse in the log than in planted data of its size."
        )
    if not counted[2] < planted[1]:
        return facts + "The method is misled here, and small counts do not explain it."
    if often[1] > counted[2]:
        return facts + "A truth of the same kind misleads it as well if counts are this small."
    return facts + (
        "A truth of the same kind misleads it as well, and larger counts would not help: effects "
        "are not linear, and noise grows with the mean."
    )


STUDY = Study(
    "causal",
    {**LABELS, **known("picks", "click_rate")},
    (
        Chart(
            "arrows",
            "edges",
            tuple(
                f"{kind}_{cause}_{effect}" for kind in ("edge", "kept") for cause, effect in PAIRS
            ),
            "What leads to what",
            "Effect of the row on the column in standard deviations, mean over seeds of the first "
            "arm, bold where the 95 % interval excludes zero; below it, in how many per cent of "
            "resamples of its items the arrow is found.",
            tuple(VARIABLES.values()),
        ),
        Chart(
            "checks",
            "bars",
            tuple(CHECKS),
            "Known arrows whose order is right, share",
            "In the log, and in planted tables of its size: with Laplace and with Gaussian noise, "
            f"as counts like these, and as counts {OFTEN} times as large. One half is chance.",
            ("log", "Laplace", "Gaussian", "counts", f"counts x {OFTEN}"),
        ),
        Chart(
            "order",
            "bars",
            tuple(f"place_{name}" for name in VARIABLES),
            "Place in the causal order",
            "1 comes first.",
            tuple(VARIABLES.values()),
        ),
        Chart(
            "popularity_shown",
            "levels",
            ("edge_popularity_shown",),
            caption="A random recommender knows no popularity: its arrow must be nil.",
        ),
    ),
    finding,
    metrics=lambda setting: [Arrows(setting.seed)],
    remarks=remarks,
    percent=False,
)
