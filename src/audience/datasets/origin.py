"""What a dataset says of its people, apart from what was drawn where it is silent."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np

from audience.datasets._read import UNKNOWN_ACTIVITY
from audience.datasets.aligned import Loaded, genesis_of, training_part
from audience.datasets.builtin import Embedded
from audience.datasets.corpus import Columns, Corpus
from audience.datasets.folder import Folder, read_folder
from audience.datasets.handcrafted import Known, known_of
from audience.datasets.kinds import Dataset
from audience.datasets.training import Training
from audience.errors import BadInput
from audience.world.clock import Clock
from audience.world.genesis import Genesis
from audience.world.people import Profile
from audience.world.rng import Ints

Shape = tuple[float, float, float]
_SHAPE: Shape = (8, 0.1, 0.7)


class Origin(msgspec.Struct, frozen=True, eq=False):
    """A genesis as a dataset makes it, and where its parts come from."""

    genesis: Genesis
    known: tuple[Known, ...]
    """Everybody, with the fields that the data says."""
    training: Training | None = None
    """All people's interactions, those held out excepted; nothing where there are none."""
    places: Ints | None = None
    """Where everybody stands in the training part."""
    has_ties: bool = True
    """Whether ties come from the data; otherwise they are drawn."""
    shape: Shape = _SHAPE
    """degree, rewire and homophily of ties that are drawn."""
    drawn_past: float = math.nan
    """How much people have lived on average, where their past is drawn from their interests."""
    has_keys: bool = True
    """Whether people are told apart by ids of the data."""

    @property
    def is_drawn(self) -> bool:
        """Whether the data says nothing of anybody."""
        return not self.has_keys and not any(one.fields for one in self.known)


def origin_of(dataset: Dataset, people: int, seed: int, clock: Clock) -> Origin:
    """Return the genesis of a dataset with what it knows. Datasets of others know all they say."""
    if isinstance(dataset, Loaded):
        return _loaded(dataset, people, seed, clock)
    genesis = dataset.genesis(people, seed, clock)
    if isinstance(dataset, Embedded):
        nobody = tuple(Known(Profile(who.id), frozenset()) for who in genesis.profiles)
        return Origin(
            genesis,
            nobody,
            has_ties=False,
            shape=dataset.shape,
            drawn_past=dataset.past,
            has_keys=False,
        )
    if isinstance(dataset, Folder):
        return _folder(dataset, genesis)
    keys = any(who.key for who in genesis.profiles)
    return Origin(genesis, tuple(map(known_of, genesis.profiles)), has_keys=keys)


def counts_of(dataset: Dataset) -> Ints:
    """Return how many interactions everybody has in a dataset's training part."""
    if isinstance(dataset, Loaded):
        return Training(training_part(dataset.read(), dataset.choices)).counts
    found = read_folder(Path(dataset.path)) if isinstance(dataset, Folder) else None
    if found is None or not found.past:
        raise BadInput(
            "this dataset has no interactions to fit activity to; give one with a history"
        )
    owners = np.array([lived.agent for lived in found.past], np.int64)
    return np.bincount(owners, minlength=len(found.people or ()))


def _loaded(dataset: Loaded, people: int, seed: int, clock: Clock) -> Origin:
    if dataset.choices.apart:
        raise BadInput(
            "apart = true takes people as the data has them; leave out profiles, fill, traits, "
            "ties and ignore, or leave out apart"
        )
    corpus = dataset.read()
    genesis = genesis_of(corpus, people, seed, clock, dataset.choices)
    training = Training(training_part(corpus, dataset.choices))
    places = {who.key: place for place, who in enumerate(training.corpus.people)}
    here = np.array([places[who.key] for who in genesis.profiles], np.int64)
    known = []
    for who, place in zip(genesis.profiles, here.tolist(), strict=True):
        said = set(known_of(training.corpus.people[place]).fields)
        if who.interests and training.counts[place]:
            said.add("interests")
        known.append(Known(who, frozenset(said)))
    choices = dataset.choices
    return Origin(
        genesis,
        tuple(known),
        training if len(training.lived) else None,
        here,
        corpus.ties is not None,
        (choices.degree, choices.rewire, choices.homophily),
    )


def _folder(dataset: Folder, genesis: Genesis) -> Origin:
    found = read_folder(Path(dataset.path))
    if found.people is None:
        nobody = tuple(Known(Profile(who.id), frozenset()) for who in genesis.profiles)
        return Origin(genesis, nobody, has_ties=False, shape=dataset.shape, has_keys=False)
    here = genesis.profiles
    known = []
    for who, given in zip(here, found.people, strict=False):
        said = known_of(given).fields
        levels = {"activity"} if given.activity != UNKNOWN_ACTIVITY else set()
        known.append(Known(who, said | levels))
    training = None
    if found.past:
        columns = list(zip(*(msgspec.structs.astuple(one) for one in found.past), strict=True))
        users, items, at, fractions, stars = (np.array(column) for column in columns)
        lived = Columns(users, items, at, stars.astype(np.float64), fractions.astype(np.float64))
        name = str(dataset.path)
        training = Training(Corpus(name, found.items, found.people, lived))
    return Origin(
        genesis,
        tuple(known),
        training,
        np.arange(len(here)),
        found.ties is not None,
        dataset.shape,
    )
