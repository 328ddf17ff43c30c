"""Mixing people: what a table says, what the data says, and what is drawn or written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audience.datasets.aligned import Loaded, genesis_of, training_part
from audience.datasets.builtin import EmbeddedDataset, earlier
from audience.datasets.corpus import Columns, Corpus, Dataset
from audience.datasets.csv_table import UNKNOWN_ACTIVITY
from audience.datasets.loaders import Folder, read_folder
from audience.datasets.people import (
    CAREERS,
    FIELDS,
    TRAITS,
    Handcrafted,
    Known,
    Liking,
    draw_ages,
    draw_careers,
    draw_genders,
    draw_habits,
    draw_interests,
    draw_names,
    draw_temper,
    draw_traits,
    habits_of,
    known_of,
    no_ties,
    read_people,
    small_world,
    traits_of,
)
from audience.datasets.splits import Training
from audience.errors import BadInput, unknown
from audience.outside import FilePath
from audience.world import HABITS, Clock, Genesis, Ints, Profile, Ties

Shape = tuple[float, float, float]
_SHAPE: Shape = (8, 0.1, 0.7)


class Origin(msgspec.Struct, frozen=True, eq=False):
    """A genesis as a dataset makes it, and where its parts come from."""

    genesis: Genesis
    known: tuple[Known, ...]
    """All people, with the fields that the data gives."""
    training: Training | None = None
    """All people's interactions without those held out; None if there are none."""
    places: Ints | None = None
    """Each person's index in the training part."""
    has_ties: bool = True
    """Whether ties come from the data; otherwise they are drawn."""
    shape: Shape = _SHAPE
    """degree, rewire and homophily of ties that are drawn."""
    drawn_past: float = math.nan
    """Mean number of past items, if the past is drawn from interests."""
    has_keys: bool = True
    """Whether people have ids of the data."""

    @property
    def is_drawn(self) -> bool:
        """Whether the data says nothing about anybody."""
        return not self.has_keys and not any(one.fields for one in self.known)


def origin_of(dataset: Dataset, people: int, seed: int, clock: Clock) -> Origin:
    """Return the genesis of a dataset with what it knows; a plugin's dataset knows all it says."""
    if isinstance(dataset, Loaded):
        return _loaded(dataset, people, seed, clock)
    genesis = dataset.genesis(people, seed, clock)
    if isinstance(dataset, EmbeddedDataset):
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
    contents = read_folder(Path(dataset.path)) if isinstance(dataset, Folder) else None
    if contents is None or not contents.past:
        raise BadInput(
            "this dataset has no interactions to fit activity to; give one with a history"
        )
    owners = np.array([lived.agent for lived in contents.past], np.int64)
    return np.bincount(owners, minlength=len(contents.people or ()))


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
    contents = read_folder(Path(dataset.path))
    if contents.people is None:
        nobody = tuple(Known(Profile(who.id), frozenset()) for who in genesis.profiles)
        return Origin(genesis, nobody, has_ties=False, shape=dataset.shape, has_keys=False)
    here = genesis.profiles
    known = []
    for who, profile in zip(here, contents.people, strict=False):
        said = known_of(profile).fields
        levels = {"activity"} if profile.activity != UNKNOWN_ACTIVITY else set()
        known.append(Known(who, said | levels))
    training = None
    if contents.past:
        columns = list(zip(*(msgspec.structs.astuple(one) for one in contents.past), strict=True))
        users, items, at, fractions, stars = (np.array(column) for column in columns)
        lived = Columns(users, items, at, stars.astype(np.float64), fractions.astype(np.float64))
        name = str(dataset.path)
        training = Training(Corpus(name, contents.items, contents.people, lived))
    return Origin(
        genesis,
        tuple(known),
        training,
        np.arange(len(here)),
        contents.ties is not None,
        dataset.shape,
    )


def drawn_around(
    known: Sequence[Known], tags: Sequence[tuple[str, ...]], seed: int
) -> tuple[Profile, ...]:
    """Return a whole person for each known one; the tags are those of each item."""
    people = len(known)
    ages = draw_ages(people, seed)
    genders, women = draw_genders(people, seed)
    for place, one in enumerate(known):
        if one.profile.age is not None and "age" in one.fields:
            ages[place] = one.profile.age
        letter = one.profile.gender[:1].lower() if "gender" in one.fields else ""
        women[place] = letter in ("f", "w") or (bool(women[place]) and letter != "m")
    temper = draw_temper(ages, seed)
    traits, counts = draw_traits(temper, seed)
    worded = [
        tuple(TRAITS[trait] for trait in row[:count])
        for row, count in zip(traits.tolist(), counts.tolist(), strict=True)
    ]
    liked: list[tuple[str, ...]] = [()] * people
    if any(tags):
        liked = draw_interests(Liking(tags), ages, temper[:, 1], seed)
    columns = (
        range(people),
        draw_names(np.asarray(women, bool), seed),
        genders,
        ages.tolist(),
        worded,
        [CAREERS[career] for career in draw_careers(ages, seed).tolist()],
        liked,
        draw_habits(temper, traits, counts, seed),
    )
    return tuple(map(Profile, *columns))


