"""Ready-made studies: a question, the runs that answer it, and a report with its answer."""

from audience.lab.studies.collection import (
    Reported as Reported,
    StudyOrder as StudyOrder,
    conduct_studies as conduct_studies,
)
from audience.lab.studies.jobs import MEASURED_FILE as MEASURED_FILE
from audience.lab.studies.recipe import (
    NAMES as NAMES,
    QUICK as QUICK,
    STUDY_FILE as STUDY_FILE,
    Recipe as Recipe,
    find as find,
    read as read,
    shipped as shipped,
    study_names as study_names,
    study_of as study_of,
    with_changes as with_changes,
)
from audience.lab.studies.report import (
    command_of as command_of,
    write_index as write_index,
    write_study as write_study,
)
from audience.lab.studies.runner import (
    Studied as Studied,
    check as check,
    conduct_study as conduct_study,
    found_in as found_in,
    pool_for_studies as pool_for_studies,
    stored_study as stored_study,
)
from audience.lab.studies.study import Chart as Chart, Setting as Setting, Study as Study
