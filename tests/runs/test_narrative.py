from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.log import Log
from audience.runs import Teller, person_at, start, story
from audience.scenario import parse
from audience.testing import tiny_genesis
from audience.world import Item, Profile, Topic, changes as c, events as e


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Log]:
    folder = tmp_path_factory.mktemp("story") / "run"
    start(parse("agents = 60\nrounds = 3\nrecommender = 'popular'"), 1, folder)
    with Log.open(folder) as opened:
        yield opened


def test_every_event_that_matters_has_a_line() -> None:
    genesis = tiny_genesis()
    teller = Teller(genesis)
    name = f"{genesis.profiles[1].name} [1]"
    title = genesis.catalogue[0].title
    told: dict[e.AnyEvent, str] = {
        e.RoundStarted(2, 0): "Round 2, 1970-01-01 00:00",
        e.Woke(1, 3600): f"{name} comes, 1970-01-01 01:00",
        e.SlateShown(1, (0,), 0): f"recommender page 1: {title}",
        e.SlateAnnotated(1, reasons=("popular", "")): "because: popular; –",
        e.SlateAnnotated(1, propensities=(0.5, 0.5)): "",
        e.Searched(1, "x", 3): f"{name} searches for “x”: 3 found",
        e.Watched(1, 0, 0.5): f"{name} {genesis.domain.past} {title} (50%)",
        e.Rated(1, 0, 4): f"{name} gives {title} ★★★★☆",
        e.Felt(1, 0, "joy"): f"{name} feels: joy",
        e.Posted(1, "p", "hello"): f"{name} posts: hello",
        e.Forwarded(1, "p", "q", 0, "hi"): f"{name} forwards {genesis.profiles[0].name}: hi",
        e.Said(1, 0, "psst"): f"{name} to {genesis.profiles[0].name} [0]: psst",
        e.Delivered("p", -1, (0, 1), "news"): "2 people hear from the platform: news",
        e.Left(1, 0.75): f"{name} leaves, satisfied 0.75",
        e.Left(1, None, "failed"): f"{name} leaves (failed)",
        e.Refused(1, "Pick", "no"): f"{name} may not Pick: no",
        e.Failed(1, "asleep"): f"{name} failed: asleep",
        e.RecommenderFitted("popular", 9, ""): "popular is fitted on 9 interactions",
        e.RoundEnded(2): "",
    }
    for event, line in told.items():
        assert teller.line(event).strip() == line


def test_who_and_what_comes_later_is_known_by_name() -> None:
    genesis = tiny_genesis()
    people, items = len(genesis.profiles), len(genesis.catalogue)
    teller = Teller(genesis)
    teller.learn(e.Intervened(c.AddPerson(Profile(people, "Nova"))))
    teller.learn(e.Intervened(c.AddItem(Item(items, "New"))))
    assert teller.line(e.Rated(people, items, 5)).strip() == f"Nova [{people}] gives New ★★★★★"


def test_the_story_of_one_concerns_only_that_one(log: Log) -> None:
    who = next(r.event.agent for r in log.records() if isinstance(r.event, e.Watched))
    mine = list(story(log, 3, who))
    whole = list(story(log, 3))
    assert 0 < len(mine) < len(whole)
    assert set(mine) <= set(whole)
    assert list(story(log, 1)) == whole[: len(list(story(log, 1)))]


def test_a_person_is_told_as_of_a_round(log: Log) -> None:
    who = next(r.event.agent for r in log.records() if isinstance(r.event, e.Watched))
    before, after = person_at(log, who, 0), person_at(log, who, 3)
    assert before["name"] == after["name"]
    assert before["visits"] == 0 < after["visits"]
    assert len(before["taste"]) == 6
    with pytest.raises(BadInput, match="--agent 60: people are numbered from 0 to 59"):
        person_at(log, 60, 3)


def test_a_run_folder_may_be_read_while_its_story_is_told(log: Log) -> None:
    told = story(log, 3)
    assert next(told).startswith("Round 1")
    with Log.open(Path(log.folder)) as other:
        assert other.complete_rounds() == 3
    assert next(told)


def test_topics_and_evenings_together_have_lines() -> None:
    genesis = tiny_genesis()
    teller = Teller(genesis)
    begun = e.Intervened(c.Raise(Topic("the bridge", "It closes."), (0, 1)))
    teller.learn(begun)
    first, second = (genesis.profiles[who].name for who in (0, 1))
    told: dict[e.AnyEvent, str] = {
        e.MoodShifted(1, 0, 2): f"{second} [1] is intense about the bridge",
        e.AttitudeShifted(1, 0, -1): f"{second} [1] is against the bridge",
        e.AttitudeShifted(1, 0, 1): f"{second} [1] is for the bridge",
        e.Gathered(0, (0, 1), (0, 1, 2), 0, 0, "average", (0.5, 0.5)): (
            f"{first} [0], {second} [1] are together and choose among 3 (average)"
        ),
        e.Parted(1, 0, (0,), 0.5): f"{second} [1] parts from {first}, satisfied 0.50",
        e.Unfounded(1, ("Nowhere",)): f"! {second} [1] neither saw nor heard of <Nowhere>",
    }
    assert teller.line(begun) == "  A topic begins: the bridge, told first by 2 people"
    for event, line in told.items():
        assert teller.line(event).strip() == line


def test_interventions_are_told_in_words() -> None:
    teller = Teller(tiny_genesis())
    line = teller.line(e.Intervened(c.AddTie(0, 1, "friend", 0.9)))
    names = [teller.names[0], teller.names[1]]
    assert line == (
        f"  Intervention: add tie: agent {names[0]}, other {names[1]}, kind friend, closeness 0.9"
    )
    swap = teller.line(e.Intervened(c.SwapRecommender("random", {"k": 3})))
    assert swap == "  Intervention: swap recommender: kind random, k 3"
