"""The Python handle of a run, and the folder that a run or an experiment fills."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from audience.engine import cores
from audience.errors import BadInput, shell_command
from audience.files import free_path
from audience.log import Log, is_held
from audience.plugins import offer
from audience.recommenders import Recommender
from audience.results import Measured, write_report
from audience.runs.band import with_sensitivity
from audience.runs.experiment import EXPERIMENT, Outcome, conduct, is_experiment, verify
from audience.runs.exports import columns_of, interactions
from audience.runs.jobs import pool_for, variants
from audience.runs.judges import Audience, audience_of, names_mind
from audience.runs.lifecycle import Progress
from audience.runs.measures import measured
from audience.runs.people import settle_people
from audience.scenario import Scenario, anchored, arms_of, changed, load, parse
from audience.toml_reader import read_toml_file

_OURS = (
    *(EXPERIMENT, "run.db*", "calls.db*", "human.db*", "lock", "people.json", "report.*"),
    *("figures", "export", "interviews", "chats", "metrics.msgpack"),
    *("verdicts.*", "sensitivity.*", "measured*", "comparison*"),
)


def make_room(folder: Path, *, overwrite: bool = False) -> None:
    """Refuse a folder that is not empty; with `overwrite`, remove the run or experiment in it."""
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--out {folder} is a file; choose another folder with --out")
    there = sorted(folder.iterdir()) if folder.exists() else []
    if all(path.name == "lock" or path.name.startswith("run.db.partial") for path in there):
        return  # left by a creation that was killed; the next one clears them
    if not is_experiment(folder) and not (folder / "run.db").is_file():
        listed = ", ".join(path.name for path in there[:3])
        raise BadInput(
            f"--out {folder} is not empty and is not a run ({listed}); "
            "empty it yourself, or choose another folder with --out"
        )
    if not overwrite:
        raise BadInput(
            f"--out {folder} already holds a run; continue with "
            f"`{shell_command('resume', folder)}`, "
            "choose another folder with --out, or replace it with --overwrite"
        )
    _remove(folder, there)


def _remove(folder: Path, there: list[Path]) -> None:
    foreign = [path.name for path in there if not _is_ours(path)]
    if foreign:
        raise BadInput(
            f"--overwrite: {folder} holds {', '.join(foreign[:3])} besides a run; "
            "move that away, or choose another folder with --out"
        )
    for place in _runs_in(folder):
        if is_held(place):
            raise BadInput(f"--overwrite: {place} is being written; stop it first")
    for path in there:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _is_ours(path: Path) -> bool:
    return any(fnmatch(path.name, name) for name in _OURS) or any(path.glob("seed-*"))


def _runs_in(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.glob("*/seed-*")


FRAMES = ("pandas", "polars")


class Run:
    """A run's folder, read afresh at each call: the run may be going on."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if is_experiment(self.folder):
            inside = sorted(str(one.parent) for one in self.folder.glob("*/seed-*/run.db"))
            raise BadInput(
                f"{folder} is an experiment; name one of its runs: {', '.join(inside[:6])}"
            )
        with Log.open(self.folder) as log:
            self.seed = log.seed
            self.scenario: Scenario = parse(log.scenario, str(folder))

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"

    def interactions(self, *, exposures: bool = False, frame: str = "") -> Any:  # noqa: ANN401
        """Return one row per picked item as a pandas or polars frame, whichever is installed.

        With `exposures`, one row per item shown. `frame` chooses between the two.
        """
        if frame and frame not in FRAMES:
            raise BadInput(f"frame {frame!r} is unknown; known: {', '.join(FRAMES)}")
        libraries = [frame] if frame else [name for name in FRAMES if find_spec(name)]
        if not libraries or not find_spec(libraries[0]):
            raise BadInput(
                f"{frame or 'neither pandas nor polars'} is {'not ' * bool(frame)}installed; "
                f"`pip install {frame or 'pandas'}`, or take .columns(), which needs nothing"
            )
        columns = self.columns(exposures=exposures)
        library: Any = import_module(libraries[0])
        if libraries[0] == "pandas":
            return library.DataFrame(columns).astype({"propensity": "float64"})
        return library.DataFrame(columns, schema_overrides={"propensity": library.Float64})

    def columns(self, *, exposures: bool = False) -> dict[str, list[Any]]:
        """Return the same as plain lists by column; a propensity that is not known is None."""
        with Log.open(self.folder) as log:
            return columns_of(interactions(log, exposures=exposures))

    def measured(self) -> Measured:
        """Return the metrics of the run: total, by round, by person."""
        return measured(self.folder)


