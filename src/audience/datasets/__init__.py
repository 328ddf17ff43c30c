"""Making a genesis: embedded catalogues, a user's own folder, or real data with its people."""

from audience.datasets.aligned import (
    Loaded as Loaded,
    SourceOptions as SourceOptions,
    genesis_of as genesis_of,
)
from audience.datasets.builtin import Books as Books, Films as Films, RecSimTopics as RecSimTopics
from audience.datasets.checks import (
    Checked as Checked,
    Listed as Listed,
    check as check,
    listing as listing,
)
from audience.datasets.corpus import (
    Columns as Columns,
    Corpus as Corpus,
    Dataset as Dataset,
    Edges as Edges,
    SkippedLines as SkippedLines,
    at_least as at_least,
    chosen as chosen,
    halves as halves,
)
from audience.datasets.embedded import (
    embedded_catalogue as embedded_catalogue,
    embedded_people as embedded_people,
)
from audience.datasets.loaders import (
    PUBLIC as PUBLIC,
    Amazon as Amazon,
    Atomic as Atomic,
    Folder as Folder,
    LastFm as LastFm,
    MappedTables as MappedTables,
    MovieLens as MovieLens,
    RecAgentFiles as RecAgentFiles,
    RecognisedDataset as RecognisedDataset,
    Steam as Steam,
    fetch as fetch,
    options_for as options_for,
    public as public,
    read_yaml as read_yaml,
    recognise as recognise,
)
from audience.datasets.mixture import (
    TASTE as TASTE,
    Draft as Draft,
    Mixture as Mixture,
    counts_of as counts_of,
    draft as draft,
    finish as finish,
    row_of as row_of,
    split_options as split_options,
)
from audience.datasets.moments import moments_of as moments_of
from audience.datasets.people import (
    ActivityFit as ActivityFit,
    Handcrafted as Handcrafted,
    Traits as Traits,
    activity as activity,
    fit_activity as fit_activity,
    no_ties as no_ties,
    population as population,
    read_people as read_people,
    small_world as small_world,
    traits_of as traits_of,
)
from audience.datasets.people_cache import (
    keep as keep,
    kept_at as kept_at,
    mixed_genesis as mixed_genesis,
    people_folder as people_folder,
)
from audience.datasets.source import unpacked as unpacked
from audience.datasets.splits import (
    HeldOut as HeldOut,
    Split as Split,
    Training as Training,
    by_ratio as by_ratio,
    by_time as by_time,
    leave_last as leave_last,
)

# Deprecated names, gone with 0.3.
Tables = MappedTables
Choices = SourceOptions
Fitted = ActivityFit
Found = RecognisedDataset
Skipped = SkippedLines
