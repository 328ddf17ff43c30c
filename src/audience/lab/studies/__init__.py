"""audience.lab.studies."""

from audience.lab.studies.recipe import NAMES as NAMES
from audience.lab.studies.recipe import Recipe as Recipe
from audience.lab.studies.recipe import find as find
from audience.lab.studies.recipe import read as read
from audience.lab.studies.recipe import shipped as shipped
from audience.lab.studies.recipe import study_names as study_names
from audience.lab.studies.recipe import study_of as study_of
from audience.lab.studies.recipe import with_changes as with_changes
from audience.lab.studies.report import command_of as command_of
from audience.lab.studies.report import write_index as write_index
from audience.lab.studies.report import write_study as write_study
from audience.lab.studies.runner import Studied as Studied
from audience.lab.studies.runner import check as check
from audience.lab.studies.runner import conduct_study as conduct_study
from audience.lab.studies.runner import cores as cores
from audience.lab.studies.runner import found_in as found_in
from audience.lab.studies.study import Chart as Chart
from audience.lab.studies.study import Setting as Setting
from audience.lab.studies.study import Study as Study
