"""Verdicts of an audience on recommenders, marked where minds and recommenders share evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audience.errors import BadInput
from audience.grounding import WEIGHTS
from audience.lab.evaluation import InteractionColumns, leave_last, measures as found_in, slates_of
from audience.lab.verdicts.statistics import (
    BOUNDS,
    MEASURES,
    RankAgreement,
    agreement,
    count,
    lengths,
    measures,
)
from audience.log import Log
from audience.recommenders import Recommender, UserTable, seen_by_recommender
from audience.results import ANY, Bounds, Interval, crossed_interval, withheld
from audience.runs import Outcome, is_collaborative_mind, mark, sentences, variants
from audience.runs.calibration import with_fitted_people
from audience.scenario import (
    Options,
    Part,
    Scenario,
    from_tree,
    is_address,
    is_service,
    label,
    made,
    name_of,
)
from audience.world import Floats, Genesis, Interactions, Ints, SocialGraph, rng

_EXTRAS = {"recbole": "model", "implicit": "method", "lenskit": "scorer"}
"""Kinds of other packages, and the option that names a method of theirs."""


class SkippedRecommender(msgspec.Struct, frozen=True):
    """A recommender that could not be made here, and what to do about it."""

    recommender: str
    why: str


def arms_for(
    kinds: Sequence[str], recbole_python: str = ""
) -> tuple[dict[str, Options], tuple[SkippedRecommender, ...]]:
    """Return an arm for each recommender that can be made, and those that were skipped.

    `recbole:LightGCN` is RecBole's LightGCN; so with `implicit:METHOD` and `lenskit:SCORER`.
    """
    arms: dict[str, Options] = {}
    skipped = []
    for kind in kinds:
        name, part = _part(kind, recbole_python)
        if name in arms:
            raise BadInput(f"--recommender: duplicate name {name}; give each recommender once")
        if part.kind in _EXTRAS:
            try:
                made("recommenders", part)
            except BadInput as error:
                flag = " (here with --recbole-python)" if part.kind == "recbole" else ""
                skipped.append(SkippedRecommender(name, f"{error}{flag}"))
                continue
        arms[name] = {"recommender": {"kind": part.kind, **part.options}}
    if not arms:
        raise BadInput("--recommender: none of them can be made; give kinds such as random,popular")
    return arms, tuple(skipped)


def _part(kind: str, recbole_python: str) -> tuple[str, Part]:
    package, _, method = kind.partition(":")
    if package not in _EXTRAS or is_address(kind):
        return label(kind), Part(kind)
    options: Options = {_EXTRAS[package]: method} if method else {}
    if package == "recbole" and recbole_python:
        options["python"] = recbole_python
    return method or package, Part(package, options)


def scenario_for(
    dataset: str | Mapping[str, Any],
    mind: str,
    arms: Mapping[str, Options],
    *,
    agents: int,
    rounds: int,
    seed: int = 1,
    seeds: int = 5,
    apart: bool = True,
    llm: Options | None = None,
) -> Scenario:
    """Return the experiment: everybody comes in every round to at most five pages of four.

    `llm+evidence` is mind `llm` with `evidence = true`; `apart`: see docs/how-to/verdicts.md.
    """
    source = {"kind": dataset} if isinstance(dataset, str) else dict(dataset)
    kind, _, extra = mind.partition("+")
    tree: Options = {
        "title": "Recommender verdicts",
        "dataset": source | ({"apart": True} if apart else {}),
        "mind": {"kind": kind} | ({extra: True} if extra else {}),
        "agents": agents,
        "rounds": rounds,
        "seed": seed,
        "seeds": seeds,
        "platform": {"page_size": 4, "max_pages": 5},
        "activation": {"method": "random", "share": 1.0, "loyalty": 0.0},
        "arms": dict(arms),
        "llm": llm or {},
    }
    return with_fitted_people(from_tree(tree, "verdicts")).scenario


OFFLINE = ("ndcg", "recall")
ORDERED_BY = ("click_rate", "watch_time", "satisfaction", "diversity")
"""The audience's measures that are compared with the offline ones."""
K = 10


class VerdictRow(msgspec.Struct, frozen=True):
    """One recommender: the audience's measures, their differences, and offline measures."""

    recommender: str
    mark: str
    values: dict[str, Interval]
    differences: dict[str, Interval]
    """From the reference, paired by person and seed; empty for the reference."""
    offline: dict[str, Interval]


