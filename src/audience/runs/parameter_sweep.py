"""Sweeps: a grid or a random search over the keys of a scenario, with paired seeds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from audience.engine import cores
from audience.errors import BadInput, unknown
from audience.files import claim, free_path
from audience.metrics import LABELS
from audience.results import (
    Arm,
    SweepFindings,
    SweepPoint,
    effects_table,
    plain_value,
    sweep_caption,
    sweep_figure,
    sweep_table,
    to_csv,
    to_json,
    to_markdown,
    withheld,
    write_result,
    written,
)
from audience.runs.experiment import verify
from audience.runs.handle import embedded_scenario
from audience.runs.jobs import SeededArm, finished_of, kept_run, pool_for, run_task
from audience.runs.judges import audience_of, names_mind
from audience.runs.lifecycle import Finished, Stopping
from audience.runs.people import settle_people
from audience.runs.pool import Pool
from audience.runs.task import Counted
from audience.scenario import (
    PARTS,
    Scenario,
    SpendingOptions,
    anchored,
    arm,
    changed,
    dump,
    from_tree,
    load,
    part_of,
    text_of,
)
from audience.toml_reader import read_toml
from audience.world import rng

SWEEP = "sweep.toml"
"""The file that marks a folder as a sweep's: the scenario, and what is varied."""
ARM = "arm"
"""The key that the arms of a scenario vary."""
MOST = 10_000
"""The most points of a sweep."""
_RANGE = re.compile(r"\s*(-?[\d.]+(?:e-?\d+)?)\.\.(-?[\d.]+(?:e-?\d+)?)\s*", re.IGNORECASE)
_IN_RUN = ("rounds", "order")


class Varied(msgspec.Struct, frozen=True):
    """A key of a scenario, and the values it takes or the range they are drawn from."""

    key: str
    values: tuple[Any, ...] = ()
    ends: tuple[float, float] | None = None

    @property
    def plain(self) -> Any:  # noqa: ANN401
        """As a file keeps it."""
        return list(self.values) if self.ends is None else "{!r}..{!r}".format(*self.ends)

    def draw(self, seed: int, number: int) -> Any:  # noqa: ANN401
        """Return the value of a point of a random search, by a die of its own."""
        die = rng(seed, "sweep", self.key, number)
        if self.ends is None:
            return self.values[int(die.integers(len(self.values)))]
        low, high = self.ends
        if isinstance(low, int) and isinstance(high, int):
            return int(die.integers(low, high + 1))
        return round(float(die.uniform(low, high)), 6)


class Sweep(msgspec.Struct, frozen=True):
    """A sweep ready to be run: every point as a scenario of its own."""

    scenario: Scenario
    varied: tuple[Varied, ...]
    random: int
    points: tuple[dict[str, Any], ...]
    scenarios: tuple[Scenario, ...]
    metrics: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole as TOML."""
        table = {"random": self.random, "vary": {each.key: each.plain for each in self.varied}}
        return text_of(self.scenario) + "\n" + dump({"sweep": table})

    @property
    def runs(self) -> int:
        return len(self.points) * self.scenario.seeds

    def place(self, number: int, seed: int) -> str:
        """Return the folder of a run within the sweep's."""
        return SeededArm(f"point-{number + 1}", seed).place


class SweepOutcome(msgspec.Struct, frozen=True):
    """A finished sweep: what it shows, its runs, its folder."""

    folder: str
    findings: SweepFindings
    finished: tuple[Finished, ...]

    @property
    def verdict(self) -> str:
        return self.withheld or self.findings.verdict

    @property
    def withheld(self) -> str:
        """Why no verdict is given; empty if one is."""
        return withheld([point.arm for point in self.findings.points])

    def __repr__(self) -> str:
        return f"<SweepOutcome of {len(self.finished)} runs in {self.folder}: {self.verdict}>"


def varied(text: str) -> Varied:
    """Return what `KEY=VALUE,VALUE` or `KEY=LOW..HIGH` varies."""
    key, equals, given = text.partition("=")
    key = key.strip()
    if not equals or not key or not given.strip():
        raise BadInput(
            f"--vary {text!r}: give a key and its values, as in mind.position=0.2,0.5 or 0.1..0.9"
        )
    if ends := _RANGE.fullmatch(given):
        low, high = (_value(end, key) for end in ends.groups())
        if not low < high:
            raise BadInput(
                f"--vary {key}: the range {given.strip()} is empty; put its lower end first"
            )
        return Varied(key, ends=(low, high))
    return Varied(key, _distinct(key, [_value(value, key) for value in _split(given)]))


