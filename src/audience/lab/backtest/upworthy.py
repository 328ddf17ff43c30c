"""Upworthy: which of several headlines for one story and one image got clicked more.

Stories are split in three: an audience reads the headlines and clicks of some, fitted policies
learn from others, and the truth is the rest. Tests share stories, so a split by test would leak;
and predictions for each part from all others would leak too, since their mean is the mean of all.
"""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from audience.datasets import unpacked
from audience.errors import BadInput
from audience.files import check_regular
from audience.lab.backtest.agreement import (
    PredictorFit,
    RealValues,
    compared,
    policy_values,
    truth_of,
)
from audience.lab.backtest.headline_features import features_of, rule_scores, word_vectors
from audience.lab.backtest.result import Backtest, frozen_digest
from audience.recommenders import one_thread
from audience.results import Validation
from audience.world import Bools, Floats, Ints, rng

COLUMNS = ("story", "week", "eyecatcher_id", "headline", "impressions", "clicks")
UNRANDOMISED = (201325, 201401)
"""Weeks that were not properly randomised, both included."""
SHARES = (0.4, 0.2)
"""The shares of stories for the audience and for fitted policies; the rest is the truth."""
OTHER_SPLITS = 8
_LEAST_NOISE = 0.001
RANDOM = "random"


class HeadlineTests(msgspec.Struct, frozen=True):
    """Headlines that competed for the same story under the same image; no outcome."""

    headlines: tuple[str, ...]
    sets: Ints
    """The choice set of each headline, dense."""
    stories: tuple[str, ...]
    """The story of each headline."""

    @property
    def count(self) -> int:
        return int(self.sets.max()) + 1

    def parts(self, seed: int) -> tuple[Bools, Bools, Bools]:
        """Return the headlines of the audience, of fitted policies, and of the truth."""
        names = sorted(set(self.stories))
        places = rng(seed, "backtest", "stories").permutation(len(names))
        ends = np.cumsum(SHARES) * len(names)
        part = dict(zip(names, np.searchsorted(ends, places, side="right").tolist(), strict=True))
        of = np.array([part[story] for story in self.stories])
        return of == 0, of == 1, of == 2


class Clicks(msgspec.Struct, frozen=True):
    """How often each headline was shown and clicked."""

    impressions: Floats
    clicks: Floats

    @property
    def rates(self) -> Floats:
        return self.clicks / self.impressions


