"""Whole runs before a recommender service: served, told, left alone, taken up again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.services import Answer, Example, example, first_items, said, serving, write_items

from audience.errors import BadInput
from audience.log import Log
from audience.runs import Finished, conduct, resume, start
from audience.scenario import genesis_of, parse
from audience.scenario.build import run_name
from audience.world import events as e

GENESIS = genesis_of(parse("agents = 40\nseed = 1\ndataset = 'films'"), 1)
KEYS = [item.key for item in GENESIS.catalogue.items]
GOOD = first_items(KEYS)


def scenario(url: str, **more: Any) -> str:
    options = "".join(f"{key} = {json.dumps(value)}\n" for key, value in more.items())
    return (
        "agents = 40\nrounds = 3\nseed = 1\n"
        f"[recommender]\nkind = 'http'\nurl = '{url}'\ntries = 1\ntimeout = 100\n{options}"
    )


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_items(tmp_path_factory.mktemp("items") / "items.csv", KEYS)


@pytest.fixture
def shop(items: Path) -> Iterator[Example]:
    with example(items) as server:
        yield server


def events(folder: Path) -> list[e.AnyEvent]:
    with Log.open(folder) as log:
        return [record.event for record in log.records()]


def test_the_example_serves_a_run_and_learns(shop: Example, tmp_path: Path) -> None:
    done = start(parse(scenario(shop.url)), 1, tmp_path / "one")
    assert done.failed_slates == 0
    assert done.summary["failed_slates"] == 0
    told = [one for one in events(tmp_path / "one") if isinstance(one, e.SlateAnnotated)]
    reasons = Counter(reason.split(" ")[0] for one in told for reason in one.reasons)
    assert reasons["popular"] > 0
    assert reasons["goes"] > 0, "after the first round it has learnt what goes with what"


def test_an_address_alone_is_enough(shop: Example, tmp_path: Path) -> None:
    text = f"agents = 40\nrounds = 3\nseed = 1\nrecommender = '{shop.url}'"
    start(parse(text), 1, tmp_path / "one")
    fitted = [one for one in events(tmp_path / "one") if isinstance(one, e.RecommenderFitted)]
    assert {one.kind for one in fitted} == {f"127.0.0.1-{shop.port}"}


def test_the_service_is_told_everything_once(tmp_path: Path) -> None:
    with serving(GOOD) as seen:
        start(parse(scenario(seen.url, batch=50)), 1, tmp_path / "one")
    bodies = seen.bodies("/feedback")
    assert [body["round"] for body in bodies] == sorted(body["round"] for body in bodies)
    assert {body["round"] for body in bodies} == {1, 2, 3}
    assert max(len(body["events"]) for body in bodies) <= 50
    told = [one for body in bodies for one in body["events"]]
    assert len({one["id"] for one in told}) == len(told)
    happened = Counter(type(one).__name__ for one in events(tmp_path / "one"))
    kinds = Counter(one["kind"] for one in told)
    assert kinds == {
        "impression": happened["SlateShown"],
        "pick": happened["Picked"],
        "watch": happened["Watched"],
        "rating": happened["Rated"],
    }
    assert len({body["run"] for body in (*bodies, *seen.bodies("/rank"))}) == 1


def test_feedback_may_be_kept_back(tmp_path: Path) -> None:
    with serving(GOOD) as seen:
        start(parse(scenario(seen.url, feedback=False)), 1, tmp_path / "one")
    assert seen.bodies("/feedback") == []


def test_what_could_not_be_told_is_told_with_the_next_round(tmp_path: Path) -> None:
    def way(path: str, body: Any, number: int) -> Answer:
        refused = path == "/feedback" and body["round"] == 1
        return said({}, 500) if refused else GOOD(path, body, number)

    with serving(way) as seen:
        start(parse(scenario(seen.url)), 1, tmp_path / "one")
    told = [one["id"] for body in seen.bodies("/feedback") for one in body["events"]]
    rounds = Counter(one.split(".")[0] for one in set(told))
    assert set(rounds) == {"1", "2", "3"}


def test_a_service_that_dies_leaves_failed_slates_and_a_whole_run(
    items: Path, tmp_path: Path
) -> None:
    with example(items) as server:

        class Killing:
            """A progress that ends the service in the second round."""

            def begin(self, name: str, rounds: int, agents: int) -> None: ...
            def end(self) -> None: ...
            def spend(self, meter: object) -> None: ...
            def advance(self, round_: int, done: int, total: int) -> None:
                if round_ == 2 and not done:
                    server.kill()

        done = start(parse(scenario(server.url)), 1, tmp_path / "one", progress=Killing())
    assert done.rounds == 3
    assert done.failed_slates == done.summary["failed"]
    assert done.failed_slates > 10
    failed = [one for one in events(tmp_path / "one") if isinstance(one, e.Failed)]
    assert all(one.why.startswith("recommender: http://127.0.0.1:") for one in failed)
    assert any("cannot be reached" in one.why for one in failed)
    assert any("3 times in a row" in one.why for one in failed)


def test_a_dead_service_is_told_before_anything_is_written(tmp_path: Path) -> None:
    gone = parse(scenario("http://127.0.0.1:9"))
    for begin in (
        lambda: start(gone, 1, tmp_path / "one"),
        lambda: conduct(gone, tmp_path / "one"),
    ):
        with pytest.raises(BadInput, match="the recommender service cannot be used"):
            begin()
    assert not (tmp_path / "one").exists()


def lived_in_two(way: Callable[..., Answer], folder: Path) -> tuple[Finished, Any]:
    """Run a scenario that is stopped in the middle of its second round, and take it up again."""
    with serving(way) as seen:
        text = scenario(seen.url) + "[run]\nwave = 5\n"
        calls = iter(range(10_000))

        def stopping() -> bool:
            with Log.open(folder) as log:
                return bool(log.partial(2)) and next(calls) > 1

        with pytest.raises(Exception, match="stopped in round 2"):
            start(parse(text), 1, folder, stopping=stopping)
        done = resume(folder)
    return done, seen


def test_a_resumed_run_tells_the_same_facts_with_the_same_ids(tmp_path: Path) -> None:
    done, seen = lived_in_two(GOOD, tmp_path / "one")
    told = [one for body in seen.bodies("/feedback") for one in body["events"]]
    assert len({json.dumps(one) for one in told}) == len({one["id"] for one in told}) == len(told)
    assert len({body["run"] for body in seen.bodies("/feedback")}) == 1
    happened = Counter(type(one).__name__ for one in events(tmp_path / "one"))
    assert sum(one["kind"] == "impression" for one in told) == happened["SlateShown"]
    assert done.rounds == 3


def test_a_resume_before_a_dead_service_changes_nothing(items: Path, tmp_path: Path) -> None:
    with example(items) as server:
        start(parse(scenario(server.url)), 1, tmp_path / "one")
    with Log.open(tmp_path / "one") as log:
        before = log.digest(), log.state
    with pytest.raises(BadInput, match="cannot be used"):
        resume(tmp_path / "one")
    with Log.open(tmp_path / "one") as log:
        assert (log.digest(), log.state) == before


def test_a_service_may_be_swapped_in(shop: Example, tmp_path: Path) -> None:
    text = (
        "agents = 40\nrounds = 3\nseed = 1\nrecommender = 'popular'\n"
        f"[[interventions]]\nround = 2\ndo = 'swap_recommender'\nkind = '{shop.url}'\n"
    )
    start(parse(text), 1, tmp_path / "one")
    fitted = [one for one in events(tmp_path / "one") if isinstance(one, e.RecommenderFitted)]
    assert [one.kind for one in fitted][:2] == ["popular", "popular"]
    assert fitted[-1].kind == f"127.0.0.1-{shop.port}"


def test_arms_and_seeds_have_names_of_their_own_and_longer_runs_keep_theirs() -> None:
    first = parse(scenario("http://host"))
    same = parse(scenario("http://host").replace("rounds = 3", "rounds = 9"))
    other = parse(scenario("http://host").replace("seed = 1", "seed = 2"))
    hidden = parse(scenario("http://host") + "[platform]\nexplain = false\n")
    names = [run_name(one, GENESIS) for one in (first, same, other, hidden)]
    assert names[0] == names[1]
    assert len(set(names)) == 3


def test_options_that_a_service_does_not_take_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"recommender 'http': option 'speed' is unknown"):
        start(parse(scenario("http://host", speed=3)), 1, tmp_path / "one")
