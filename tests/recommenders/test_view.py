"""What a recommender may see, and attempts to reach the rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

import msgspec
import numpy as np
import pytest

from audience.engine import RecommenderFault, Rules, Simulation, run, run_sync
from audience.recommenders import (
    Context,
    Explained,
    HiddenTruth,
    Popular,
    RecommenderView,
    UserTable,
    keys_in,
    search_in,
    seen_by_recommender,
)
from audience.recommenders.service import feedback
from audience.recommenders.service_wire import request
from audience.recommenders.view import items_seen
from audience.scenario import Part, Scenario, genesis_of, parts_of
from audience.testing import check_recommender, simulate, tiny_genesis
from audience.world import (
    Agent,
    Catalogue,
    Generator,
    Genesis,
    Interactions,
    Ints,
    Item,
    Profile,
    World,
    changes as c,
    dice,
    events as e,
    rng,
)

TRUTH = (Item, Catalogue, Profile, Agent, Genesis, World, Interactions)
"""What holds qualities, tastes or minds."""


def inside(thing: object) -> Iterator[object]:
    """Yield all that attributes, private ones too, closures and containers lead to."""
    if isinstance(thing, dict):
        yield from thing.keys()
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    if isinstance(thing, FunctionType):
        yield from (cell.cell_contents for cell in thing.__closure__ or ())
        yield from thing.__defaults__ or ()
    if isinstance(thing, MethodType):
        yield from (thing.__self__, thing.__func__)
    yield from getattr(thing, "__dict__", {}).values()
    fields = getattr(thing, "__struct_fields__", ())
    slots = [vars(owner).get("__slots__", ()) for owner in type(thing).__mro__]
    names = [name for some in slots for name in ((some,) if isinstance(some, str) else some)]
    yield from (getattr(thing, name, None) for name in (*names, *fields))


def reached(start: object) -> dict[int, object]:
    """Return everything that can be reached from an object, without modules and classes."""
    seen: dict[int, object] = {}
    ahead = [start]
    while ahead:
        thing = ahead.pop()
        if id(thing) in seen or isinstance(thing, ModuleType | type | str | bytes | int | float):
            continue
        seen[id(thing)] = thing
        ahead += inside(thing)
    return seen


def truths(start: object) -> list[str]:
    return [type(thing).__name__ for thing in reached(start).values() if isinstance(thing, TRUTH)]


class Spy:
    """Ranks by number and keeps all that it was given."""

    def __init__(self) -> None:
        self.given: list[RecommenderView] = []
        self.asked: list[Context] = []

    def fit(self, interactions: RecommenderView, rng: Generator) -> Spy:
        self.given.append(interactions)
        return self if len(self.given) == 1 else _copy(self)

    def rank(self, users: Ints, k: int, context: Context) -> Ints:
        self.asked.append(context)
        slates = np.full((len(users), k), -1, np.int64)
        for row, barred in enumerate(context.exclude):
            left = np.setdiff1d(np.arange(len(self.given[0].catalogue)), barred)[:k]
            slates[row, : len(left)] = left
        return slates


def _copy(spy: Spy) -> Spy:
    made = Spy()
    made.given, made.asked = spy.given, spy.asked
    return made


def spied(rounds: int = 3, **options: Any) -> tuple[Spy, World]:
    spy = Spy()
    world, _ = simulate(
        tiny_genesis(12, 60),
        rules=Rules(rounds=rounds),
        recommender=spy,
        **options,
    )
    return spy, world


def test_nothing_that_fit_and_rank_get_leads_to_hidden_truth() -> None:
    spy, _ = spied()
    assert len(spy.given) >= 3
    assert spy.asked
    for given in (*spy.given, *spy.asked):
        assert truths(given) == []


def test_the_walk_finds_truth_where_there_is_some() -> None:
    genesis = tiny_genesis(3, 4)
    world = World(genesis)
    assert "Item" in truths(Interactions(genesis.catalogue, 3))
    assert "World" in truths(lambda: world)


def test_search_and_explanations_from_the_view_lead_to_no_truth_either() -> None:
    view = seen_by_recommender(Interactions(tiny_genesis(5, 20).catalogue, 5))
    search = search_in(view.catalogue)
    assert search.find(view.catalogue[3].title, 5)[0] == 3
    assert truths(search) == []
    assert truths(Explained("ease").fit(view, rng(0, "fit"))) == []


def test_asking_for_quality_says_what_to_do_instead() -> None:
    view = seen_by_recommender(Interactions(tiny_genesis(5, 20).catalogue, 5))
    for thing in (view.catalogue[0], view.catalogue.items[-1], view.catalogue):
        with pytest.raises(HiddenTruth, match=r"hidden truth.*learn it from stars"):
            getattr(thing, "quality")  # noqa: B009
    assert not hasattr(view.catalogue[0], "quality")
    with pytest.raises(AttributeError, match="interactions have no 'first' for recommenders"):
        view.first(2)  # type: ignore[attr-defined]


class ByQuality:
    """The cheat that gained eleven per cent."""

    def fit(self, interactions: RecommenderView, rng: Generator) -> Any:
        order = np.argsort([-item.quality for item in interactions.catalogue.items])
        raise AssertionError(f"ranked by quality: {order}")


def test_a_recommender_that_ranks_by_quality_fails_with_a_clear_message() -> None:
    with pytest.raises(RecommenderFault, match="quality of an item is hidden truth"):
        simulate(tiny_genesis(12, 30), recommender=ByQuality())
    with pytest.raises(HiddenTruth):
        check_recommender(ByQuality())


def test_attributes_of_items_and_users_are_told() -> None:
    spy, world = spied()
    view = spy.given[-1]
    item = world.catalogue[7]
    facts = view.catalogue[7]
    told = (facts.id, facts.title, facts.about, facts.tags, facts.year, facts.minutes, facts.key)
    assert told == (7, item.title, item.about, item.tags, item.year, item.minutes, item.key)
    assert np.array_equal(view.catalogue.weights, world.catalogue.weights)
    assert view.catalogue.tags_of == world.catalogue.tags_of
    who, user = world.profile(4), view.users[4]
    assert (user.name, user.gender, user.age, user.career) == (
        *(who.name, who.gender, who.age, who.career),
    )
    assert len(view.users) == view.people == 12
    assert user.__struct_fields__ == ("id", "key", "name", "gender", "age", "career")


def test_users_follow_changes_of_profiles() -> None:
    spy, _ = spied(changes={2: [c.ChangeProfile(4, {"career": "diver", "age": 61})]})
    assert (spy.given[0].users[4].career, spy.given[-1].users[4].career)[1] == "diver"
    assert spy.given[0].users[4].career != "diver"
    assert spy.given[-1].users[4].age == 61
    table = UserTable([Profile(0, "Ann"), Profile(1, "Bo")]).changed({2: Profile(2, "Cy")})
    assert [user.name for user in table] == ["Ann", "Bo", "Cy"]


def test_impressions_and_skips_are_told() -> None:
    spy = Spy()
    _, keeper = simulate(tiny_genesis(12, 60), rules=Rules(rounds=2), recommender=spy)
    shown: list[tuple[int, int]] = []
    picked: list[tuple[int, int]] = []
    for chapter in keeper.ordered():
        for entry in chapter.entries:
            match entry.event:
                case e.SlateShown(agent, items):
                    shown += [(agent, item) for item in items]
                case e.Picked(agent, item):
                    picked.append((agent, item))
    seen = spy.given[-1].impressions
    rows = list(zip(seen.agents.tolist(), seen.items.tolist(), strict=True))
    assert rows == shown
    assert sorted(row for row, taken in zip(rows, seen.picked, strict=True) if taken) == sorted(
        picked
    )
    assert len(spy.given[0].impressions) == 0
    assert seen.skipped.sum() + len(picked) == len(shown)
    later = [context for context in spy.asked if any(context.skipped or ())]
    for context in later:
        for skipped, barred, lived in zip(
            context.skipped or (), context.exclude, context.lived or (), strict=True
        ):
            assert set(skipped) <= set(barred) - set(lived)


PLUGIN = """
from audience.recommenders import Popular