def load_any(path: str | Path) -> Scenario | Run:
    """Return the scenario of a TOML file, or the run in a folder."""
    place = Path(path)
    return Run(place) if place.is_dir() else load(place)


def embedded_scenario() -> Scenario:
    """Return the scenario of `make run`: two recommenders before a thousand people."""
    return parse((files("audience.scenario") / "default.toml").read_text("utf-8"), "default.toml")


def run(
    scenario: Scenario | Run | str | Path | None = None,
    *,
    recommenders: Sequence[str | Recommender] = (),
    out: str | Path = "",
    overwrite: bool = False,
    report: bool = True,
    sensitivity: bool = True,
    progress: Progress | None = None,
    workers: int = 1,
    cluster: str = "",
    **changes: object,
) -> Outcome:
    """Run a scenario (the embedded one unless given, or a run's) and return what was found.

    `recommenders`, kinds or objects with a `fit`, become the arms, the first being the reference;
    other keywords replace keys of the scenario: agents, rounds, seed, seeds, mind, dataset, …
    Where neither names a mind and the data has a past, `grounded` minds judge; rule minds are
    fitted to the past or to public figures. A run is run again with the people it had. With
    `sensitivity`, arms with three seeds or more are also tried before other audiences.
    A folder with a run is refused unless `overwrite`. `workers` processes, 0 for one per core, or
    a Ray `cluster` take whole runs, or the visits of a single one. Works inside a running event
    loop.
    """
    is_again = isinstance(scenario, Run)
    if isinstance(scenario, Run):
        scenario = scenario.scenario
    recipe = scenario if isinstance(scenario, Scenario) else None
    is_named = "mind" in changes or recipe is not None
    if recipe is None:
        recipe = load(Path(str(scenario))) if scenario else embedded_scenario()
        is_named = is_named or (names_mind(Path(str(scenario))) if scenario else False)
    if recommenders:
        kinds = [given if isinstance(given, str) else offer(given) for given in recommenders]
        changes["arms"] = arms_of(kinds)
    if changes:
        recipe = changed(recipe, **changes)
    people = Audience(recipe) if is_again else audience_of(recipe, is_named=is_named)
    recipe = people.scenario
    settle_people(recipe)
    verify(recipe)
    folder = Path(out) if out else free_path(Path("runs") / "run")
    make_room(folder, overwrite=overwrite)
    with pool_for(list(variants(recipe).values()), workers, cluster=cluster) as pool:
        outcome = conduct(
            recipe,
            folder,
            progress=progress,
            fitting=people.fitting,
            workers=workers or cores(),
            pool=pool,
        )
        if sensitivity:
            outcome = with_sensitivity(recipe, outcome, pool=pool)
    if report:
        write_report(outcome.findings, folder)
    return outcome


def load_interventions(path: Path) -> tuple[dict[str, object], ...]:
    """Return the `[[interventions]]` of a TOML file."""
    if not path.is_file():
        raise BadInput(
            f"--intervene {path} does not exist; give a TOML file with [[interventions]]"
        )
    tree = read_toml_file(path)
    interventions = tree.get("interventions")
    if not isinstance(interventions, list) or not interventions or set(tree) != {"interventions"}:
        raise BadInput(f"{path}: it must hold [[interventions]] tables and nothing else")
    return tuple(anchored({"interventions": interventions}, path.parent)["interventions"])