class Verdicts(msgspec.Struct, frozen=True):
    """The verdicts of an audience on some recommenders."""

    rows: tuple[VerdictRow, ...]
    """The first is the reference."""
    agreements: tuple[RankAgreement, ...]
    skipped: tuple[SkippedRecommender, ...]
    remarks: tuple[str, ...]
    """Where evidence comes from, what the marks mean, and other notes."""
    facts: dict[str, str]


class Seen(msgspec.Struct, frozen=True, eq=False):
    """One number for each person in each seed, as columns of equal length."""

    values: Floats
    people: Ints
    seeds: Ints

    def estimate(self, bounds: Bounds = ANY) -> Interval:
        """Return the mean with an interval over people and seeds."""
        return crossed_interval(self.values, self.people, self.seeds, bounds)

    def less(self, other: Seen) -> Seen:
        """Return the paired differences; the same people must be in the same places."""
        return Seen(self.values - other.values, self.people, self.seeds)

    def by_seed(self, seeds: Sequence[int]) -> Floats:
        """Return the mean of each seed."""
        return np.array([np.nanmean(self.values[self.seeds == seed]) for seed in seeds])


def judged(
    scenario: Scenario, outcome: Outcome, skipped: Sequence[SkippedRecommender] = (), *, k: int = K
) -> Verdicts:
    """Return the verdicts of a finished experiment, from its logs and initial histories."""
    parts = {name: variant.recommender for name, variant in variants(scenario).items()}
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    worlds = _worlds(outcome, next(iter(parts)), seeds)
    people = _people(worlds)
    online = {arm.name: _lived(arm.runs, people) for arm in outcome.findings.arms}
    offline = {name: _offline(part, worlds, people, k) for name, part in parts.items()}
    apart = all(bool(genesis.others) for genesis in worlds.values())
    marks = {name: mark(part, scenario.mind, apart=apart) for name, part in parts.items()}
    reference = next(iter(parts))
    rows = tuple(
        VerdictRow(
            name,
            marks[name],
            {measure: seen.estimate(BOUNDS[measure]) for measure, seen in online[name].items()},
            {}
            if name == reference
            else {
                measure: seen.less(online[reference][measure]).estimate()
                for measure, seen in online[name].items()
            },
            {measure: seen.estimate(BOUNDS[measure]) for measure, seen in offline[name].items()},
        )
        for name in parts
    )
    agreements = _agreements(online, offline, list(seeds))
    notes = (_evidence(worlds, apart), *sentences(marks), *_notes(scenario, worlds, agreements))
    remarks = tuple(note for note in (withheld(outcome.findings.arms), *notes) if note)
    return Verdicts(rows, agreements, tuple(skipped), remarks, _facts(scenario, outcome))


def _worlds(outcome: Outcome, name: str, seeds: Sequence[int]) -> dict[int, Genesis]:
    worlds = {}
    for seed in seeds:
        with Log.open(Path(outcome.folder) / name / f"seed-{seed}") as log:
            worlds[seed] = log.genesis()
    return worlds


def _people(worlds: Mapping[int, Genesis]) -> dict[int, Ints]:
    """Return a number for everybody of each seed: the same for the same person of the source."""
    known: dict[str, int] = {}
    return {
        seed: np.array(
            [
                known.setdefault(who.key or f"{seed}/{who.id}", len(known))
                for who in genesis.profiles
            ],
            np.int64,
        )
        for seed, genesis in worlds.items()
    }


def _lived(runs: Sequence[Any], people: Mapping[int, Ints]) -> dict[str, Seen]:
    columns: dict[str, list[Floats]] = {name: [] for name in MEASURES}
    for run in runs:
        with Log.open(Path(run.folder)) as log:
            counts = count(log.chapters(), log.genesis())
            per_person = measures(counts, run.agents["entropy_exposure"])
        for name, values in per_person.items():
            columns[name].append(values)
    who = np.concatenate([people[run.seed] for run in runs])
    when = np.concatenate([np.full(len(people[run.seed]), run.seed) for run in runs])
    return {name: Seen(np.concatenate(values), who, when) for name, values in columns.items()}


def _offline(
    part: Part, worlds: Mapping[int, Genesis], people: Mapping[int, Ints], k: int
) -> dict[str, Seen]:
    """Return how well a recommender predicts the last item of everybody's history."""
    if is_service(part) or not all(genesis.past for genesis in worlds.values()):
        return {}
    recommender: Recommender = made("recommenders", part)
    columns: dict[str, list[Floats]] = {name: [] for name in OFFLINE}
    who, when = [], []
    for seed, genesis in worlds.items():
        users, per_user = _offline_measures(recommender, genesis, seed, k)
        for name in OFFLINE:
            columns[name].append(per_user[name])
        who.append(people[seed][users])
        when.append(np.full(len(users), seed))
    rows = np.concatenate(who), np.concatenate(when)
    return {name: Seen(np.concatenate(values), *rows) for name, values in columns.items()}