def read_upworthy(path: Path) -> tuple[HeadlineTests, Callable[[Bools], Clicks], int]:
    """Return the tests, a function that opens the clicks of some headlines, and lines left out."""
    cells: dict[tuple[str, str], dict[str, list[float]]] = {}
    stories: dict[tuple[str, str], str] = {}
    left_out = 0
    for line, row in _rows(path):
        try:
            week, shown = int(row["week"]), float(row["impressions"])
            clicked = float(row["clicks"])
        except ValueError as error:
            raise BadInput(f"{path}: line {line}: {error}; give whole numbers") from None
        if UNRANDOMISED[0] <= week <= UNRANDOMISED[1] or shown <= 0:
            left_out += 1
            continue
        key = (row.get("test_id") or row["story"], row["eyecatcher_id"])
        stories[key] = row["story"]
        counts = cells.setdefault(key, {}).setdefault(row["headline"].strip(), [0.0, 0.0])
        counts[0] += shown
        counts[1] += clicked
    kept = [key for key, arms in cells.items() if len(arms) > 1]
    if not kept:
        raise BadInput(f"{path}: no test has two headlines under one image; nothing to choose from")
    headlines = tuple(headline for key in kept for headline in cells[key])
    sets = np.repeat(np.arange(len(kept)), [len(cells[key]) for key in kept])
    named = tuple(stories[key] for key in kept for _ in cells[key])
    counts_ = np.array([pair for key in kept for pair in cells[key].values()])

    def opened(part: Bools) -> Clicks:
        return Clicks(counts_[part, 0], counts_[part, 1])

    return HeadlineTests(headlines, sets, named), opened, left_out


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    check_regular(path)
    try:
        raw = path.read_bytes()
        text = (unpacked(path, raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}; give the archive as CSV") from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
        rows = list(enumerate(reader, 2))
    except csv.Error as error:
        raise BadInput(f"{path}: near line {reader.line_num}: {error}; check the quotes") from None
    if missing:
        raise BadInput(f"{path}: column {missing[0]!r} is missing; needed: {', '.join(COLUMNS)}")
    return rows


class HeadlineReader(msgspec.Struct, frozen=True):
    """How much more than its rivals each headline is clicked, learnt from some tests."""

    likeness: Mapping[str, Floats]
    """[headlines, headlines] by name, each centred within its choice set."""

    def lifts(self, tests: HeadlineTests, known: Bools, clicks: Clicks) -> Floats:
        """Return the expected relative lift of every headline, from the clicks of the known.

        The variances of effects come from products of pairs of different choice sets, the noise
        from the counts of clicks; the lift is the posterior mean.
        """
        sets = tests.sets[known]
        totals = np.bincount(sets, clicks.clicks), np.bincount(sets, clicks.impressions)
        base = (totals[0][sets] + 0.5) / (totals[1][sets] + 1.0)
        lift = clicks.rates / base - 1.0
        noise = (1.0 - base) / (clicks.impressions * base)
        apart = sets[:, None] != sets[None, :]
        weights = 1.0 / np.sqrt(noise + float(np.median(noise)))
        pairs = np.outer(weights, weights) * apart
        inside = {name: alike[np.ix_(known, known)] for name, alike in self.likeness.items()}
        variances = _variances(list(inside.values()), np.outer(lift, lift), pairs)
        rest = max(float((lift**2 - noise).mean() - variances.sum()), _LEAST_NOISE)
        shared = sum(v * alike for v, alike in zip(variances, inside.values(), strict=True))
        solved = np.linalg.solve(shared + np.diag(noise + rest), lift)
        found = np.zeros(len(tests.headlines))
        for variance, alike in zip(variances, self.likeness.values(), strict=True):
            found += variance * (alike[:, known] @ solved)
        return found


def _variances(effects: Sequence[Floats], products: Floats, pairs: Floats) -> Floats:
    from scipy.optimize import nnls

    scaled = [(alike * pairs).ravel() for alike in effects]
    columns = np.stack(scaled, axis=1)
    gram = columns.T @ columns
    found = columns.T @ (products * pairs).ravel()
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-12))
    root = np.linalg.cholesky(gram / np.outer(scale, scale) + 1e-9 * np.eye(len(scale)))
    solved, _ = nnls(root.T, np.linalg.solve(root, found / scale))
    variances: Floats = solved / scale
    return variances


def _likeness(features: Floats, sets: Ints) -> Floats:
    """Return how alike headlines are in what sets them apart from their rivals."""
    counts = np.bincount(sets)
    sums = np.zeros((len(counts), features.shape[1]))
    np.add.at(sums, sets, features)
    centred = features - (sums / counts[:, None])[sets]
    alike: Floats = centred @ centred.T
    return alike / max(float(np.diag(alike).mean()), 1e-12)


def choices(scores: Floats, sets: Ints) -> Floats:
    """Return the probability of each headline: the best of its set, shared among equals."""
    best = np.full(int(sets.max()) + 1, -np.inf)
    np.maximum.at(best, sets, scores)
    first = (scores >= best[sets] - 1e-12).astype(np.float64)
    return first / np.bincount(sets, first)[sets]


def backtest_upworthy(path: Path, *, seed: int = 1) -> Backtest:
    """Return how well an audience that clicks orders headline policies as real readers did."""
    tests, opened, left_out = read_upworthy(path)
    with one_thread():
        features = features_of(tests.headlines)
        scale = features.std(axis=0)
        hand = features / np.where(scale > 0.0, scale, 1.0)
        words = word_vectors(tests.headlines)
        likeness = {
            "words": _likeness(words, tests.sets),
            "glance": _likeness(hand, tests.sets),
        }
        first = _one_split(tests, opened, features, likeness, seed)
        others = [
            _one_split(tests, opened, features, likeness, seed + place)
            for place in range(1, OTHER_SPLITS + 1)
        ]
    taus = [split.predictors[1].tau.mean for split in others]
    slopes = [split.predictors[1].slope for split in others]
    again = (
        f"Over {OTHER_SPLITS} other splits, rules only: tau {np.mean(taus):.2f} on average "
        f"({min(taus):.2f} to {max(taus):.2f}), slope {np.mean(slopes):.2f}."
    )
    dropped = f"{left_out} lines of weeks that were not randomised, or never shown, are left out."
    return msgspec.structs.replace(first, remarks=(*first.remarks, again, dropped))


