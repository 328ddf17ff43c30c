"""Loaders: from the files of a published dataset or of a user to a corpus."""

from audience.datasets.loaders.download_list import PUBLIC as PUBLIC
from audience.datasets.loaders.download_list import Published as Published
from audience.datasets.loaders.download_list import fetch as fetch
from audience.datasets.loaders.download_list import is_here as is_here
from audience.datasets.loaders.download_list import published as published
from audience.datasets.loaders.folder import Contents as Contents
from audience.datasets.loaders.folder import Folder as Folder
from audience.datasets.loaders.folder import is_own as is_own
from audience.datasets.loaders.folder import read_folder as read_folder
from audience.datasets.loaders.movielens import title_of as title_of
from audience.datasets.loaders.recagent import read_yaml as read_yaml
from audience.datasets.loaders.registry import Amazon as Amazon
from audience.datasets.loaders.registry import Atomic as Atomic
from audience.datasets.loaders.registry import LastFm as LastFm
from audience.datasets.loaders.registry import MappedTables as MappedTables
from audience.datasets.loaders.registry import MovieLens as MovieLens
from audience.datasets.loaders.registry import RecAgentFiles as RecAgentFiles
from audience.datasets.loaders.registry import RecognisedDataset as RecognisedDataset
from audience.datasets.loaders.registry import Steam as Steam
from audience.datasets.loaders.registry import options_for as options_for
from audience.datasets.loaders.registry import public as public
from audience.datasets.loaders.registry import recognise as recognise
