"""Studies: a question, arms x seeds, measures of its own, and one sentence from the numbers."""

from audience.experiments.studies.conducting import (
    Studied,
    check,
    conduct_study,
    cores,
    found_in,
)
from audience.experiments.studies.recipe import (
    NAMES,
    Recipe,
    find,
    read,
    shipped,
    study_of,
    with_changes,
)
from audience.experiments.studies.study import Chart, Setting, Study
from audience.experiments.studies.writing import command_of, write_index, write_study

__all__ = [
    "NAMES",
    "Chart",
    "Recipe",
    "Setting",
    "Studied",
    "Study",
    "check",
    "command_of",
    "conduct_study",
    "cores",
    "find",
    "found_in",
    "read",
    "shipped",
    "study_of",
    "with_changes",
    "write_index",
    "write_study",
]
