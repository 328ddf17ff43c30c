"""Evaluation F, second part: when people come, against own clocks and daily rounds.

Interactions of a person with less than half an hour between them are one visit. Own clocks are
fitted to one half of the people: how busy hours and weekdays are, and the law of gaps in
operational time, each person's gaps relative to their own. The other half is scored: for each of
them visits are drawn from their first real visit to their last, as many on average as they made,
by the fitted clocks and by a chance per day. Only that number of visits is taken from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from audience.engine import GAPS, OWN, Rhythm, Timetable, drawn_gaps, following
from audience.errors import BadInput
from audience.lab.evaluation.source import Real
from audience.results import (
    POSITIVE,
    SHARE,
    Bounds,
    Column,
    Interval,
    ResultTable,
    Value,
    bootstrap,
    csv_text,
    percentile_interval,
)
from audience.scenario import dump
from audience.world import Floats, Ints, dice

IDLE = 30 * 60
"""Seconds without an interaction after which the next one begins another visit."""
FEWEST_VISITS, FEWEST_PEOPLE = 6, 20
DAY = 86_400
RESAMPLES = 200
REAL, DAILY = "real people", "daily rounds"
BOUNDS: dict[str, Bounds] = {
    "gap 10 %": POSITIVE,
    "gap 50 %": POSITIVE,
    "gap 90 %": POSITIVE,
    "same day": SHARE,
    "bursts": (-1.0, 1.0),
    "KS gaps": SHARE,
    "hours": SHARE,
    "weekdays": SHARE,
}
"""Quantiles of gaps in days, the share of gaps within a day, burstiness, and the distances from
real people: KS of gaps, and half the summed differences of the shares of hours and weekdays."""
HEADS = tuple(BOUNDS)
DISTANCES = HEADS[-3:]
_FIRST, _LAST = 1, 10_000


class Comings(msgspec.Struct, frozen=True, eq=False):
    """The visits of some people, one array of moments each."""

    moments: tuple[Ints, ...]

    def gaps(self) -> list[Floats]:
        """Return everybody's gaps in days."""
        return [np.diff(own) / DAY for own in self.moments]


class ClockScore(msgspec.Struct, frozen=True, eq=False):
    """When the people of one dataset come, and how near each model is."""

    name: str
    fitted: int
    """People to whom the clocks were fitted; the others are scored."""
    scored: int
    times: Timetable
    """The clocks of the law that is nearer in the fitted half."""
    values: dict[str, dict[str, Interval]]
    """By model and column."""


def comings_of(users: Ints, at: Ints) -> Comings:
    """Return the visits of everybody who made enough of them."""
    order = np.lexsort((at, users))
    users, at = users[order], at[order]
    begins = np.ones(len(users), np.bool_)
    begins[1:] = (users[1:] != users[:-1]) | (np.diff(at) > IDLE)
    users, at = users[begins], at[begins]
    cuts = np.flatnonzero(np.diff(users)) + 1
    return Comings(tuple(own for own in np.split(at, cuts) if len(own) >= FEWEST_VISITS))


def fit_clocks(comings: Comings) -> Timetable:
    """Return own clocks fitted to visits: hours, weekdays, and the law of gaps that is nearer."""
    both = [_with_law(comings, law) for law in GAPS]
    own = np.sort(_relative(comings, both[0]))
    distances = [_ks(own, np.sort(_drawn(times, len(own)))) for times in both]
    return both[int(np.argmin(distances))]


