"""A run that lies in a folder, for notebooks."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from audience.errors import BadInput
from audience.experiments.experiment import is_experiment
from audience.experiments.export_rows import columns_of, interactions
from audience.experiments.findings import Measured
from audience.experiments.measuring import measured
from audience.experiments.scenario import Scenario, load, parse
from audience.log import Log

FRAMES = ("pandas", "polars")


class Run:
    """What lies in a run's folder. Read anew at each question: a run that goes on may be asked."""

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
        """Return one row per item taken up as a frame of pandas or polars, whichever there is.

        With `exposures`, one row per item shown. `frame` chooses between the two.
        """
        if frame and frame not in FRAMES:
            raise BadInput(f"frame {frame!r} is unknown; known: {', '.join(FRAMES)}")
        wanted = [frame] if frame else [name for name in FRAMES if find_spec(name)]
        if not wanted or not find_spec(wanted[0]):
            raise BadInput(
                f"{frame or 'neither pandas nor polars'} is {'not ' * bool(frame)}installed; "
                f"`pip install {frame or 'pandas'}`, or take .columns(), which needs nothing"
            )
        columns = self.columns(exposures=exposures)
        library: Any = import_module(wanted[0])
        if wanted[0] == "pandas":
            return library.DataFrame(columns).astype({"propensity": "float64"})
        return library.DataFrame(columns, schema_overrides={"propensity": library.Float64})

    def columns(self, *, exposures: bool = False) -> dict[str, list[Any]]:
        """Return the same as plain lists by column; a propensity that is not known is None."""
        with Log.open(self.folder) as log:
            return columns_of(interactions(log, exposures=exposures))

    def measured(self) -> Measured:
        """Return the numbers of the run: in all, by round, by person."""
        return measured(self.folder)


def load_any(path: str | Path) -> Scenario | Run:
    """Return the scenario of a TOML file, or the run that lies in a folder."""
    place = Path(path)
    return Run(place) if place.is_dir() else load(place)