def _split(text: str) -> list[str]:
    """Return the values between commas; those inside brackets or quotes belong to a value."""
    parts = re.findall(r"""(?:\[[^\]]*\]|\{[^}]*\}|"[^"]*"|'[^']*'|[^,])+""", text)
    return [part.strip() for part in parts if part.strip()]


def _value(text: str, key: str) -> Any:  # noqa: ANN401
    """Return a value as TOML reads it; a bare word is a text."""
    try:
        return read_toml(f"value = {text}", f"--vary {key}")["value"]
    except BadInput:
        return text


def _distinct(key: str, values: Sequence[Any]) -> tuple[Any, ...]:
    kept: list[Any] = []
    for value in values:
        if repr(value) in map(repr, kept):  # 1 and true are equal to Python
            raise BadInput(f"--vary {key}: {plain_value(value)} is given twice")
        kept.append(value)
    if not kept:
        raise BadInput(f"--vary {key}: there is no value; give some, as in {key}=1,2")
    return tuple(kept)


def sweep_of(
    scenario: Scenario,
    vary: Sequence[Varied],
    *,
    random: int = 0,
    metrics: Sequence[str] = (),
) -> Sweep:
    """Return the sweep of a scenario, all points checked; the arms of a scenario are varied too."""
    keys = [each.key for each in vary]
    if not keys:
        raise BadInput("a sweep varies nothing; give --vary, as in --vary mind.position=0.2,0.5")
    for key in keys:
        if keys.count(key) > 1:
            raise BadInput(f"--vary {key}: the key is given twice; give all its values at once")
        if key.split(".")[0] in ("arms", "seed", "seeds"):
            raise BadInput(f"--vary {key}: runs are paired by seed; use --seed and --seeds")
    for metric in metrics:
        if metric not in LABELS and not scenario.metrics:
            raise BadInput(f"--metric: {unknown('metric', metric, LABELS)}")
    if scenario.arms:
        _check_arms(scenario, keys)
        vary = [Varied(ARM, tuple(scenario.arms)), *vary]
    points = _points(vary, random, scenario.seed)
    scenarios = tuple(_checked(scenario, point) for point in points)
    default = "reach" if scenario.spread.topics else "satisfaction"
    chosen = tuple(dict.fromkeys(metrics)) or (default,)
    return Sweep(scenario, tuple(vary), random, tuple(points), scenarios, chosen)


def _check_arms(scenario: Scenario, keys: Sequence[str]) -> None:
    for key in keys:
        head = key.split(".")[0]
        if head in PARTS and key not in (head, f"{head}.kind"):
            continue  # an option is laid over the part of every arm
        if all(head in changes for changes in scenario.arms.values()):
            raise BadInput(
                f"--vary {key}: every arm of the scenario sets {head}; take a scenario without arms"
            )


def _points(vary: Sequence[Varied], random: int, seed: int) -> list[dict[str, Any]]:
    if random < 0:
        raise BadInput(f"--random {random} is negative; give how many points to draw")
    if not random:
        for each in vary:
            if each.ends is not None:
                raise BadInput(
                    f"--vary {each.key}: a range needs --random K, or give its values one by one"
                )
        grid = [
            dict(zip((each.key for each in vary), values, strict=True))
            for values in product(*(each.values for each in vary))
        ]
    else:
        grid = [{each.key: each.draw(seed, number) for each in vary} for number in range(random)]
    if len(grid) > MOST:
        raise BadInput(f"a sweep of {len(grid):,} points is too large; {MOST:,} are allowed")
    return grid


def _checked(scenario: Scenario, values: dict[str, Any]) -> Scenario:
    """Return the scenario at a point; raise if it cannot be made."""
    where = f"--vary {written({key: value for key, value in values.items() if key != ARM})}"
    point = at_point(scenario, values, where)
    verify(point, where)
    return point


def at_point(scenario: Scenario, values: Mapping[str, Any], where: str = "sweep") -> Scenario:
    """Return a scenario with the values of some keys, given with dots; parts come first."""
    base = arm(scenario, values[ARM]) if ARM in values else scenario
    tree: dict[str, Any] = msgspec.to_builtins(base)
    tree["arms"] = {}
    for key in sorted((key for key in values if key != ARM), key=lambda key: key.count(".")):
        _put(tree, key, values[key], where)
    return from_tree(anchored(tree, Path()), where)


