"""That the conformance suite for datasets finds what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from audience.errors import BadInput
from audience.testing import check_dataset, tiny_genesis
from audience.world import Catalogue, Clock, Genesis, Item, Profile, Ties


class Spoilt:
    """Tiny worlds with one thing changed."""

    def __init__(self, spoil: Callable[[Genesis], Genesis] = lambda genesis: genesis) -> None:
        self.spoil = spoil

    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        plain = tiny_genesis(people, 6, seed=seed)
        return self.spoil(Genesis(plain.catalogue, plain.profiles, plain.ties, clock))


def with_item(item: Item) -> Callable[[Genesis], Genesis]:
    def spoil(g: Genesis) -> Genesis:
        catalogue = Catalogue((item, *g.catalogue.items[1:]), g.catalogue.tags)
        return Genesis(catalogue, g.profiles, g.ties, g.clock)

    return spoil


def with_person(**fields: object) -> Callable[[Genesis], Genesis]:
    def spoil(g: Genesis) -> Genesis:
        first: Profile = replace(g.profiles[0], **fields)
        return Genesis(g.catalogue, (first, *g.profiles[1:]), g.ties, g.clock)

    return spoil


def with_ties(make: Callable[[int], Ties]) -> Callable[[Genesis], Genesis]:
    return lambda g: Genesis(g.catalogue, g.profiles, make(len(g.profiles)), g.clock)


class Moody(Spoilt):
    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        self.turn = getattr(self, "turn", 0) + 1
        return with_person(age=self.turn)(super().genesis(people, seed, clock))


class Few(Spoilt):
    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        if people > 10:
            raise BadInput(f"there are 10 people, not {people}")
        return super().genesis(people, seed, clock)


def test_a_sound_dataset_passes() -> None:
    check_dataset(Spoilt())


def test_a_dataset_of_few_people_passes_with_as_many() -> None:
    check_dataset(Few(), people=(1, 10))
    with pytest.raises(BadInput):
        check_dataset(Few())


TITLE = "Amber Harbour 0"


@pytest.mark.parametrize(
    ("dataset", "sentence"),
    [
        (Moody(), "gave two different geneses"),
        (
            Spoilt(lambda g: Genesis(g.catalogue, g.profiles, g.ties)),
            "did not keep the clock",
        ),
        (
            Spoilt(
                lambda g: Genesis(
                    g.catalogue,
                    g.profiles * 1 + (Profile(len(g.profiles)),),
                    Ties.of(len(g.profiles) + 1, [], [], [], []),
                    g.clock,
                )
            ),
            "gave 2 people",
        ),
        (Spoilt(with_item(Item(0, " "))), "has no title"),
        (Spoilt(with_item(Item(0, TITLE, quality=1.5))), "quality 1.5, not in"),
        (Spoilt(with_item(Item(0, TITLE, minutes=float("nan")))), "takes nan minutes"),
        (Spoilt(with_item(Item(0, TITLE, tags=("Drama", "Drama")))), "carries a tag twice"),
        (Spoilt(with_item(Item(0, TITLE, key="i1"))), "share the same key"),
        (Spoilt(with_person(leaning=(0.5,))), "a leaning of 1 numbers; there are 5 tags"),
        (Spoilt(with_person(leaning=(2.0,) * 5)), "a leaning outside"),
        (Spoilt(with_person(activity=float("nan"))), "has activity nan"),
        (Spoilt(with_person(activity=-1.0)), "has activity -1.0"),
        (
            Spoilt(with_ties(lambda n: Ties.of(n, [0, 0], [n - 1] * 2, [0, 0], [0.5, 0.5]))),
            "tied twice",
        ),
        (
            Spoilt(with_ties(lambda n: Ties.of(n, [0], [n - 1], [1], [0.5]))),
            "a kind without a name",
        ),
        (Spoilt(with_ties(lambda n: Ties.of(n, [0], [n - 1], [0], [1.5]))), "closeness must lie"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_dataset_is_found_out(dataset: Spoilt, sentence: str) -> None:
    people = (1,) if "itself" in sentence or "2 people" in sentence else (2,)
    with pytest.raises(AssertionError, match=sentence):
        check_dataset(dataset, people=people)