class Curious(Popular):
    given = []

    @classmethod
    def build(cls, context, /, **options):
        cls.given.append(context)
        return cls(**options)
"""


def test_a_recommender_that_is_built_gets_no_genesis_and_no_grounds(tmp_path: Path) -> None:
    (tmp_path / "curious.py").write_text(PLUGIN, "utf-8")
    scenario = Scenario(agents=20, recommender=Part(f"{tmp_path / 'curious.py'}:Curious"))
    parts = parts_of(scenario, genesis_of(scenario, 1))
    _, made = parts.recommender(None)
    assert isinstance(made, Popular)
    for context in type(made).given:  # type: ignore[attr-defined]
        assert truths(context) == []
        assert context.fit_grounds() is None
        assert context.fit_ratings() is None


def test_a_service_is_told_ids_and_what_happened_and_nothing_else() -> None:
    genesis = tiny_genesis(12, 60)
    told: list[dict[str, Any]] = []
    world, _ = simulate(
        genesis,
        rules=Rules(rounds=2),
        listeners=[lambda chapter, world: told.extend(feedback(chapter, world))],
    )
    users = np.arange(3)
    context = Context(users, users, [(1,), (), ()], dice(1, "rank", users))
    keys = keys_in(items_seen(world.catalogue))
    body = msgspec.json.decode(request("run", users, 5, context, keys))
    assert set(body) == {"run", "k", "users"}
    assert set(body["users"][0]) == {"id", "moment", "surface", "page", "query", "exclude"}
    fields = {field for event in told for field in event}
    common = {"id", "kind", "user", "at", "item", "items", "position", "impression"}
    assert fields <= common | {"surface", "page", "propensities", "fraction", "stars"}


def test_a_resumed_fit_sees_the_same_impressions() -> None:
    genesis = genesis_of(Scenario(agents=30), 1)
    parts = parts_of(Scenario(agents=30), genesis)
    spy = Spy()
    own = msgspec.structs.replace(parts, recommender=lambda swap: ("spy", spy))
    world = World(genesis)
    sim = Simulation(world, _Nothing(), own, Rules(rounds=2, refit=2), 1)
    run_sync(lambda: run(sim))
    fitted = spy.given[-1]
    sim.refit()
    again = spy.given[-1]
    assert again is not fitted
    assert np.array_equal(again.impressions.items, fitted.impressions.items)
    assert np.array_equal(again.impressions.picked, fitted.impressions.picked)


class _Nothing:
    def append(self, chapter: e.Chapter, body: bytes = b"") -> None: ...
    def commit(self) -> None: ...
