"""Making a genesis: embedded catalogues, a user's own folder, or real data with its people."""

from audience.datasets._yaml import read_yaml
from audience.datasets.activity_fit import Fitted, fit_activity
from audience.datasets.aligned import Choices, Loaded, genesis_of
from audience.datasets.builtin import Books, Films, RecSimTopics
from audience.datasets.catalogue import embedded_catalogue
from audience.datasets.checking import Checked, Listed, check, listing
from audience.datasets.corpus import Columns, Corpus, Edges, Skipped, at_least, chosen
from audience.datasets.folder import Folder
from audience.datasets.handcrafted import Handcrafted, read_people
from audience.datasets.held import HeldOut
from audience.datasets.kinds import Dataset
from audience.datasets.loaders import (
    Amazon,
    Atomic,
    Found,
    LastFm,
    MovieLens,
    RecAgentFiles,
    Steam,
    Tables,
    options_for,
    public,
    recognise,
)
from audience.datasets.mixture import Mixture
from audience.datasets.people import activity, population
from audience.datasets.public import PUBLIC, fetch
from audience.datasets.splits import Split, by_ratio, by_time, leave_last
from audience.datasets.ties import no_ties, small_world
from audience.datasets.training import Training
from audience.datasets.traits import Traits, traits_of

__all__ = [
    "PUBLIC",
    "Amazon",
    "Atomic",
    "Books",
    "Checked",
    "Choices",
    "Columns",
    "Corpus",
    "Dataset",
    "Edges",
    "Films",
    "Fitted",
    "Folder",
    "Found",
    "Handcrafted",
    "HeldOut",
    "LastFm",
    "Listed",
    "Loaded",
    "Mixture",
    "MovieLens",
    "RecAgentFiles",
    "RecSimTopics",
    "Skipped",
    "Split",
    "Steam",
    "Tables",
    "Training",
    "Traits",
    "activity",
    "at_least",
    "by_ratio",
    "by_time",
    "check",
    "chosen",
    "embedded_catalogue",
    "fetch",
    "fit_activity",
    "genesis_of",
    "leave_last",
    "listing",
    "no_ties",
    "options_for",
    "population",
    "public",
    "read_people",
    "read_yaml",
    "recognise",
    "small_world",
    "traits_of",
]