def _one_split(
    tests: HeadlineTests,
    opened: Callable[[Bools], Clicks],
    features: Floats,
    likeness: Mapping[str, Floats],
    seed: int,
) -> Backtest:
    of_audience, of_policies, of_truth = tests.parts(seed)
    known = opened(of_audience)
    readers = {
        "audience": HeadlineReader(likeness),
        "TF-IDF ridge": HeadlineReader({"words": likeness["words"]}),
        "hand features": HeadlineReader({"glance": likeness["glance"]}),
    }
    lifts = {name: reader.lifts(tests, of_audience, known) for name, reader in readers.items()}
    lifts["length"] = features[:, 0] / 1000.0
    learnt = opened(of_policies)
    policies = rule_scores(features)
    rules = len(policies)
    for name, kind in (("fitted to words", "words"), ("fitted to the glance", "glance")):
        policies[name] = HeadlineReader({kind: likeness[kind]}).lifts(tests, of_policies, learnt)
    sets = np.unique(tests.sets[of_truth], return_inverse=True)[1]
    chosen = [choices(scores[of_truth], sets) for scores in policies.values()]
    chosen.append(1.0 / np.bincount(sets)[sets])
    names = (*policies, RANDOM)
    predicted = {name: _values(chosen, sets, 1.0 + lift[of_truth]) for name, lift in lifts.items()}
    frozen = frozen_digest(names, predicted)
    rates = opened(of_truth).rates
    outcomes = np.stack([np.bincount(sets, each * rates) for each in chosen]).astype(np.float64)
    truth = truth_of(RealValues(names, outcomes, is_lift=True), seed)
    plain = [*range(rules), len(names) - 1]
    ruled = truth_of(
        RealValues(tuple(names[n] for n in plain), outcomes[plain], is_lift=True), seed
    )
    every = [compared("audience", predicted["audience"], truth)]
    for name, values in predicted.items():
        every.append(compared(f"{name}, rules only", values[plain], ruled))
    right, clear = _pairs_right(lifts["audience"][of_truth], opened(of_truth), sets)
    return Backtest(
        dataset="Upworthy",
        units=f"{int(sets.max()) + 1} choice sets of stories nobody learnt from",
        outcome="lift in click rate over a random headline",
        policies=policy_values(predicted["audience"], truth),
        predictors=tuple(every),
        pairs=truth.compared,
        split_half=truth.split_half,
        frozen=frozen,
        remarks=(
            f"Stories are split {SHARES[0]:.0%} audience, {SHARES[1]:.0%} fitted policies, rest "
            f"truth. Split-half tau of rules only: {ruled.split_half:.2f}.",
            f"Of {clear:,} single pairs that differ (|z| > 1.96) the audience orders "
            f"{right / max(clear, 1):.1%}.",
        ),
        validation=_validation(every[0], len(names), int(sets.max()) + 1),
    )


def _values(chosen: Sequence[Floats], sets: Ints, rates: Floats) -> Floats:
    means = np.array([float(np.bincount(sets, each * rates).mean()) for each in chosen])
    values: Floats = means / means[-1] - 1.0
    return values


def _pairs_right(lifts: Floats, clicks: Clicks, sets: Ints) -> tuple[int, int]:
    """Return how many pairs that clearly differ are ordered right, and how many there are."""
    rates = clicks.rates
    spread = rates * (1.0 - rates) / clicks.impressions
    right = clear = 0
    for each in np.split(np.arange(len(sets)), np.flatnonzero(np.diff(sets)) + 1):
        first, other = (each[rows] for rows in np.triu_indices(len(each), 1))
        apart = rates[first] - rates[other]
        there = np.abs(apart) > 1.96 * np.sqrt(spread[first] + spread[other])
        clear += int(there.sum())
        right += int((((lifts[first] - lifts[other]) * apart > 0.0) & there).sum())
    return right, clear


def _validation(ours: PredictorFit, many: int, sets: int) -> Validation:
    return Validation(
        dataset=f"Upworthy ({sets} tests of other stories)",
        ranking=f"{many} ways to choose a headline by clicks",
        audience="readers who click by words and first glance",
        tau=ours.tau,
        right=ours.right,
        pairs=ours.pairs,
        not_for="single headlines, other media, or what people do after the click",
        holds=ours.tau.low > 0.0,
    )