def _with_law(comings: Comings, law: str) -> Timetable:
    moments = np.concatenate(comings.moments)
    # Monday is the first day; 1970 began on a Thursday.
    days = np.bincount((moments // DAY + 3) % 7, minlength=7)
    hours = np.bincount(moments % DAY // 3_600, minlength=24)
    visits = float(np.mean([_rate(own) for own in comings.moments])) * 7 * DAY
    times = Timetable(
        OWN,
        visits=round(min(visits, 1_000.0), 3),
        gaps=law,
        hours=tuple(np.round((hours + 1) / (hours + 1).mean(), 3).tolist()),
        weekdays=tuple(np.round((days + 1) / (days + 1).mean(), 3).tolist()),
    )
    gaps = _relative(comings, times)
    if law == "pareto":
        return msgspec.structs.replace(times, alpha=_tail(gaps))
    return msgspec.structs.replace(times, sigma=_spread(gaps))


def _rate(own: Ints) -> float:
    """Return the visits per second of one person."""
    return (len(own) - 1) / max(float(own[-1] - own[0]), 1.0)


def _relative(comings: Comings, times: Timetable) -> Floats:
    """Return all gaps in operational time, each relative to the mean of its person."""
    rhythm = Rhythm(times.hours, times.weekdays)
    gaps = [np.maximum(np.diff(rhythm.elapsed(own)), 1.0) for own in comings.moments]
    return np.concatenate([own / own.mean() for own in gaps])


def _spread(gaps: Floats) -> float:
    """Return the most likely spread of lognormal gaps with mean 1."""
    square = float((np.log(gaps) ** 2).mean())
    likely = math.sqrt(2.0 * (math.sqrt(1.0 + square) - 1.0))
    return round(min(max(likely, 0.01), 5.0), 3)


def _tail(gaps: Floats) -> float:
    """Return the most likely tail of Pareto gaps with mean 1."""
    tails = np.geomspace(1.05, 100.0, 400)
    scales = tails - 1.0
    likely = [
        np.log(tail / scale) - (tail + 1.0) * np.log1p(gaps / scale).mean()
        for tail, scale in zip(tails.tolist(), scales.tolist(), strict=True)
    ]
    return round(float(tails[int(np.argmax(likely))]), 3)


def _drawn(times: Timetable, count: int) -> Floats:
    return drawn_gaps(times, dice(0, "fit", np.arange(count)), np.zeros(count, np.bool_))


def halves(comings: Comings, seed: int) -> tuple[Comings, Comings]:
    """Return the people to fit to and those to score, drawn by the seed."""
    draws = dice(seed, "halves", np.arange(len(comings.moments))).uniform("half")
    some, others = np.array_split(np.argsort(draws, kind="stable"), 2)
    both = (sorted(half.tolist()) for half in (some, others))
    fitted, scored = (Comings(tuple(comings.moments[who] for who in half)) for half in both)
    return fitted, scored


def score_clocks(real: Real, seed: int) -> ClockScore:
    """Fit clocks to half of the people of a dataset and compare the others with them."""
    if not real.dated:
        raise BadInput(f"{real.name}: has no time stamps")
    comings = comings_of(real.users, real.at)
    if len(comings.moments) < 2 * FEWEST_PEOPLE:
        raise BadInput(
            f"{real.name}: {len(comings.moments)} people came {FEWEST_VISITS} times or more; "
            f"{2 * FEWEST_PEOPLE} are needed to compare when people come"
        )
    fitted, scored = halves(comings, seed)
    laws = {f"own clocks, {law}": _with_law(fitted, law) for law in GAPS}
    models: dict[str, Comings] = {REAL: scored}
    models |= {name: lived_by_clocks(scored, times, seed) for name, times in laws.items()}
    models[DAILY] = lived_by_days(scored, seed)
    values = {name: _intervals(scored, model, seed) for name, model in models.items()}
    values[REAL] |= dict.fromkeys(DISTANCES, Interval())
    sizes = (len(fitted.moments), len(scored.moments))
    return ClockScore(real.name, *sizes, fit_clocks(fitted), values)


def lived_by_clocks(people: Comings, times: Timetable, seed: int) -> Comings:
    """Return visits by own clocks, from everybody's first visit until their last."""
    ends = np.array([own[-1] for own in people.moments])
    rates = np.array([_rate(own) for own in people.moments])

    def after(came: Ints, who: Ints, number: int) -> Ints:
        draws = dice(seed, "clocks", who, number)
        return following(times, came, rates[who], draws, np.zeros(len(who), np.bool_))

    return _lived(people, ends, after)


def lived_by_days(people: Comings, seed: int) -> Comings:
    """Return visits by a chance per day, at any moment of it, as in daily rounds."""
    ends = np.array([own[-1] for own in people.moments])
    chances = np.minimum([_rate(own) * DAY for own in people.moments], 1.0)

    def after(came: Ints, who: Ints, number: int) -> Ints:
        draws = dice(seed, "days", who, number)
        # The days until the next one that comes up are geometric.
        with np.errstate(divide="ignore"):
            days = np.log1p(-draws.uniform("wait")) / np.log1p(-np.minimum(chances[who], 1 - 1e-12))
        wait = 1 + np.floor(np.minimum(days, 1e6)).astype(np.int64)
        moment: Ints = (came // DAY + wait) * DAY
        return moment + (draws.uniform("moment") * DAY).astype(np.int64)

    return _lived(people, ends, after)


def _lived(people: Comings, ends: Ints, after: Callable[[Ints, Ints, int], Ints]) -> Comings:
    came = np.array([own[0] for own in people.moments])
    who = np.arange(len(came))
    visits: list[list[int]] = [[moment] for moment in came.tolist()]
    for number in range(_FIRST, _LAST):
        came = after(came, who, number)
        still = came <= ends[who]
        who, came = who[still], came[still]
        if not len(who):
            break
        for person, moment in zip(who.tolist(), came.tolist(), strict=True):
            visits[person].append(moment)
    return Comings(tuple(np.array(own) for own in visits))


def _intervals(real: Comings, model: Comings, seed: int) -> dict[str, Interval]:
    """Return the numbers of a model beside real people, with intervals over people."""
    ours, theirs = _Columns(model), _Columns(real)

    def numbers(people: Ints) -> tuple[float, ...]:
        return ours.numbers(theirs, people)

    count = len(real.moments)
    values = numbers(np.arange(count))
    samples = bootstrap(numbers, count, seed=seed, names=("clocks",), resamples=RESAMPLES)
    return {
        head: percentile_interval(value, samples[place], count=count)
        for place, (head, value) in enumerate(zip(HEADS, values, strict=True))
    }


class _Columns:
    """What is counted of everybody's visits, so that people can be drawn again and again."""

    def __init__(self, comings: Comings) -> None:
        self.gaps = comings.gaps()
        self.hours = _counted(comings, 24, lambda at: at % DAY // 3_600)
        self.weekdays = _counted(comings, 7, lambda at: at // DAY % 7)
        self.same_day = np.array([_same_day(own) for own in comings.moments])
        self.bursts = np.array([_burstiness(gaps) for gaps in self.gaps])

    def numbers(self, real: _Columns, people: Ints) -> tuple[float, ...]:
        own, theirs = (np.sort(np.concatenate([x.gaps[p] for p in people])) for x in (self, real))
        quantiles = np.quantile(own, (0.1, 0.5, 0.9)).tolist() if len(own) else [np.nan] * 3
        shares = ((self.hours, real.hours), (self.weekdays, real.weekdays))
        return (
            *quantiles,
            float(self.same_day[people].sum() / max(len(own), 1)),
            float(np.nanmean(self.bursts[people])),
            _ks(own, theirs),
            *(
                _apart(mine[people].sum(axis=0), other[people].sum(axis=0))
                for mine, other in shares
            ),
        )


def _counted(comings: Comings, kinds: int, kind: Callable[[Ints], Ints]) -> Ints:
    return np.array([np.bincount(kind(own), minlength=kinds) for own in comings.moments])


def _same_day(own: Ints) -> int:
    return int((np.diff(own // DAY) == 0).sum())


def _burstiness(gaps: Floats) -> float:
    """Return -1 for equal gaps, 0 for gaps by chance, towards 1 for bursts (Goh and Barabási)."""
    if len(gaps) < 2:
        return float("nan")
    spread, mean = float(gaps.std()), float(gaps.mean())
    return (spread - mean) / (spread + mean)


def _ks(first: Floats, second: Floats) -> float:
    """Return the largest distance of two distributions, given their sorted values."""
    if not len(first) or not len(second):
        return float("nan")
    every = np.concatenate([first, second])
    shares = (np.searchsorted(one, every, side="right") / len(one) for one in (first, second))
    below, above = shares
    return float(np.abs(below - above).max())


def _apart(first: Ints, second: Ints) -> float:
    """Return half the summed differences of two shares: 0 equal, 1 nothing in common."""
    one, other = (counts / max(int(counts.sum()), 1) for counts in (first, second))
    return float(np.abs(one - other).sum() / 2.0)


def clock_table(score: ClockScore) -> ResultTable:
    """Return a table with one row per model."""
    numbers = (Column(head, digits=3, half=True, bounds=BOUNDS[head]) for head in HEADS)
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, *(values[head] for head in HEADS)) for name, values in score.values.items()
    )
    return ResultTable((Column(score.name, is_text=True), *numbers), rows)


def clock_foot(score: ClockScore, seed: int) -> str:
    """Return the note below the table."""
    times = score.times
    law = f"sigma {times.sigma:g}" if times.gaps == "lognormal" else f"alpha {times.alpha:g}"
    return (
        f"When people come: gaps in days, own clocks fitted to {score.fitted:,} people "
        f"({times.gaps} is nearer, {law}), {score.scored:,} others scored; a visit ends after "
        f"{IDLE // 60} min; 95 % intervals over people, seed {seed}. Smaller distances are better."
    )


def clock_toml(score: ClockScore) -> str:
    """Return the fitted clocks as a table of a scenario."""
    times = msgspec.to_builtins(score.times)
    del times["alpha" if times["gaps"] == "lognormal" else "sigma"], times["window"]
    note = f"# Own clocks fitted to {score.fitted:,} people of {score.name} by `eval activity`.\n"
    return note + dump({"time": times})


def clock_csv(scores: Sequence[ClockScore]) -> str:
    """Return all tables as CSV, with the bounds of each number."""
    bounds = [name for head in HEADS for name in (head, f"{head} low", f"{head} high")]
    rows = [
        [score.name, model, *(f"{x:.6f}" for head in HEADS for x in values[head].three)]
        for score in scores
        for model, values in score.values.items()
    ]
    return csv_text(["dataset", "model", *bounds], rows)
