"""Real curves of a spread, and models fitted to their first part to predict the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec
import numpy as np

from audience.agents import Mind
from audience.agents.rule import RuleMind
from audience.datasets import Films
from audience.datasets.people import directed
from audience.engine import Activation, Parts, Platform, Rules, Simulation, run, run_sync
from audience.errors import BadInput
from audience.lab.evaluation import NoLog
from audience.lab.spread.curves import (
    Curves,
    Following,
    Network,
    correlation,
    independent_cascade,
    linear_threshold,
    msed,
)
from audience.memory import NoMemory
from audience.recommenders import Popular, Recommender
from audience.results import CORRELATION, POSITIVE, Interval, t_interval
from audience.world import (
    AnyChange,
    Clock,
    Floats,
    Genesis,
    Raise,
    SwapRecommender,
    Ties,
    Topic,
    World,
    dice,
)


@lru_cache(maxsize=16)
def society(people: int, seed: int, graph: str = "preferential", degree: float = 10.0) -> Genesis:
    """Return drawn people on a generated directed graph."""
    drawn = Films(past=0.0, degree=0).genesis(people, seed, Clock(step="1h"))
    ties = directed(people, seed, graph, degree)
    return Genesis(drawn.catalogue, drawn.profiles, ties, drawn.clock, drawn.domain)


def anybody(people: int, count: int, seed: int) -> tuple[int, ...]:
    """Return `count` people by a named draw."""
    order = np.argsort(dice(seed, "seeds", np.arange(people)).keys, kind="stable")
    return tuple(sorted(order[:count].tolist()))


def tried(
    genesis: Genesis,
    topic: Topic,
    seeds: Sequence[int],
    rounds: int,
    seed: int,
    *,
    attention: float = 1.0,
    rules: Mapping[str, float] | None = None,
    again: tuple[int, Sequence[int]] | None = None,
) -> Curves:
    """Return how a topic spreads among rule minds; `rules` are their parameters.

    `again` is a second wave: its round, and who tells it anew.
    """
    mind = RuleMind(**dict(rules or {}))  # type: ignore[arg-type]
    found: list[Curves] = []

    async def work() -> None:
        course = Rules(rounds=rounds, refit=0)
        told = await spread_of(genesis, topic, seeds, course, seed, mind, attention, again)
        found.append(told)

    run_sync(work)
    return found[0]


async def spread_of(
    genesis: Genesis,
    topic: Topic,
    seeds: Sequence[int],
    course: Rules,
    seed: int,
    mind: Mind,
    attention: float,
    again: tuple[int, Sequence[int]] | None = None,
) -> Curves:
    """Return how a topic spreads among people of one kind of mind."""
    following = Following()

    def serve(swapped: SwapRecommender | None) -> tuple[str, Recommender]:
        return "popular", Popular()

    waves: dict[int, tuple[AnyChange, ...]] = {1: (Raise(topic, tuple(seeds)),)}
    if again is not None and again[1]:
        waves[again[0]] = (Raise(topic, tuple(again[1])),)
    parts = Parts(
        mind,
        NoMemory(),
        serve,
        Platform(),
        Activation("reached", attention=attention),
        waves,
    )
    await run(Simulation(World(genesis), NoLog(), parts, course, seed, listeners=[following]))
    return following.curves()[0]


FILE = "cumulative_active_users_hourly.csv"
SHARE = 0.6
"""The share of hours that is fitted."""
RISING = 0.2
"""The news broke after the last hour that rose by less than this share of the steepest one."""
QUIET = 3
"""Hours of little growth that part two waves."""
FITTING, TESTING = (1, 2, 3), tuple(range(101, 111))
"""Seeds of graphs and draws; none is used for both fitting and scoring."""
_PASSES = 4
MOODS = ("emotion", "attitude")
"""Columns of a curve beside the counts."""
RULE = "rule minds"
WANING = (0.0, 0.02, 0.05, 0.1, 0.2)
"""How fast news gets old; the first of them is never."""
DISCOVERY = Topic("the discovery", "A long-sought particle has been found.")

Shape = Callable[[Sequence[float], int, int], Floats]
"""(parameters, steps, seed) -> the share of people who are active, from 0 on."""
Place = tuple[int, ...]
"""A point of a grid: the place of each parameter among its values."""
Asked = tuple[tuple[float, ...], int, int]
"""What a shape is asked for: parameters, steps, seed."""


class Truth(msgspec.Struct, frozen=True):
    """A real curve from its onset."""

    hours: int
    """Of the whole curve."""
    onset: int
    fitted: int
    """Hours since the onset that are fitted; the following ones are predicted."""
    counts: Floats
    """People who became active since the onset."""
    most: float
    """The maximum of the whole curve."""
    second: int = 0
    """The hour since the onset in which a second wave began within the fitted hours; 0: none."""


class SpreadModel(msgspec.Struct, frozen=True):
    """A model, and the grid of values of each of its parameters by name."""

    name: str
    shape: Shape
    grids: dict[str, tuple[float, ...]]


Shapes = Callable[[SpreadModel, Sequence[Asked]], list[Floats]]
"""Computes shapes of a model, which do not depend on each other."""


class FittedSpread(msgspec.Struct, frozen=True):
    """One fitted model, and the error of its prediction."""

    name: str
    parameters: dict[str, float]
    fit: float
    """MSED on the fitted hours, of the mean curve of the fitting seeds."""
    msed: Interval
    correlation: Interval
    curves: tuple[tuple[float, ...], ...]
    """Predicted people since the onset, one row per seed."""


def curve_in(path: Path) -> Floats:
    """Return the cumulative counts in a file or folder, hour by hour.

    They are in the last column that is not one of the moods.
    """
    file, lines = lines_in(path)
    head = lines[0][1] if lines else ""
    moods = {place_of(head, name) for name in MOODS}
    last = max(set(range(head.count(",") + 1)) - moods, default=0)
    counts = [_count(line, last, number, file) for number, line in lines]
    curve = np.array([count for count in counts if not math.isnan(count)])
    if len(curve) < 20:
        raise BadInput(f"--data {file} has {len(curve)} hours; at least 20 are needed")
    if (np.diff(curve) < 0).any() or curve[-1] <= curve[0]:
        raise BadInput(f"--data {file}: counts must be cumulative: rising, and never falling")
    return curve


def place_of(head: str, name: str) -> int | None:
    """Return the place of a named column; None if the file has none."""
    names = [cell.strip().strip('"').casefold() for cell in head.split(",")]
    return names.index(name) if name in names else None


def lines_in(path: Path) -> tuple[Path, list[tuple[int, str]]]:
    """Return the file of a curve, and its lines that are not empty with their numbers."""
    file = path / FILE if path.is_dir() else path
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except OSError as error:
        raise BadInput(
            f"--data {file} cannot be read ({error.strerror}); give a CSV of hour and active users"
        ) from None
    except UnicodeDecodeError as error:
        raise BadInput(f"--data {file} is not UTF-8 text (byte {error.start})") from None
    return file, [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _count(line: str, place: int, number: int, file: Path) -> float:
    cells = line.split(",")
    last = cells[place if place < len(cells) else -1].strip()
    try:
        count = float(last)
    except ValueError:
        if number == 1:
            return math.nan
        raise BadInput(f"--data {file}, line {number}: {last[:40]!r} is not a number") from None
    if not math.isfinite(count):
        raise BadInput(f"--data {file}, line {number}: {last[:40]!r} is not a finite number")
    return count


def truth_of(curve: Floats, share: float = SHARE) -> Truth:
    """Return a curve from its onset, which is determined from the fitted hours alone."""
    known = int(share * len(curve))
    rises = np.diff(curve[:known])
    steepest = int(rises.argmax())
    slow = np.flatnonzero(rises[: steepest + 1] < RISING * rises[steepest])
    onset = int(slow[-1]) + 1 if len(slow) else 0
    if known - onset < 5:
        raise BadInput(
            f"the curve takes off in hour {onset}, too close to hour {known}, where fitting ends; "
            "give a longer curve"
        )
    counts = curve[onset:] - curve[onset]
    second = _second_wave(np.diff(counts[: known - onset]))
    return Truth(len(curve), onset, known - onset, counts, float(curve[-1]), second)


def _second_wave(rises: Floats) -> int:
    """Return the hour of a new rise after some quiet hours that follow the steepest; 0: none."""
    bar = RISING * float(rises.max())
    quiet = 0
    for hour in range(int(rises.argmax()) + 1, len(rises)):
        if rises[hour] < bar:
            quiet += 1
        elif quiet >= QUIET and rises[hour] >= 2.0 * bar:
            return hour
    return 0


def scale(truth: Truth, shape: Floats) -> float:
    """Return how many people a shape stands for, by least squares over the fitted hours."""
    part = shape[: truth.fitted]
    over = float((part * part).sum())
    return float((part * truth.counts[: truth.fitted]).sum()) / over if over else 0.0


def error_of(truth: Truth, shape: Floats) -> float:
    """Return the MSED of a shape on the fitted hours."""
    known = truth.counts[: truth.fitted]
    return msed(known, scale(truth, shape) * shape[: truth.fitted])


def shapes_here(model: SpreadModel, asked: Sequence[Asked]) -> list[Floats]:
    """Return some shapes of a model, computed one after another."""
    return [model.shape(*one) for one in asked]


def fitted(
    model: SpreadModel, truth: Truth, seeds: Sequence[int], shapes: Shapes = shapes_here
) -> tuple[tuple[float, ...], float]:
    """Return the best parameters on the fitted hours, and their error.

    Coordinate descent on the grid from two starts.
    """
    grids = tuple(model.grids.values())
    errors: dict[Place, float] = {}

    def values(at: Place) -> tuple[float, ...]:
        return tuple(grid[place] for grid, place in zip(grids, at, strict=True))

    def best(places: Sequence[Place]) -> tuple[float, Place]:
        new = [at for at in places if at not in errors]
        asked = [(values(at), truth.fitted - 1, seed) for at in new for seed in seeds]
        made = shapes(model, asked)
        for number, at in enumerate(new):
            own = made[number * len(seeds) : (number + 1) * len(seeds)]
            errors[at] = error_of(truth, np.mean(own, axis=0))
        first = min(places, key=errors.__getitem__)
        return errors[first], first

    starts = [tuple(len(grid) * part // 3 for grid in grids) for part in (1, 2)]
    least, found = min(_descended(best, at, grids) for at in starts)
    return values(found), least


def _descended(
    best: Callable[[Sequence[Place]], tuple[float, Place]],
    at: Place,
    grids: Sequence[Sequence[float]],
) -> tuple[float, Place]:
    for _ in range(_PASSES):
        before = at
        for side, grid in enumerate(grids):
            _, at = best([(*at[:side], place, *at[side + 1 :]) for place in range(len(grid))])
        if at == before:
            break
    return best([at])


def scored(
    model: SpreadModel,
    truth: Truth,
    *,
    fitting: Sequence[int] = FITTING,
    testing: Sequence[int] = TESTING,
    shapes: Shapes = shapes_here,
) -> FittedSpread:
    """Return a model fitted on the first hours and scored on the rest, over fresh seeds."""
    values, error = fitted(model, truth, fitting, shapes)
    made = shapes(model, [(values, len(truth.counts) - 1, seed) for seed in testing])
    named = dict(zip(model.grids, values, strict=True))
    return predicted(truth, model.name, named, error, made)


def predicted(
    truth: Truth,
    name: str,
    parameters: dict[str, float],
    error: float,
    shapes: Sequence[Floats],
) -> FittedSpread:
    """Return how well some shapes, one a seed, predict the hours that were not fitted."""
    rest = truth.counts[truth.fitted :]
    curves, errors, agreements = [], [], []
    for shape in shapes:
        curve = scale(truth, shape) * shape
        curves.append(tuple(curve.tolist()))
        errors.append(msed(rest, curve[truth.fitted :], truth.most))
        agreements.append(correlation(rest, curve[truth.fitted :]))
    return FittedSpread(
        name,
        parameters,
        error,
        t_interval(np.array(errors), POSITIVE),
        t_interval(np.array(agreements), CORRELATION),
        tuple(curves),
    )


def unmoved(truth: Truth) -> FittedSpread:
    """Return the control: after the last fitted hour nobody else becomes active."""
    last = float(truth.counts[truth.fitted - 1])
    curve = np.minimum(truth.counts, last)
    error = msed(truth.counts[truth.fitted :], np.full(len(curve) - truth.fitted, last), truth.most)
    curves = (tuple(curve.tolist()),)
    return FittedSpread("nobody more", {}, 0.0, Interval(error), Interval(), curves)


class Society(msgspec.Struct, frozen=True):
    """On which graph models spread, and who is first."""

    people: int
    graph: str = "preferential"
    ties: Ties | None = None
    """A real graph; if given, `graph` is only its name."""
    firsts: tuple[int, ...] = ()
    """Real people in the order in which they became active; those known at once come from them."""

    def genesis(self, seed: int) -> Genesis:
        """Return the people on their graph."""
        drawn = society(self.people, seed, self.graph if self.ties is None else "random")
        if self.ties is None:
            return drawn
        return Genesis(drawn.catalogue, drawn.profiles, self.ties, drawn.clock, drawn.domain)

    def seeds(self, share: float, seed: int) -> tuple[int, ...]:
        """Return the share of people who know at once."""
        count = max(1, round(share * self.people))
        if self.firsts:
            return tuple(sorted(self.firsts[:count]))
        return anybody(self.people, count, seed)


_AT_ONCE = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
_AGAIN = (0.0, 0.02, 0.05, 0.1)
_ANEW = 5_000
"""Added to a seed, so that those who tell it anew are other people."""
_SPEEDS = (0.03, 0.05, 0.07, 0.1, 0.15, 0.25, 0.5, 1.0)


def models(people: int, graph: str = "preferential", second: int = 0) -> tuple[SpreadModel, ...]:
    """Return the three models on generated graphs of so many people."""
    return models_on(Society(people, graph), second)


def models_on(where: Society, second: int = 0) -> tuple[SpreadModel, ...]:
    """Return Independent Cascade, Linear Threshold and rule minds on some graph.

    If the known hours have a `second` wave, some people tell it anew then, among rule minds.
    """
    people = where.people

    @cache
    def network(seed: int) -> Network:
        return Network.of(where.genesis(seed).ties)

    def cascade(values: Sequence[float], steps: int, seed: int) -> Floats:
        chance, speed, known = values
        seeds = where.seeds(known, seed)
        counts = independent_cascade(network(seed), seeds, chance, steps, seed, speed=speed)
        return rising(counts / people)

    def threshold(values: Sequence[float], steps: int, seed: int) -> Floats:
        bound, speed, known = values
        seeds = where.seeds(known, seed)
        counts = linear_threshold(network(seed), seeds, bound, steps, seed, speed=speed)
        return rising(counts / people)

    def minds(values: Sequence[float], steps: int, seed: int) -> Floats:
        tell, attention, known, wane, *anew = values
        others = anybody(people, round(anew[0] * people), seed + _ANEW) if anew else ()
        rules = {"news_tell": tell, "news_wane": wane}
        course = tried(
            where.genesis(seed),
            DISCOVERY,
            where.seeds(known, seed),
            steps + 1,
            seed,
            attention=attention,
            rules=rules,
            again=(second + 1, others) if others else None,
        )
        return rising(np.array(course.active))

    chances = (0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.5)
    bounds = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
    anew = {"tell it anew": _AGAIN} if second else {}
    pace = {"speed": _SPEEDS, "at once": _AT_ONCE}
    return (
        SpreadModel("Independent Cascade", cascade, {"chance of a tie": chances, **pace}),
        SpreadModel("Linear Threshold", threshold, {"mean threshold": bounds, **pace}),
        SpreadModel(
            RULE,
            minds,
            {
                "news_tell": (-3.0, -2.5, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0),
                "attention": (0.05, 0.07, 0.1, 0.15, 0.25, 0.5),
                "at once": _AT_ONCE[:5],
                "news_wane": WANING,
                **anew,
            },
        ),
    )


def rising(shares: Floats) -> Floats:
    """Return shares that start at 0: the curve counts those who came since the onset."""
    shares = shares.copy()
    shares[0] = 0.0
    return shares


def rule_courses(
    people: int, graph: str, parameters: Mapping[str, float], rounds: int, seeds: Sequence[int]
) -> list[Curves]:
    """Return the whole curves of rule minds with fitted parameters, one for each seed."""
    rules = {name: parameters.get(name, 0.0) for name in ("news_tell", "news_wane")}
    attention = parameters["attention"]
    courses = []
    for seed in seeds:
        first = anybody(people, max(1, round(parameters["at once"] * people)), seed)
        genesis = society(people, seed, graph)
        courses.append(
            tried(genesis, DISCOVERY, first, rounds, seed, attention=attention, rules=rules)
        )
    return courses