def _offline_measures(
    recommender: Recommender, genesis: Genesis, seed: int, k: int
) -> tuple[Ints, dict[str, Floats]]:
    columns = zip(
        *((past.agent, past.item, past.at, past.stars) for past in genesis.past), strict=True
    )
    split = leave_last(InteractionColumns(*(np.array(column, np.int64) for column in columns)))
    train, graph = split.train, SocialGraph(genesis.ties)
    rows = (train.users, train.items, train.at, np.ones(len(train.users)), train.stars)
    learnt = Interactions.of(genesis.catalogue, len(genesis.profiles), rows, graph)
    seen = seen_by_recommender(learnt, UserTable(genesis.profiles))
    ranker = recommender.fit(seen, rng(seed, "fit", 0))
    slates = slates_of(ranker, split, min(k, len(genesis.catalogue)), seed)
    return split.truth.users, found_in(slates, split.truth.items)


def _agreements(
    online: Mapping[str, Mapping[str, Seen]],
    offline: Mapping[str, Mapping[str, Seen]],
    seeds: Sequence[int],
) -> tuple[RankAgreement, ...]:
    names = [name for name in online if offline[name]]
    if len(names) < 2:
        return ()

    def table(source: Mapping[str, Mapping[str, Seen]], measure: str) -> Floats:
        return np.stack([source[name][measure].by_seed(seeds) for name in names])

    return tuple(
        agreement(
            (online_measure, offline_measure),
            table(online, online_measure),
            table(offline, offline_measure),
            seeds[0],
        )
        for offline_measure in OFFLINE
        for online_measure in ORDERED_BY
    )


def _evidence(worlds: Mapping[int, Genesis], apart: bool) -> str:
    first = next(iter(worlds.values()))
    learnt = f"the {len(first.past):,} interactions of the {len(first.profiles):,} people here"
    if not apart:
        return (
            f"Evidence is not apart: minds know items from {learnt}, from which recommenders "
            "learn as well."
        )
    others = len({past.agent for past in first.others})
    return (
        f"Evidence is apart: minds know items from the {len(first.others):,} interactions of "
        f"{others:,} other people, recommenders learn from {learnt} and from the run; no "
        "interaction is in both (drawn anew for each seed). A person's own history is known to "
        "both the person and the recommender."
    )


def _notes(
    scenario: Scenario, worlds: Mapping[int, Genesis], agreements: Sequence[RankAgreement]
) -> list[str]:
    notes = []
    if scenario.seeds < 5:
        notes.append(f"{scenario.seeds} seeds are few: run at least 5 before trusting an order.")
    weights = {name: scenario.mind.options.get(name) for name in WEIGHTS}
    if all(isinstance(weight, float) for weight in weights.values()):
        said = ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items())
        notes.append(f"Rule minds were fitted to the data: {said}.")
    first = next(iter(worlds.values()))
    if max(lengths(first.catalogue)) == 1.0:
        notes.append("The source has no durations: watch time counts items, each by its share.")
    if not agreements:
        notes.append("Fewer than two recommenders were measured offline: no orders to compare.")
    if is_collaborative_mind(scenario.mind):
        notes.append("These minds use collaborative evidence, which favours what agrees with it.")
    return notes


def _facts(scenario: Scenario, outcome: Outcome) -> dict[str, str]:
    spent = [counts.spent for counts in outcome.finished]
    unknown = sum(counts.unpriced for counts in spent)
    facts = outcome.findings.facts
    return {
        "mind": scenario.mind.kind
        + "".join(f"+{key}" for key, value in scenario.mind.options.items() if value is True),
        "dataset": str(scenario.dataset.options.get("path", scenario.dataset.kind)),
        "people": facts["people"],
        "rounds": str(scenario.rounds),
        "seeds": facts["seeds"],
        "model": name_of(scenario.llm)
        if any(counts.calls + counts.reused for counts in spent)
        else "none",
        "calls": f"{sum(counts.calls for counts in spent):,}",
        "tokens": f"{sum(counts.prompt + counts.completion for counts in spent):,}",
        "cost": "unknown" if unknown else f"${sum(counts.dollars for counts in spent):.4f}",
    }