FILLED = FIELDS[:-1]
"""The fields that can be filled. The activity of those whose table has none is the dataset's."""
SOURCES = ("aligned", "drawn", "llm", "none")
_ALIGNED = ("traits", "features")
_TIES = ("data", "drawn", "none")
TASTE = "taste"
Row = dict[str, str]


class Mixture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the fields of people come from; the keys go among the dataset's options.

    A table takes precedence over the data, the data over what `fill` says.
    """

    profiles: FilePath | list[dict[str, Any]] = ""
    """A CSV, JSON or TOML file of people, or the people themselves."""
    fill: str | dict[str, str] = ""
    """Where a missing field comes from: drawn, llm, none, or aligned (traits and features); one
    word for all, or a table by field. Without it: drawn beside a table, else as the dataset has it.
    """
    traits: str = ""
    """The same for traits alone."""
    taste: str = ""
    """llm: a model writes what people like from what they rated, beside their interests."""
    ties: str = ""
    """data, drawn or none; without it the data's, or drawn where it has none."""
    ignore: tuple[str, ...] = ()
    """Fields of the data that are taken as missing."""

    def __post_init__(self) -> None:
        table = self.fill if isinstance(self.fill, dict) else {}
        for field in (*table, *self.ignore):
            if field not in FILLED:
                raise unknown("field", field, FILLED)
        for field in FILLED:
            self._check(field, self.source_of(field))
        if self.taste not in ("", "llm"):
            raise unknown("taste: source", self.taste, ("llm",))
        if self.ties not in ("", *_TIES):
            raise unknown("ties", self.ties, _TIES)

    def source_of(self, field: str) -> str:
        """Return where a missing field comes from; empty: from the dataset's own genesis."""
        usual = "drawn" if self.profiles else ""
        if field == "traits" and self.traits:
            return self.traits
        return self.fill.get(field, usual) if isinstance(self.fill, dict) else self.fill or usual

    @property
    def asked(self) -> tuple[str, ...]:
        """The fields that a model fills."""
        fields = tuple(field for field in FILLED if self.source_of(field) == "llm")
        return (*fields, TASTE) if self.taste else fields

    def _check(self, field: str, source: str) -> None:
        if source and source not in SOURCES:
            raise unknown(f"{field}: source", source, SOURCES)
        if source == "aligned" and field not in _ALIGNED:
            raise BadInput(
                f"{field} cannot be 'aligned': only traits and features follow from what people "
                "did; say fill = { traits = 'aligned' }"
            )


KEYS = Mixture.__struct_fields__


def split_options(options: Mapping[str, Any]) -> tuple[Mixture | None, dict[str, Any]]:
    """Return the mixture that some of a dataset's options describe, and the other options."""
    own = {key: value for key, value in options.items() if key in KEYS}
    rest = {key: value for key, value in options.items() if key not in KEYS}
    if not own:
        return None, rest
    try:
        return msgspec.convert(own, Mixture), rest
    except msgspec.ValidationError as error:
        raise BadInput(f"dataset: {error}; see `profiles`, `fill`, `traits`, `ties`") from None


class Draft(msgspec.Struct, frozen=True, eq=False):
    """People with what is given of them, before the rest is filled."""

    origin: Origin
    known: tuple[Known, ...]
    mixture: Mixture
    seed: int

    @property
    def rows(self) -> list[Row]:
        """What is given, as a table for a model."""
        return [row_of(one) for one in self.known]

    @property
    def asked(self) -> tuple[str, ...]:
        """The fields that a model has to fill for somebody; a taste is always one."""
        return tuple(
            field
            for field in self.mixture.asked
            if any(field not in one.fields for one in self.known)
        )


def draft(dataset: Dataset, mixture: Mixture, people: int, seed: int, clock: Clock) -> Draft:
    """Return what table and data say about `people` people."""
    origin = origin_of(dataset, people, seed, clock)
    if mixture.taste and not (origin.genesis.past and math.isnan(origin.drawn_past)):
        raise BadInput("taste = 'llm' needs interactions, and this dataset has none; leave it out")
    ignored = frozenset(mixture.ignore)
    known = [Known(one.profile, one.fields - ignored) for one in origin.known]
    if mixture.profiles:
        table = read_people(mixture.profiles)
        by_key = _places(table, origin) if table.keyed and origin.has_keys else {}
        for row, person in enumerate(table.people):
            place = by_key.get(person.profile.key, row)
            if place < len(known):
                known[place] = _over(known[place], person, keyed=origin.has_keys)
    return Draft(origin, tuple(known), mixture, seed)


def finish(begun: Draft, written: Sequence[Row] = ()) -> Genesis:
    """Return the genesis in which every field is filled; `written` is what a model said.

    What a model did not fill stays empty.
    """
    if begun.asked and len(written) != len(begun.known):
        raise BadInput("fill = 'llm': no model has filled these people yet")
    origin, seed, mixture = begun.origin, begun.seed, begun.mixture
    genesis = origin.genesis
    profiles = _profiles(begun, written)
    past = genesis.past
    if not math.isnan(origin.drawn_past):
        past = earlier(profiles, genesis.catalogue, seed, genesis.clock, origin.drawn_past)
    ties = _ties(profiles, origin, mixture, seed)
    profiles = tuple(map(_with_taste, profiles, written)) if mixture.taste else profiles
    return Genesis(genesis.catalogue, profiles, ties, genesis.clock, genesis.domain, past)


