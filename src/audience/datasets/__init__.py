"""Making a genesis: embedded catalogues, drawn people and ties, or a user's own folder."""

from audience.datasets.builtin import Books, Films, RecSimTopics
from audience.datasets.catalogue import embedded_catalogue
from audience.datasets.checking import Checked, Listed, check, listing
from audience.datasets.folder import Folder
from audience.datasets.kinds import Dataset
from audience.datasets.people import activity, population
from audience.datasets.ties import no_ties, small_world

__all__ = [
    "Books",
    "Checked",
    "Dataset",
    "Films",
    "Folder",
    "Listed",
    "RecSimTopics",
    "activity",
    "check",
    "embedded_catalogue",
    "listing",
    "no_ties",
    "population",
    "small_world",
]
