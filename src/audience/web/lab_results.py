"""What studies and evaluations in the folder found, those of a terminal too."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from audience.errors import AudienceError, shell_command
from audience.lab.evaluation import stored_finding
from audience.lab.studies import (
    MEASURED_FILE,
    STUDY_FILE,
    Recipe,
    Studied,
    read as read_recipe,
    stored_study,
)
from audience.results import result_table, to_markdown
from audience.runs import is_experiment, scenario_of, variants
from audience.toml_reader import text_file
from audience.web.lab_catalogue import EVALUATIONS
from audience.web.lab_jobs import PRINTED
from audience.web.lab_types import ArmRuns, LabFigure, LabResult, LabRow
from audience.web.later import Later, Stamp, stamp_of
from audience.web.replies import Missing
from audience.web.run_registry import RunRegistry

REPORT = "report.html"
_EVALUATION = re.compile(r"(?:eval-)?([a-z]+)\b.*")
_FIGURE = re.compile(r"[A-Za-z0-9][\w .+-]{0,99}\.svg")
_LONGEST = 200_000


def is_evaluation(folder: Path, registry: RunRegistry) -> bool:
    """Return whether a folder was written by an evaluation: by its name, as all are named."""
    is_first = folder.parent == registry.folders.root.resolve()
    return is_first and folder.name.startswith(("eval-", "verdicts-"))


def evaluation_name(folder: Path) -> str:
    """Return the evaluation that wrote a folder, from its name."""
    found = _EVALUATION.match(folder.name)
    return found[1] if found else folder.name


class LabResults:
    """Reads what studies and evaluations have written; findings are read once."""

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry
        self._recipes: dict[Path, tuple[Stamp, Recipe | None]] = {}
        self._studied: Later[Studied | None] = Later()

    def close(self) -> None:
        self._studied.close()

    def rows(self, *, studies_only: bool) -> list[LabRow]:
        """Return a line for each study and evaluation, the newest first."""
        found = self._registry.folders.found()
        studies = [folder for folder, mark in found.wholes.items() if mark == STUDY_FILE]
        rows = [row for folder in studies if (row := self._study_row(folder))]
        if not studies_only:
            others = [one for one in found.others if is_evaluation(one, self._registry)]
            rows += [self._evaluation_row(folder) for folder in others]
        return sorted(rows, key=lambda row: (-row.changed, row.id))

    def result(self, id_: str, *, studies_only: bool) -> LabResult:
        """Return what a study or an evaluation found."""
        folder = self.folder_of(id_)
        if (folder / STUDY_FILE).is_file():
            return self._study(folder)
        if studies_only:
            raise Missing(f"there is no study {id_[:80]!r}")
        return self._evaluation(folder)

    def folder_of(self, id_: str) -> Path:
        """Return the folder of a study or an evaluation."""
        folder = self._registry.folders.place_of(id_, "study or evaluation")
        if (folder / STUDY_FILE).is_file() or is_evaluation(folder, self._registry):
            return folder
        raise Missing(f"there is no study or evaluation {id_[:80]!r}")

    def figure(self, id_: str, file: str) -> bytes:
        """Return a figure as SVG."""
        folder = self.folder_of(id_)
        for place in (folder / "figures" / file, folder / file):
            if _FIGURE.fullmatch(file) and place.is_file() and not place.is_symlink():
                return place.read_bytes()
        raise Missing(f"{id_[:80]} has no figure {file[:80]!r}")

    def arms(self, folder: Path) -> list[ArmRuns]:
        """Return how many runs of each arm of a study or an experiment are done."""
        if is_experiment(folder):
            return _lived(folder)
        recipe = self._recipe(folder)
        if recipe is None:
            return []
        scenario = recipe.scenario
        seeds = range(scenario.seed, scenario.seed + scenario.seeds)
        return [
            ArmRuns(
                arm,
                sum((folder / arm / f"seed-{seed}" / MEASURED_FILE).is_file() for seed in seeds),
                scenario.seeds,
            )
            for arm in scenario.arms
        ]

    def _recipe(self, folder: Path) -> Recipe | None:
        path = folder / STUDY_FILE
        stamp = stamp_of(path)
        at, recipe = self._recipes.get(folder, ((), None))
        if at != stamp:
            try:
                recipe = read_recipe(text_file(path), path.name, folder)
            except (AudienceError, OSError):
                recipe = None
            self._recipes[folder] = stamp, recipe
        return recipe

    def _study_row(self, folder: Path) -> LabRow | None:
        recipe = self._recipe(folder)
        if recipe is None:
            return None
        arms = self.arms(folder)
        done, whole = sum(arm.done for arm in arms), sum(arm.all for arm in arms)
        is_done = done == whole and (folder / REPORT).is_file()
        studied = self._findings(folder) if is_done else None
        return LabRow(
            self._registry.folders.id_of(folder),
            "study",
            recipe.study.name,
            recipe.question,
            "finished" if is_done else "unfinished",
            done,
            whole,
            [arm.arm for arm in arms],
            recipe.scenario.seeds,
            studied.findings.verdict if studied else "",
            _changed(folder),
        )

    def _findings(self, folder: Path) -> Studied | None:
        stamp = stamp_of(folder / STUDY_FILE, folder / REPORT)
        return self._studied.value(folder, stamp, lambda: stored_study(folder))

    def _study(self, folder: Path) -> LabResult:
        row = self._study_row(folder)
        recipe = self._recipe(folder)
        if row is None or recipe is None:
            raise Missing(f"{folder.name}: its {STUDY_FILE} cannot be read")
        studied = None
        if row.state == "finished":
            studied = self._findings(folder) or stored_study(folder)
        fields = msgspec.structs.asdict(row)
        if studied:
            fields["verdict"] = studied.findings.verdict
        return LabResult(
            **fields,
            method=list(recipe.method),
            notes=list(studied.remarks) if studied else [],
            text=to_markdown(result_table(studied.findings)) if studied else "",
            figures=_figures(folder / "figures"),
            has_report=(folder / REPORT).is_file(),
            command=shell_command("study", folder / STUDY_FILE, "--out", folder),
        )

    def _evaluation_row(self, folder: Path) -> LabRow:
        name = evaluation_name(folder)
        known = EVALUATIONS.get(name)
        text = _text(folder)
        return LabRow(
            self._registry.folders.id_of(folder),
            "evaluation",
            name,
            known.question if known else name,
            "finished" if text else "unfinished",
            int(bool(text)),
            1,
            [],
            0,
            stored_finding(folder),
            _changed(folder),
        )

    def _evaluation(self, folder: Path) -> LabResult:
        return LabResult(
            **msgspec.structs.asdict(self._evaluation_row(folder)),
            method=[],
            notes=[],
            text=_text(folder),
            figures=_figures(folder),
            has_report=(folder / REPORT).is_file(),
            command="",
        )


def _lived(folder: Path) -> list[ArmRuns]:
    """Return the runs of an experiment by arm; they go one by one, so all but the last are done."""
    try:
        scenario = scenario_of(folder)
    except (AudienceError, OSError):
        return []
    seeds = range(scenario.seed, scenario.seed + scenario.seeds)
    order = [(arm, folder / arm / f"seed-{seed}" / "run.db") for seed in seeds
             for arm in variants(scenario)]  # fmt: skip
    begun = [arm for arm, file in order if file.is_file()]
    done = begun if (folder / "verdicts.md").is_file() else begun[:-1]
    return [ArmRuns(arm, done.count(arm), scenario.seeds) for arm in variants(scenario)]


def _changed(folder: Path) -> int:
    try:
        return int(max(file.stat().st_mtime for file in (folder, *folder.glob("*.*"))))
    except (OSError, ValueError):
        return 0


def _text(folder: Path) -> str:
    """Return the tables that an evaluation wrote, or what it printed where it wrote none."""
    written = [file for file in sorted(folder.glob("*.md")) if not file.is_symlink()]
    text = "\n\n".join(file.read_text("utf-8", "replace")[:_LONGEST] for file in written[:5])
    printed = folder / PRINTED
    if not text and printed.is_file() and not printed.is_symlink():
        text = f"```\n{printed.read_text('utf-8', 'replace')[:_LONGEST]}\n```\n"
    return text


def _figures(folder: Path) -> list[LabFigure]:
    names = [file.name for file in folder.glob("*.svg") if _FIGURE.fullmatch(file.name)]
    files = sorted(names, key=lambda name: (name == "differences.svg", name))  # a tall one
    return [LabFigure(file, file.removesuffix(".svg").replace("_", " ")) for file in files]