def row_of(known: Known) -> Row:
    """Return what is known about a person as a row of a table."""
    who = known.profile
    texts = {
        "name": who.name,
        "gender": who.gender,
        "age": "" if who.age is None else str(who.age),
        "traits": "|".join(who.traits),
        "career": who.career,
        "interests": "|".join(who.interests),
        "features": ";".join(h.capitalize() for h in HABITS if getattr(who.habits, h) >= 0.5),
    }
    return {field: text for field, text in texts.items() if field in known.fields and text}


def _places(table: Handcrafted, origin: Origin) -> dict[str, int]:
    """Return the index of each person of a table in the dataset."""
    training = origin.training
    everybody = training.corpus.people if training else origin.genesis.profiles
    places = dict.fromkeys((who.key for who in everybody), len(everybody))
    places |= {who.key: who.id for who in origin.genesis.profiles}
    for person in table.people:
        if person.profile.key not in places:
            raise BadInput(
                f"{person.where}, column 'id': {person.profile.key!r} is not a person of this "
                "dataset; correct it, or leave the column out: rows then go by their order"
            )
    return places


def _over(below: Known, above: Known, *, keyed: bool) -> Known:
    """Return a person in which a table's fields override those of the data."""
    fields = {_attribute(f): getattr(above.profile, _attribute(f)) for f in above.fields}
    if not keyed:
        fields["key"] = above.profile.key
    profile = msgspec.structs.replace(below.profile, **fields)
    return Known(profile, below.fields | above.fields, above.where)


def _attribute(field: str) -> str:
    return "habits" if field == "features" else field


def _profiles(begun: Draft, written: Sequence[Row]) -> tuple[Profile, ...]:
    origin, known, mixture = begun.origin, begun.known, begun.mixture
    genesis = origin.genesis
    wanted = {mixture.source_of(field) for field in FILLED}
    drawn = genesis.profiles
    if wanted & {"drawn", "aligned"} or origin.is_drawn:
        drawn = drawn_around(known, [item.tags for item in genesis.catalogue.items], begun.seed)
    sources: dict[str, Sequence[Profile]] = {
        "": drawn if origin.is_drawn else genesis.profiles,
        "drawn": drawn,
        "none": [Profile(place) for place in range(len(known))],
    }
    if "aligned" in wanted:
        sources["aligned"] = _aligned(origin, drawn)
    if begun.asked:
        rows = [{key: text for key, text in row.items() if key != TASTE} for row in written]
        sources["llm"] = [person.profile for person in read_people(rows).people]
    chosen = {_attribute(field): mixture.source_of(field) for field in FILLED}
    profiles = []
    for place, (one, own) in enumerate(zip(known, genesis.profiles, strict=True)):
        filled = {name: getattr(sources[by][place], name) for name, by in _rest(one, chosen)}
        said = {_attribute(f): getattr(one.profile, _attribute(f)) for f in one.fields}
        key = own.key if origin.has_keys else one.profile.key
        leaning = () if said.get("interests", own.interests) != own.interests else own.leaning
        profiles.append(msgspec.structs.replace(own, **filled, **said, key=key, leaning=leaning))
    return tuple(profiles)


def _rest(one: Known, chosen: Mapping[str, str]) -> list[tuple[str, str]]:
    known = {_attribute(field) for field in one.fields}
    return [(name, source) for name, source in chosen.items() if name not in known]


def _with_taste(who: Profile, row: Row) -> Profile:
    """Return a person whose interests end with the phrases that a model wrote."""
    phrases = [phrase for phrase in row.get(TASTE, "").split("|") if phrase]
    interests = tuple(dict.fromkeys((*who.interests, *phrases)))
    return msgspec.structs.replace(who, interests=interests)


def _aligned(origin: Origin, drawn: Sequence[Profile]) -> list[Profile]:
    """Return people whose traits and habits follow from what they did."""
    if origin.training is None or origin.places is None:
        raise BadInput(
            "'aligned' needs interactions, and this dataset has none; say 'drawn' or 'llm' instead"
        )
    traits = traits_of(origin.training)
    habits = habits_of(traits, [who.habits for who in drawn], origin.places)
    return [
        Profile(number, traits=traits.words(place), habits=one)
        for number, (place, one) in enumerate(zip(origin.places.tolist(), habits, strict=True))
    ]


def _ties(profiles: tuple[Profile, ...], origin: Origin, mixture: Mixture, seed: int) -> Ties:
    if mixture.ties == "none":
        return no_ties(len(profiles))
    if mixture.ties == "data" and not origin.has_ties:
        raise BadInput("ties = 'data', but this dataset has no ties; say 'drawn' or 'none'")
    if mixture.ties == "drawn" or not origin.has_ties:
        return small_world(profiles, seed, *origin.shape)
    return origin.genesis.ties
