"""Playing from a browser: asked for moves, in time or not, several at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.conftest import SMALL, Site, Sites, Stream

from audience.llm import CallStore
from audience.log import Log
from audience.scenario import FILE
from audience.world import events as e


def lived(folder: Path, agent: int) -> list[e.AnyEvent]:
    with Log.open(folder) as log:
        records = list(log.records())
    return [one.event for one in records if getattr(one.event, "agent", None) == agent]


class Player:
    """Somebody at a seat."""

    def __init__(self, site: Site, run: str, seat: str, stream: Stream) -> None:
        self.site, self.path, self.stream = site, f"/runs/{run}/play/{seat}", stream

    def seen(self) -> dict[str, Any]:
        return dict(self.stream.next("observation")[2])

    def move(self, kind: str, **fields: object) -> tuple[int, Any]:
        return self.site.post(self.path, {"action": {"type": kind, **fields}})


@contextmanager
def playing(site: Site, run: str, **body: object) -> Iterator[tuple[int, Player]]:
    sat = site.ok(f"/runs/{run}/play", body)
    with site.stream(f"/runs/{run}/play/{sat['seat']}") as stream:
        yield sat["agent"], Player(site, run, sat["seat"], stream)


def test_a_person_is_played_move_by_move(site: Site) -> None:
    run = site.begin(paused=True)
    with playing(site, run, agent=3) as (agent, me):
        site.steer(run, "step_round")
        home = me.seen()
        assert (home["surface"], home["deadline"]) == ("home", None)
        assert home["me"]["id"] == agent == 3
        assert "Shift" not in home["menu"]
        assert site.until(run, "waiting")["control"]["state"] == "waiting"
        status, found = me.move("Pick", item=1)
        assert (status, "not possible here" in found["error"]) == (400, True)
        assert me.move("Enter", surface="recommender")[0] == 200
        page = me.seen()
        item = page["slate"][1]["item"]
        assert page["slate"][1]["title"]
        assert me.move("Rate", item=item, stars=4)[0] == 400, "it was not picked"
        assert me.move("Pick", item=10**6)[0] == 400
        assert me.move("Pick", item=item, fraction=0.5)[0] == 200
        assert me.seen()["taken"][0]["item"] == item
        assert me.move("Rate", item=item, stars=4, feeling="Lovely.")[0] == 200
        me.seen()
        assert me.move("NextPage")[0] == 200
        second = me.seen()
        assert second["lived"] == [{"item": item, "title": page["slate"][1]["title"], "stars": 4}]
        assert me.move("Leave", satisfaction=0.9)[0] == 200
        site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 1)
    events = lived(site.root / run, 3)
    assert e.Picked(3, item, 1) in events
    assert e.Rated(3, item, 4) in events
    assert e.Felt(3, item, "Lovely.", "human") in events
    assert e.Left(3, 0.9) in events
    with CallStoreOf(site.root / run) as calls:
        assert len(calls) == 5, "each move is a call, kept at once"


class CallStoreOf:
    def __init__(self, folder: Path) -> None:
        self.store = CallStore(folder / FILE, read_only=True)

    def __enter__(self) -> CallStore:
        return self.store

    def __exit__(self, *_: object) -> None:
        self.store.close()


def test_somebody_new_joins_posts_and_talks(site: Site) -> None:
    run = site.begin(paused=True)
    person = {"name": "Zoe", "interests": ["Drama"], "friends": [1, 2]}
    with playing(site, run, person=person) as (agent, me):
        assert agent == 40
        site.steer(run, "step_round")
        assert me.seen()["me"]["name"] == "Zoe"
        me.move("Enter", surface="social")
        social = me.seen()
        assert {one["id"] for one in social["friends"]} == {1, 2}
        assert me.move("Post", text="Hello all of you")[0] == 200
        me.seen()
        assert me.move("Say", to=1, text="How are you?")[0] == 200
        me.seen()
        assert me.move("Say", to=9, text="Do I know you?")[0] == 400
        me.move("Leave")
        site.when(
            lambda: site.ok(f"/runs/{run}/story?kind=Posted,Said&agent={agent}"),
            lambda lines: any("Hello all of you" in one["text"] for one in lines),
        )
    events = lived(site.root / run, 40)
    assert any(isinstance(one, e.Posted) and one.voice == "human" for one in events)
    assert any(isinstance(one, e.Wished) and one.to == 1 for one in events)


def test_who_takes_too_long_is_played_by_its_own_mind(site: Site, lived: Path) -> None:
    run = site.begin(paused=True)
    with playing(site, run, agent=3, deadline_s=0.05):
        site.steer(run, "play")
        site.until(run, "finished")
    with Log.open(site.root / run) as log, Log.open(lived / "done") as alone:
        mine = {(one.round, one.phase, one.agent): one for one in log.chapters()}
        theirs = {(one.round, one.phase, one.agent): one for one in alone.chapters()}
    same = [place for place in theirs if place[0] == 1 and place[1] == 1 and place in mine]
    assert all(mine[place] == theirs[place] for place in same), "nobody else's dice have moved"
    assert all((round_, 1, 3) in mine for round_ in (1, 2, 3, 4)), "who is played comes every round"


def test_a_seat_that_is_given_back_goes_on_by_itself(site: Site) -> None:
    run = site.begin(paused=True)
    with playing(site, run, agent=3) as (_, me):
        site.steer(run, "step_round")
        me.seen()
        assert site.post(me.path, {}, "DELETE")[0] == 200
        assert me.stream.next("over")[2] == {"left": True}
        site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 1)
        assert me.move("Leave")[0] == 404
    site.steer(run, "play")
    site.until(run, "finished")


def test_several_play_at_once(site: Site) -> None:
    run = site.begin(paused=True)
    with playing(site, run, agent=1) as (_, one), playing(site, run, agent=2) as (_, two):
        assert site.post(f"/runs/{run}/play", {"agent": 2})[0] == 409, "somebody sits there"
        site.steer(run, "step_round")
        assert (one.seen()["me"]["id"], two.seen()["me"]["id"]) == (1, 2)
        assert two.move("Nothing")[0] == 200
        assert one.move("Nothing")[0] == 200

        def taciturn() -> Any:
            for player in (one, two):
                player.move("Leave")  # whoever else wants to talk with them
            return site.ok(f"/runs/{run}")

        site.when(taciturn, lambda found: found["round"] == 1)
    site.steer(run, "stop")


def test_a_move_for_a_question_that_is_over_is_refused(site: Site) -> None:
    run = site.begin(paused=True)
    with playing(site, run, agent=3) as (_, me):
        assert me.move("Leave")[0] == 400, "nothing is asked yet"
        site.steer(run, "step_round")
        number = me.seen()["number"]
        late = {"action": {"type": "Nothing"}, "number": number + 10}
        assert site.post(me.path, late)[0] == 400
        assert site.post(me.path, {"action": {"type": "Fly"}})[0] == 400
        assert site.post(me.path, {"action": {"type": "Shift", "tag": 0, "by": 1.0}})[0] == 400
        assert site.post(me.path, {"action": {"type": "Search"}})[0] == 400
        assert site.post(me.path, {"action": {"type": "Nothing"}, "number": number})[0] == 200
    site.steer(run, "stop")


def test_a_run_that_waits_for_somebody_can_be_stopped(sites: Sites) -> None:
    site = sites()
    run = site.begin(paused=True, toml=SMALL)
    with playing(site, run, agent=3) as (_, me):
        site.steer(run, "step_round")
        me.seen()
        site.steer(run, "stop")
        assert site.ok(f"/runs/{run}")["state"] == "stopped"
        assert me.stream.next("over")


def test_nobody_plays_somebody_who_is_not_there(site: Site) -> None:
    run = site.begin(paused=True)
    assert site.post(f"/runs/{run}/play", {"agent": 99})[0] == 404
    assert site.post(f"/runs/{run}/play", {})[0] == 400
    assert site.post(f"/runs/{run}/play", {"agent": 1, "person": {}})[0] == 400
    assert site.post(f"/runs/{run}/play", {"person": {"nam": "x"}})[0] == 400
    assert site.get(f"/runs/{run}/play/none")[0] == 404


def test_friends_are_told_with_what_they_did_lately(site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    who = next(
        one["id"]
        for one in site.ok(f"/runs/{run}/people?limit=40")
        if site.ok(f"/runs/{run}/people/{one['id']}")["ties"]
    )
    ties = {tie["other"] for tie in site.ok(f"/runs/{run}/people/{who}")["ties"]}
    friends = site.ok(f"/runs/{run}/people/{who}/friends")
    assert {one["id"] for one in friends} <= ties
    assert len(friends) == min(12, len(ties))
    deeds = [deed for one in friends for deed in one["lately"]]
    assert all(deed["text"] and 1 <= deed["round"] <= 4 for deed in deeds)
    assert all(len(one["lately"]) <= 3 for one in friends)
    assert site.get(f"/runs/{run}/people/999/friends")[0] == 404
