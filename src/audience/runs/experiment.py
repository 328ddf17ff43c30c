"""Experiments: arms x seeds with the same people and dice, and the findings from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

import msgspec

from audience.errors import BadInput
from audience.files import claim
from audience.log import Log
from audience.metrics import LABELS, suite
from audience.results import (
    Arm,
    Difference,
    Findings,
    differences,
    level,
    result_table,
    shown,
    to_html,
    withheld,
)
from audience.runs import launch as runs
from audience.runs.lifecycle import Finished, Progress, Stopping
from audience.runs.measures import Seen, measured
from audience.runs.progress import Watch
from audience.scenario import (
    Scenario,
    SpendingOptions,
    arm,
    genesis_of,
    label,
    parse,
    parts_of,
    reach,
    text_of,
)

FILE = "experiment.toml"
"""The file that marks a folder as an experiment: the whole scenario, with its arms."""
HEADLINE = "satisfaction"
FOR_VERDICT = ("picks", "return_rate", "minutes_per_visit")
SUMMARY = (
    "satisfaction",
    "click_rate",
    "picks",
    "minutes_per_visit",
    "completion",
    "rating_mean",
    "exit_page",
    "return_rate",
    "visits",
    "entropy_exposure",
    "entropy_consumption",
    "gini",
    "coverage_exposure",
    "repeated_exposure",
)


SPREAD_SUMMARY = (
    "reach",
    "emotion",
    "emotion_words",
    "positive",
    "told",
    "delivered",
    "cascades",
    "cascade_scale",
    "cascade_depth",
    "cascade_breadth",
    "visits",
)
"""The metrics of a run in which nothing was picked and a topic spread."""


def summary_of(findings: Findings) -> tuple[str, ...]:
    """Return the metrics that summarise findings."""
    totals = findings.arms[0].runs[0].totals if findings.arms else {}
    if "reach" not in totals:
        return SUMMARY
    return SPREAD_SUMMARY if not totals.get("picks") else (*SPREAD_SUMMARY[:6], *SUMMARY)


class Outcome(msgspec.Struct, frozen=True):
    """A finished experiment, or a single run: its runs, its findings, its folder."""

    folder: str
    finished: tuple[Finished, ...]
    findings: Findings

    @property
    def verdict(self) -> str:
        return self.findings.verdict

    @property
    def differences(self) -> tuple[Difference, ...]:
        return self.findings.differences

    @property
    def report(self) -> str:
        """The path of the report."""
        return str(Path(self.folder) / "report.html")

    def __str__(self) -> str:
        return self.verdict

    def __repr__(self) -> str:
        return f"<Outcome of {len(self.finished)} runs in {self.folder}: {self.verdict}>"

    def _repr_html_(self) -> str:
        """Return the verdict and the table of all metrics, as notebooks show them."""
        verdict = f"<p><strong>{escape(self.verdict)}</strong></p>"
        return verdict + to_html(result_table(self.findings))


def verify(scenario: Scenario, where: str = "") -> None:
    """Raise unless every part of every arm can be made. Nothing is written."""
    for name, variant in variants(scenario).items():
        genesis = genesis_of(variant, variant.seed)
        try:
            reach(parts_of(variant, genesis))
            suite(variant.metrics)
        except BadInput as error:
            of_arm = f"arm {name!r}: " if scenario.arms else ""
            raise BadInput(f"{where}: {of_arm}{error}" if where else str(error)) from None


def conduct(
    scenario: Scenario,
    folder: Path,
    *,
    progress: Progress | None = None,
    stopping: Stopping = lambda: False,
    spending: SpendingOptions | None = None,
    watching: Callable[[Path], Watch] | None = None,
) -> Outcome:
    """Run every arm with every seed, or a scenario's single run; existing runs are resumed.

    `watching` returns the watch of the run in each folder.
    """
    if not scenario.arms and scenario.seeds == 1:
        watch = watching(folder) if watching else None
        done = _one(scenario, scenario.seed, folder, progress, stopping, spending, watch)
        arms: tuple[Arm, ...] = (Arm(label(scenario.recommender.kind), (done.measured,)),)
        return Outcome(str(folder), (done,), findings(scenario, arms))
    verify(scenario)
    claim(folder / FILE, text_of(scenario), "another experiment")
    finished: dict[str, list[Finished]] = {name: [] for name in variants(scenario)}
    for seed in range(scenario.seed, scenario.seed + scenario.seeds):
        for name, variant in variants(scenario).items():
            place = folder / name / f"seed-{seed}"
            watch = watching(place) if watching else None
            done = _one(variant, seed, place, progress, stopping, spending, watch)
            finished[name].append(done)
            spending = spending.after(done.spent) if spending else None
    arms = tuple(
        Arm(name, tuple(one.measured for one in runs_)) for name, runs_ in finished.items()
    )
    everything = tuple(one for runs_ in finished.values() for one in runs_)
    return Outcome(str(folder), everything, findings(scenario, arms))


def variants(scenario: Scenario) -> dict[str, Scenario]:
    """Return the scenario of every arm by its name; of a scenario without arms, itself."""
    if not scenario.arms:
        return {label(scenario.recommender.kind): scenario}
    return {name: arm(scenario, name) for name in scenario.arms}


def _one(
    scenario: Scenario,
    seed: int,
    folder: Path,
    progress: Progress | None,
    stopping: Stopping,
    spending: SpendingOptions | None,
    watch: Watch | None = None,
) -> Finished:
    options = {"progress": progress, "stopping": stopping, "spending": spending, "watch": watch}
    if (folder / "run.db").exists():
        return runs.resume(folder, **options)  # type: ignore[arg-type]
    return runs.start(scenario, seed, folder, **options)  # type: ignore[arg-type]


def is_experiment(folder: Path) -> bool:
    return (folder / FILE).is_file()


def scenario_of(folder: Path) -> Scenario:
    """Return the scenario of an experiment's or a run's folder."""
    if is_experiment(folder):
        return parse((folder / FILE).read_text("utf-8"), str(folder / FILE))
    with Log.open(folder) as log:
        return parse(log.scenario, str(folder))


def gathered(folder: Path, seen: Seen | None = None) -> Findings:
    """Return the findings of a folder from its logs alone; `seen` is called for each round."""
    scenario = scenario_of(folder)
    if not is_experiment(folder):
        done = (measured(folder, seen),)
        return findings(scenario, (Arm(label(scenario.recommender.kind), done),))
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    places = {
        name: [folder / name / f"seed-{seed}" for seed in seeds] for name in variants(scenario)
    }
    for place in (place for each in places.values() for place in each):
        if not _is_finished(place):
            raise BadInput(f"{place} is not finished; continue with: audience resume {folder}")
    arms = tuple(
        Arm(name, tuple(measured(place, seen) for place in each)) for name, each in places.items()
    )
    return findings(scenario, arms)


def _is_finished(place: Path) -> bool:
    if not (place / "run.db").exists():
        return False
    with Log.open(place) as log:
        return log.complete_rounds() >= parse(log.scenario, str(place)).rounds


def findings(scenario: Scenario, arms: tuple[Arm, ...]) -> Findings:
    """Return what the arms show."""
    names = [name for name in arms[0].runs[0].totals if name in LABELS] if arms else []
    extra = [name for name in (arms[0].runs[0].totals if arms else {}) if name not in LABELS]
    contrasts = differences(arms, [*names, *extra])
    facts = {
        "people": f"{scenario.agents:,}",
        "rounds": f"{scenario.rounds} of {scenario.clock.step}",
        "seeds": ", ".join(str(run.seed) for run in arms[0].runs),
        "mind": scenario.mind.kind,
        "dataset": scenario.dataset.kind,
        "digests": " ".join(run.digest[:12] for arm in arms for run in arm.runs),
    }
    return Findings(
        scenario.title, arms, contrasts, verdict(arms, contrasts), text_of(scenario), facts
    )


def verdict(arms: Sequence[Arm], contrasts: Sequence[Difference]) -> str:
    """Return which arm serves the audience better, by how much, with its interval.

    Where minds failed too often, say so instead.
    """
    reason = withheld(arms)
    if reason:
        return reason
    if len(arms) < 2:
        totals = arms[0].runs[0].totals
        if "reach" in totals:
            return spread_verdict(totals)
        (clicks, over), (satisfaction, _) = level(arms[0], "click_rate"), level(arms[0], HEADLINE)
        mean = f", means over {over}" if over else ""
        return (
            f"{arms[0].name}: {totals['picks']:,.0f} picks on {totals['pages']:,.0f} pages; "
            f"click rate {_said(clicks.mean, '.1%')}, satisfaction "
            f"{_said(satisfaction.mean, '.3f')}{mean}."
        )
    return " ".join(_sentence(contrasts, arms[0], other) for other in arms[1:])


def spread_verdict(totals: Mapping[str, float]) -> str:
    """Return the reach of topics, and the emotions and views of those who know of them."""
    positive = totals["positive"]
    view = "nobody has a view" if math.isnan(positive) else f"{positive:.0%} of views are for it"
    return (
        f"{_said(totals['reach'], '.1%')} of people know, after {totals['told']:,.0f} messages; "
        f"emotion {_said(totals['emotion'], '.2f')}, {view}; largest cascade "
        f"{_said(totals['cascade_scale'], ',.0f')} messages, "
        f"{_said(totals['cascade_depth'], ',.0f')} deep."
    )


def _said(value: float, digits: str) -> str:
    """Return a number as part of a sentence."""
    return format(value, digits) if math.isfinite(value) else "unknown"


def _sentence(contrasts: Sequence[Difference], first: Arm, second: Arm) -> str:
    reference, other = first.name, second.name
    by_metric = {contrast.metric: contrast for contrast in contrasts if contrast.other == other}
    head = by_metric["reach" if "reach" in by_metric else HEADLINE]
    levels = tuple(shown(level(arm, head.metric)[0].mean) for arm in (first, second))
    if head.difference == head.low == head.high == 0.0 and levels[0] == levels[1]:
        label = LABELS[head.metric][0].lower()
        return f"No difference between {other} and {reference}: {label} {levels[0]} with both."
    if math.isnan(head.difference):
        label = LABELS[head.metric][0].lower()
        return f"Too little happened to compare {other} with {reference}: {label}."
    if math.isnan(head.low) or not head.is_clear:
        return (
            f"No clear difference between {other} and {reference}: {_told(head, *levels)}. "
            "More people, rounds or seeds would tell more."
        )
    better, worse = (other, reference) if head.difference > 0 else (reference, other)
    rest = [by_metric[name] for name in FOR_VERDICT if name in by_metric]
    clear = [one for one in rest if not math.isnan(one.low) and one.is_clear]
    also = f" Also: {', '.join(_briefly(one) for one in clear)}." if clear else ""
    return f"{better} serves this audience better than {worse}: {_told(head, *levels)}.{also}"


def _briefly(difference: Difference) -> str:
    label = LABELS[difference.metric][0].lower()
    if not difference.reference_mean:
        return (
            f"{label} {shown(difference.difference, difference.low, difference.high, signed=True)}"
        )
    low, high = _percent(difference, difference.low), _percent(difference, difference.high)
    return f"{label} {difference.percent:+.1f} % [{low}, {high}]"


def _percent(difference: Difference, bound: float) -> str:
    return f"{100.0 * bound / abs(difference.reference_mean):+.1f}"


def _told(difference: Difference, reference: str, other: str) -> str:
    label = LABELS[difference.metric][0].lower()
    if math.isnan(difference.low) or not difference.reference_mean:
        minus = f"{difference.other} minus {difference.reference}"
        return f"{label} {difference.difference:+.3g} ({minus})"
    return (
        f"{label} {reference} with {difference.reference}, {other} with {difference.other} "
        f"({difference.percent:+.1f} %, 95 % interval {_percent(difference, difference.low)} to "
        f"{_percent(difference, difference.high)} % over {difference.pairs:,} {difference.over})"
    )
