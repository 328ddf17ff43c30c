"""The door for Python and notebooks."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from audience.errors import BadInput
from audience.experiments.anchoring import anchored
from audience.experiments.experiment import Outcome, conduct, verify
from audience.experiments.folders import make_room
from audience.experiments.going import Progress
from audience.experiments.loaded import Run
from audience.experiments.people import settle_people
from audience.experiments.report import write
from audience.experiments.scenario import Scenario, arms_of, changed, load, parse


def embedded_scenario() -> Scenario:
    """Return the scenario of `make run`: two recommenders before a thousand people."""
    return parse(
        (files("audience.experiments") / "default.toml").read_text("utf-8"), "default.toml"
    )


def run(
    scenario: Scenario | Run | str | Path | None = None,
    *,
    recommenders: Sequence[str] = (),
    out: str | Path = "",
    overwrite: bool = False,
    report: bool = True,
    progress: Progress | None = None,
    **changes: object,
) -> Outcome:
    """Run a scenario (the embedded one unless given, or a run's) and return what was found.

    `recommenders` become the arms, the first being the reference; other keywords replace keys of
    the scenario: agents, rounds, seed, seeds, mind, dataset, …  A folder that holds a run already
    is refused unless `overwrite`. Works inside a running event loop.
    """
    if isinstance(scenario, Run):
        scenario = scenario.scenario
    wanted = scenario if isinstance(scenario, Scenario) else None
    if wanted is None:
        wanted = load(Path(str(scenario))) if scenario else embedded_scenario()
    if recommenders:
        changes["arms"] = arms_of(recommenders)
    if changes:
        wanted = changed(wanted, **changes)
    settle_people(wanted)
    verify(wanted)
    folder = Path(out) if out else _free()
    make_room(folder, overwrite=overwrite)
    outcome = conduct(wanted, folder, progress=progress)
    if report:
        write(outcome.findings, folder)
    return outcome


def _free() -> Path:
    count = 1
    while (place := Path("runs") / f"run-{count}").exists():
        count += 1
    return place


def load_interventions(path: Path) -> tuple[dict[str, object], ...]:
    """Return the `[[interventions]]` of a TOML file."""
    if not path.is_file():
        raise BadInput(
            f"--intervene {path} does not exist; give a TOML file with [[interventions]]"
        )
    try:
        tree = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}") from None
    found = tree.get("interventions")
    if not isinstance(found, list) or not found or set(tree) != {"interventions"}:
        raise BadInput(f"{path}: it must hold [[interventions]] tables and nothing else")
    return tuple(anchored({"interventions": found}, path.parent)["interventions"])