def _put(tree: dict[str, Any], key: str, value: Any, where: str) -> None:  # noqa: ANN401
    head, *rest = ("run", key) if key in _IN_RUN else key.split(".")
    if head in PARTS and rest not in ([], ["kind"]):
        rest = ["options", *(rest[1:] if rest[0] == "options" else rest)]
    elif head in PARTS:
        rest = []
    if not rest:
        tree[head] = part_of(value, f"{where}: {head}") if head in PARTS else value
        return
    table = tree.setdefault(head, {})
    for name in rest[:-1]:
        table = table.setdefault(name, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        raise BadInput(f"{where}: {key}: {head} is a value and has no keys")
    table[rest[-1]] = value


def conduct_sweep(
    plan: Sweep,
    folder: Path,
    pool: Pool,
    *,
    counted: Counted = lambda rounds, runs: None,
    stopping: Stopping = lambda: False,
    spending: SpendingOptions | None = None,
    workers: int = 1,
) -> SweepOutcome:
    """Run every point with every seed, and return what they show; finished runs are kept."""
    claim(folder / SWEEP, plan.text, "another sweep, or this one with other values")
    seeds = range(plan.scenario.seed, plan.scenario.seed + plan.scenario.seeds)
    finished: dict[str, Finished] = {}
    tasks = []
    for seed in seeds:  # outside, so that people are made once a seed
        for number, values in enumerate(plan.points):
            place = plan.place(number, seed)
            if kept := kept_run(folder / place):
                finished[place] = kept
                counted(0, 1)
                continue
            own = (f"{written(values)}, seed {seed}", plan.scenarios[number], seed, folder, place)
            tasks.append(run_task(*own, spending, max(1, workers // pool.size)))
    limits = spending.limits() if spending else None
    for task, result in pool.work(tasks, counted, stopping, limits):
        (place,) = task.places
        finished[place] = finished_of(result, folder / place)
    points = []
    for number, values in enumerate(plan.points):
        runs = tuple(finished[plan.place(number, seed)].measured for seed in seeds)
        points.append(SweepPoint(values, Arm(written(values), runs)))
    keys = tuple(each.key for each in plan.varied)
    drawn = tuple(each.key for each in plan.varied if each.ends is not None)
    title, metrics = plan.scenario.title, plan.metrics
    findings = SweepFindings(title, keys, tuple(points), _measured(points, metrics), drawn)
    return SweepOutcome(str(folder), findings, tuple(finished.values()))


def _measured(points: Sequence[SweepPoint], metrics: Sequence[str]) -> tuple[str, ...]:
    totals = points[0].arm.runs[0].totals
    for metric in metrics:
        if metric not in totals:
            raise BadInput(f"--metric: {unknown('metric', metric, totals)}")
    return tuple(metrics)


def write_sweep(outcome: SweepOutcome, folder: Path) -> list[Path]:
    """Write the tables and the figure of a sweep into its folder, and return the paths."""
    findings = outcome.findings
    table, effects = sweep_table(findings), effects_table(findings)
    parts = [f"# {findings.title}", outcome.verdict, to_markdown(table).strip()]
    parts += [to_markdown(effects).strip(), sweep_caption(findings)]
    texts = {
        "sweep.md": "\n\n".join(parts) + "\n",
        "sweep.csv": to_csv(table),
        "sweep.json": to_json(table),
        "effects.csv": to_csv(effects),
        "effects.json": to_json(effects),
    }
    return write_result(folder, texts, sweep_figure(findings), "effects")


def sweep(
    scenario: Scenario | str | Path | None = None,
    *,
    vary: Mapping[str, Sequence[Any] | str],
    random: int = 0,
    metrics: Sequence[str] = (),
    out: str | Path = "",
    workers: int = 1,
    cluster: str = "",
    **changes: object,
) -> SweepOutcome:
    """Run a scenario at every combination of some keys' values and return what they show.

    `vary` gives values by key, with dots: a sequence, or a text as on the command line, such as
    `"0.1..0.9"`; a range needs `random`, the number of points to draw. Other keywords replace keys
    of the scenario: agents, rounds, seed, seeds, … Runs are paired by seed. The same sweep with the
    same `out` continues where it stopped. `workers` and `cluster` are those of the command line.
    """
    recipe = scenario if isinstance(scenario, Scenario) else None
    is_named = "mind" in changes or "mind" in vary or recipe is not None
    if recipe is None:
        recipe = load(Path(str(scenario))) if scenario else embedded_scenario()
        is_named = is_named or (names_mind(Path(str(scenario))) if scenario else False)
    recipe = changed(recipe, **changes) if changes else recipe
    recipe = audience_of(recipe, is_named=is_named).scenario
    settle_people(recipe)
    given = [
        varied(f"{key}={values}")
        if isinstance(values, str)
        else Varied(key, _distinct(key, list(values)))
        for key, values in vary.items()
    ]
    plan = sweep_of(recipe, given, random=random, metrics=metrics)
    folder = Path(out) if out else free_path(Path("runs") / "sweep")
    with pool_for(plan.scenarios, workers, cluster=cluster) as pool:
        outcome = conduct_sweep(plan, folder, pool, workers=workers or cores())
    write_sweep(outcome, folder)
    return outcome
