"""Several studies in one pool, so that no process waits for the slowest run or report of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from audience.lab.studies.recipe import STUDY_FILE, Recipe, read
from audience.lab.studies.report import write_study
from audience.lab.studies.runner import check, claim, gathered, missing_tasks
from audience.results import FILE_FORMATS
from audience.runs import Attendant, Counted, Pool, PoolTask, Stopping


class StudyOrder(msgspec.Struct, frozen=True):
    """A study to run into a folder, and the command that its report names."""

    recipe: Recipe
    folder: Path
    command: str
    formats: tuple[str, ...] = FILE_FORMATS
    """The formats of its figures."""


class Reported(msgspec.Struct, frozen=True):
    """What a finished study found, and where its report is."""

    study: str
    question: str
    finding: str
    folder: str
    report: str
    remarks: tuple[str, ...]
    withheld: bool


def conduct_studies(
    orders: Sequence[StudyOrder], pool: Pool, counted: Counted, stopping: Stopping
) -> Iterator[Reported]:
    """Run what is missing and yield each study when its report is written."""
    for order in orders:
        check(order.recipe)
    tasks: list[PoolTask] = []
    for order in orders:
        claim(order.recipe, order.folder)
        missing, kept = missing_tasks(order.recipe, order.folder)
        counted(0, kept)
        tasks += [*missing, _report_task(order, missing)]
    for _, result in pool.work(tasks, counted, stopping):
        if result:
            yield msgspec.json.decode(result, type=Reported)


def _report_task(order: StudyOrder, before: Sequence[PoolTask]) -> PoolTask:
    return PoolTask(
        f"{order.recipe.study.name}: report",
        f"{__name__}:{perform_report.__name__}",
        {
            "study": order.recipe.text,
            "command": order.command,
            "folder": str(order.folder),
            "formats": order.formats,
        },
        str(order.folder.resolve()),
        runs=0,
        after=tuple(task.name for task in before),
    )


def perform_report(root: Path, given: dict[str, Any], attendant: Attendant) -> bytes:
    """Gather a study whose runs are finished, write its report, and return what it says."""
    del root, attendant
    recipe = read(given["study"], STUDY_FILE)
    studied = gathered(recipe, Path(given["folder"]))
    page = write_study(studied, given["command"], formats=given["formats"])
    found = Reported(
        recipe.study.name,
        recipe.question,
        studied.findings.verdict,
        given["folder"],
        str(page),
        studied.remarks,
        studied.findings.is_withheld,
    )
    return msgspec.json.encode(found)
