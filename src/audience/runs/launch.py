"""Starting, resuming, prolonging and branching a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from audience.agents import Mind
from audience.errors import BadInput
from audience.llm import FILE as CALLS, copy_calls
from audience.log import Log, Snapshooter, fork, world_at
from audience.metrics import suite
from audience.results import Fitting, write_fitting
from audience.runs.lifecycle import Finished, Progress, Quiet, Recruit, RunDriver, Stopping
from audience.runs.progress import Watch
from audience.scenario import (
    FILE as MOVES,
    Scenario,
    SpendingOptions,
    asks_models,
    check_chosen,
    check_models,
    from_tree,
    genesis_of,
    parse,
    parts_of,
    reach,
    text_of,
)
from audience.world import World


def start(
    scenario: Scenario,
    seed: int,
    folder: Path,
    *,
    progress: Progress | None = None,
    stopping: Stopping = lambda: False,
    spending: SpendingOptions | None = None,
    watch: Watch | None = None,
    fitting: Fitting | None = None,
    workers: int = 1,
    recruit: Recruit | None = None,
) -> Finished:
    """Run a scenario with one seed into a new folder; `watch` steers it.

    `workers` is how many processes live visits at a time, or `recruit` returns the crew that does;
    the log is the same for any of them.

    `fitting`, what its people were fitted to, is kept there.
    """
    genesis = genesis_of(scenario, seed)
    reach(parts_of(scenario, genesis))
    suite(scenario.metrics)
    if asks_models(scenario):
        check_chosen(scenario, spending or SpendingOptions())
        check_models(scenario.llm, spending or SpendingOptions())
    own = msgspec.structs.replace(scenario, seed=seed, seeds=1, arms={})
    with Log.create(folder, genesis, text_of(own), seed) as log:
        if fitting:
            write_fitting(fitting, folder)
        going = RunDriver(
            log,
            own,
            progress or Quiet(),
            stopping,
            spending or SpendingOptions(),
            watch,
            workers=workers,
            recruit=recruit,
        )
        return going.on(lambda: World(genesis), Snapshooter(log))


def resume(
    folder: Path,
    *,
    progress: Progress | None = None,
    stopping: Stopping = lambda: False,
    spending: SpendingOptions | None = None,
    minds: Mapping[int, Mind] | None = None,
    upto: int | None = None,
    watch: Watch | None = None,
    workers: int = 1,
    recruit: Recruit | None = None,
) -> Finished:
    """Resume a run from its last commit, with so many processes or with a crew.

    `minds` gives some agents minds of their own and lets them come every round; `upto` stops after
    that round even if the scenario goes on; `watch` steers it.
    """
    with Log.open(folder, write=True) as log:
        scenario = parse(log.scenario, str(folder))
        shots = Snapshooter(log)
        rules = scenario.run
        if minds:
            rules = msgspec.structs.replace(
                rules, deadline=0.0, part_deadline=0.0
            )  # a person may take their time
        if upto is not None:
            rules = msgspec.structs.replace(rules, rounds=upto)
        scenario = msgspec.structs.replace(scenario, run=rules)
        going = RunDriver(
            log,
            scenario,
            progress or Quiet(),
            stopping,
            spending or SpendingOptions(),
            watch,
            typing=minds or (),
            workers=workers,
            recruit=recruit,
        )

        def begin() -> World:
            world = world_at(log, log.complete_rounds(), shots)
            reach(parts_of(scenario, world.genesis))
            return world

        return going.on(begin, shots, minds)


def prolong(folder: Path, rounds: int) -> None:
    """Set another last round, to which the run goes when it is resumed."""
    with Log.open(folder, write=True) as log:
        done = log.complete_rounds()
        if rounds < done:
            raise BadInput(
                f"--rounds {rounds}: {folder} has {done} rounds; branch it with --at {rounds}"
            )
        tree = msgspec.to_builtins(parse(log.scenario, str(folder)))
        tree["run"]["rounds"] = rounds
        log.set_scenario(text_of(from_tree(tree, str(folder))))


def branch(
    source: Path, target: Path, at: int | None, interventions: tuple[dict[str, object], ...] = ()
) -> Path:
    """Make a branch at the end of a round, with further interventions; it is not run yet."""
    with Log.open(source) as parent:
        scenario = parse(parent.scenario, str(source))
        done = parent.complete_rounds() if at is None else at
        genesis = parent.genesis() if interventions else None
    tree = msgspec.to_builtins(scenario)
    for number, intervention in enumerate(interventions, 1):
        round_ = intervention.get("round")
        if not isinstance(round_, int) or round_ <= done:
            raise BadInput(
                f"intervention {number}: round {round_} is not after round {done}, "
                "where the branch begins"
            )
    tree["interventions"] = (*tree["interventions"], *interventions)
    changed = from_tree(tree, "branch")
    if genesis is not None:
        parts_of(changed, genesis)
    with fork(source, target, at) as log:
        if interventions:
            log.set_scenario(text_of(changed))
    for name in (CALLS, MOVES):
        if (source / name).is_file():
            copy_calls(source / name, target / name)
    return target
