"""Loaders: from the files of a published dataset or of a user to a corpus."""

from audience.datasets.loaders.download_list import (
    PUBLIC as PUBLIC,
    Published as Published,
    fetch as fetch,
    is_here as is_here,
    published as published,
)
from audience.datasets.loaders.folder import (
    Contents as Contents,
    Folder as Folder,
    is_own as is_own,
    read_folder as read_folder,
)
from audience.datasets.loaders.movielens import title_of as title_of
from audience.datasets.loaders.recagent import read_yaml as read_yaml
from audience.datasets.loaders.registry import (
    Amazon as Amazon,
    Atomic as Atomic,
    LastFm as LastFm,
    MappedTables as MappedTables,
    MovieLens as MovieLens,
    RecAgentFiles as RecAgentFiles,
    RecognisedDataset as RecognisedDataset,
    Steam as Steam,
    options_for as options_for,
    public as public,
    recognise as recognise,
)
