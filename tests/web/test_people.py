"""People, items, ties, the story and the calls behind it, all read from a log."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from tests.web.conftest import PATIENCE, Site, Sites

from audience.datasets import Films
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import measured, person_at, start
from audience.scenario import parse
from audience.web import graph
from audience.web.graph import DRAWN, Communities, communities, drawn
from audience.web.reply_types import GraphReply
from audience.world import Clock, Failed, Intervened, Raise, Topic, World

Serving = Callable[..., AbstractContextManager[Fake]]


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory, serving: Serving) -> Path:
    """A folder with a run of language models with memories, called `talk`."""
    root = tmp_path_factory.mktemp("spoken")
    with serving() as fake:
        models = f"[llm]\nurl = '{fake.url}'\nmodel = 'fake'\n"
        toml = f"agents = 12\nrounds = 3\nmind = 'llm'\nmemory = 'recagent'\n{models}"
        start(parse(toml), 1, root / "talk")
    return root


@pytest.fixture
def talk(sites: Sites, spoken: Path) -> Site:
    return sites(spoken)


@pytest.fixture
def done(sites: Sites, lived: Path) -> Site:
    return sites(lived)


def test_people_are_listed_and_found(done: Site) -> None:
    everybody = done.ok("/runs/done/people?limit=500")
    assert [one["id"] for one in everybody] == list(range(40))
    assert done.ok("/runs/done/people?limit=3&offset=2") == everybody[2:5]
    one = everybody[7]
    assert done.ok("/runs/done/people?query=7") == [one]
    assert one in done.ok(f"/runs/done/people?query={one['name'].split()[0].lower()}&limit=500")
    assert done.ok("/runs/done/people?query=nobody-is-called-so") == []
    assert done.get("/runs/done/people?limit=0")[0] == 422


def test_a_person_at_any_round(done: Site, lived: Path) -> None:
    with Log.open(lived / "done") as log:
        for at in (0, 2, 4):
            wanted = person_at(log, 3, at)
            found = done.ok(f"/runs/done/people/3?at={at}")
            assert found["visits"] == wanted["visits"]
            assert found["profile"]["name"] == wanted["name"]
            assert len(found["history"]) >= len(wanted["history"])
            assert all(one["round"] <= at for one in found["decisions"])
    latest = done.ok("/runs/done/people/3")
    assert latest["at"] == 4
    assert latest["memory"] is None
    assert latest["ties"][0]["name"]
    assert len(latest["taste"]) == 21
    assert done.get("/runs/done/people/40")[0] == 404
    assert done.get("/runs/done/people/3?at=5")[0] == 404
    assert done.get("/runs/done/people/-1")[0] == 422


def test_every_decision_leads_to_its_prompt_and_reply(talk: Site) -> None:
    calls = 0
    for who in range(3):
        found = talk.ok(f"/runs/talk/people/{who}")
        for decision in found["decisions"]:
            assert decision["events"]
            for key in decision["calls"][:1]:
                call = talk.ok(f"/runs/talk/calls/{key}")
                assert call["messages"][-1]["content"]
                assert call["reply"]
                assert call["tokens"]["prompt"] > 0
                calls += 1
    assert calls > 0
    assert talk.get(f"/runs/talk/calls/{'0' * 32}")[0] == 404
    assert talk.get("/runs/talk/calls/nonsense")[0] == 422


def test_the_three_memories_are_told(talk: Site) -> None:
    found = [talk.ok(f"/runs/talk/people/{who}")["memory"] for who in range(12)]
    stores = [
        one for memory in found for name in ("sensory", "short", "long") for one in memory[name]
    ]
    assert stores
    assert all(0.0 <= one["weight"] <= 1.0 and 0.0 <= one["recency"] <= 1.0 for one in stores)
    assert all("forgetting" in one for one in stores)


def test_items_are_found(done: Site) -> None:
    found = done.ok("/runs/done/items?query=dog drama")
    assert found
    for one in found:
        words = f"{one['title']} {' '.join(one['tags'])}".lower()
        assert "dog" in words
        assert "drama" in words


def test_the_story_has_filters(done: Site) -> None:
    everything = done.ok("/runs/done/story?limit=1000")
    numbers = [one["n"] for one in everything]
    assert numbers == sorted(numbers)
    kinds = {one["kind"] for one in everything}
    assert {"Woke", "SlateShown", "Watched", "Said", "RoundStarted"} <= kinds
    for query, fits in (
        ("round=2", lambda one: one["round"] == 2),
        ("kind=Said,Posted", lambda one: one["kind"] in ("Said", "Posted")),
        ("text=watched", lambda one: "watched" in one["text"].lower()),
    ):
        found = done.ok(f"/runs/done/story?limit=1000&{query}")
        assert found
        assert all(fits(one) for one in found)
    said = next(one for one in everything if one["kind"] == "Said" and one["items"])
    item = said["items"][0]
    assert all(item in one["items"] for one in done.ok(f"/runs/done/story?item={item}&limit=50"))
    assert said in done.ok(f"/runs/done/story?agent={said['agent']}&limit=1000")
    after = numbers[len(numbers) // 2]
    assert done.ok(f"/runs/done/story?after={after}&limit=5")[0]["n"] > after
    last = done.ok("/runs/done/story?latest=true&limit=5")
    assert last[-1]["n"] == max(one["n"] for one in done.ok("/runs/done/story?limit=5&latest=true"))
    assert last[0]["n"] > after


def test_the_graph_of_few_is_drawn_one_by_one(done: Site) -> None:
    found = done.ok("/runs/done/graph")
    assert [one["id"] for one in found["nodes"]] == list(range(40))
    assert sum(one["size"] for one in found["communities"]) == 40
    degrees = {one["id"]: one["degree"] for one in found["nodes"]}
    for one, two, kind, closeness in found["edges"]:
        assert one < two
        assert min(degrees[one], degrees[two]) > 0
        assert kind
        assert 0.0 <= closeness <= 1.0
    before = done.ok("/runs/done/graph?at=0")
    assert [one["name"] for one in before["nodes"]] == [one["name"] for one in found["nodes"]]
    assert done.get("/runs/done/graph?at=9")[0] == 404


def pictured(world: World) -> GraphReply:
    return drawn(world, Communities(len(world.agents), *world.graph.pairs()))


def test_who_waits_for_the_graph_keeps_nobody_else_waiting(
    done: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def slow(*given: Any) -> Any:
        begun.set()
        assert may_end.wait(PATIENCE)
        return communities(*given)

    monkeypatch.setattr(graph, "communities", slow)
    with ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(done.ok, "/runs/done/graph") for _ in range(2)]
        assert begun.wait(PATIENCE)
        try:
            assert len(done.ok("/runs/done/people?limit=3")) == 3
            assert not any(one.done() for one in waiting)
        finally:
            may_end.set()
        first, second = (one.result(PATIENCE) for one in waiting)
    assert first == second
    begun.clear()
    assert done.ok("/runs/done/communities/0")["size"]
    assert not begun.is_set(), "communities are found once"


def test_the_graph_of_many_is_gathered() -> None:
    people = DRAWN + 500
    found = msgspec.to_builtins(pictured(World(Films().genesis(people, 1, Clock()))))
    assert found["nodes"] == []
    assert sum(one["size"] for one in found["communities"]) == people
    ids = {one["id"] for one in found["communities"]}
    assert all({one, two} <= ids and count > 0 for one, two, count in found["edges"])


def test_pies_of_many_hold_everybody_once_in_each_way() -> None:
    people = DRAWN + 100
    world = World(Films().genesis(people, 1, Clock()))
    shares = pictured(world).communities[0].shares
    assert shares
    assert "emotion" not in shares, "nothing is spread"
    topic = Topic("trams", "Trams shall be free.")
    world.apply(Intervened(Raise(topic, (3, 5, 7))))
    world.spread.reach(0, (3, 5, 7), 1)
    world.agents[4] = replace(world.agents[4], satisfaction=0.95)
    found = msgspec.to_builtins(pictured(world))["communities"]
    sums = {
        name: np.sum([one["shares"][name] for one in found], axis=0).tolist()
        for name in ("satisfaction", "emotion", "attitude")
    }
    assert [sum(one) for one in sums.values()] == [people] * 3
    assert all(sum(part) == one["size"] for one in found for part in one["shares"].values())
    assert sums["satisfaction"][5] >= 1
    assert sums["emotion"][0] == sums["attitude"][0] == people - 3, "three have heard of it"


def test_a_community_lists_its_people(done: Site) -> None:
    nodes = done.ok("/runs/done/graph")["nodes"]
    inside = [one["id"] for one in nodes if one["community"] == 0]
    found = done.ok("/runs/done/communities/0?limit=500")
    assert found["size"] == len(inside)
    assert sorted(one["id"] for one in found["people"]) == inside
    degree = {one["id"]: one["degree"] for one in nodes}
    order = [degree[one["id"]] for one in found["people"]]
    assert order == sorted(order, reverse=True)
    part = done.ok("/runs/done/communities/0?limit=2&offset=1&at=1")["people"]
    assert len(part) == min(2, len(inside) - 1)
    assert done.get("/runs/done/communities/199")[0] == 404
    assert done.get("/runs/done/communities/200")[0] == 422


def test_communities_are_those_who_know_each_other() -> None:
    pairs = [(a, b) for group in (range(10), range(10, 16)) for a in group for b in group if a < b]
    firsts, others = np.array(pairs).T
    found = communities(17, firsts, others)
    assert set(found[:10].tolist()) == {0}, "the largest is the first"
    assert set(found[10:16].tolist()) == {1}
    assert found[16] == 2, "who knows nobody stands alone"


def test_the_people_table_is_sorted_filtered_and_cut(sites: Sites, lived: Path) -> None:
    site = sites(lived)

    def rows(**fields: object) -> Any:
        words = "&".join(f"{key}={value}" for key, value in fields.items())
        return site.ok(f"/runs/done/people-table?limit=500&{words}")

    whole = rows()
    assert whole["total"] == 40
    assert [one["id"] for one in whole["rows"]] == list(range(40))
    found = measured(lived / "done")
    for one in whole["rows"]:
        assert one["picks"] == found.agents["picks"][one["id"]]
        assert (one["last"] > 0) == (found.agents["visits"][one["id"]] > 0)
    happy = [one["satisfaction"] for one in rows(sort="satisfaction", down="true")["rows"]]
    assert happy == sorted(happy, reverse=True)
    never = rows(only="never")
    assert never["total"] == sum(found.agents["visits"] == 0)
    assert all(one["last"] == 0 for one in never["rows"])
    assert rows(only="failed")["total"] == 0
    interest = whole["rows"][0]["interests"][0]
    assert all(interest in one["interests"] for one in rows(query=interest)["rows"])
    cut = site.ok("/runs/done/people-table?limit=7&offset=35")
    assert (cut["total"], len(cut["rows"])) == (40, 5)
    assert site.get("/runs/done/people-table?sort=hair")[0] == 422


def test_the_people_table_tells_who_came_in_a_round(sites: Sites, lived: Path) -> None:
    site = sites(lived)

    def rows(words: str) -> Any:
        return site.ok(f"/runs/done/people-table?limit=500&{words}")["rows"]

    visits = site.ok("/runs/done/metrics")["rounds"][1]
    came = rows("at=2&only=came&sort=then")
    assert len(came) == visits["visits"]
    assert sum(one["visit"]["picks"] for one in came) == visits["picks"]
    told = [one["visit"]["satisfaction"] for one in came]
    known = [value for value in told if value is not None]
    assert known == sorted(known)
    assert told[: len(known)] == known, "who told nothing comes last"
    gone = rows("at=2&only=gone")
    assert [one["last"] for one in gone] == [2] * len(gone)
    assert {one["id"] for one in gone} == {one["id"] for one in came if one["last"] == 2}
    assert rows("at=2")[0]["id"] == 0, "everybody is there, with the visit of those who came"
    assert any(one["visit"] is None for one in rows("at=2"))
    for wrong, status in {"only=came": 400, "sort=then": 400, "at=7&only=came": 404}.items():
        assert site.get(f"/runs/done/people-table?{wrong}")[0] == status


def test_the_people_table_tells_who_is_content_and_who_stays_away(
    sites: Sites, tmp_path: Path
) -> None:
    start(parse("agents = 40\nrounds = 9\n"), 1, tmp_path / "long")
    site = sites(tmp_path)
    everybody = site.ok("/runs/long/people-table?limit=500")["rows"]

    def ids(only: str) -> set[int]:
        found = site.ok(f"/runs/long/people-table?limit=500&only={only}")
        return {one["id"] for one in found["rows"]}

    came = [one for one in everybody if one["last"]]
    assert ids("absent") == {one["id"] for one in came if one["last"] <= 4} != set()
    assert ids("unhappy") == {one["id"] for one in came if one["satisfaction"] < 0.35} != set()
    assert ids("happy") == {one["id"] for one in came if one["satisfaction"] > 0.65} != set()


def test_the_people_table_counts_the_decisions_that_failed(sites: Sites, tmp_path: Path) -> None:
    (tmp_path / "lost.py").write_text(
        "from audience.agents import Decision, RuleMind\n"
        "class Lost(RuleMind):\n"
        "    batched = False\n"
        "    async def decide(self, seen, memory, dice):\n"
        "        if seen.me.profile.id % 2:\n"
        "            return Decision((), '', (), failure='page: lost')\n"
        "        return await super().decide(seen, memory, dice)\n"
    )
    text = f"agents = 10\nrounds = 2\nmind = '{tmp_path}/lost.py:Lost'\n[run]\nbatched = false\n"
    start(parse(text), 1, tmp_path / "runs" / "lost")
    with Log.open(tmp_path / "runs" / "lost") as log:
        failed = [
            chapter.agent
            for chapter in log.chapters()
            for entry in chapter.entries
            if isinstance(entry.event, Failed)
        ]
    assert failed
    site = sites(tmp_path / "runs")
    rows = site.ok("/runs/lost/people-table?only=failed&limit=500")["rows"]
    assert {one["id"]: one["failures"] for one in rows} == dict(Counter(failed))


def test_calls_are_listed_by_purpose_and_outcome(site: Site, serving: Serving) -> None:
    with serving() as fake:
        toml = f"agents = 12\nrounds = 1\nmind = 'llm'\n[llm]\nurl = '{fake.url}'\nmodel = 'fake'\n"
        run = site.begin(toml=toml)
        site.until(run, "finished")
    whole = site.ok(f"/runs/{run}/calls?limit=1000")
    assert whole["total"] == len(whole["lines"]) == site.ok(f"/runs/{run}")["calls"]
    counted = Counter(line["purpose"] for line in whole["lines"])
    assert {name: sum(each.values()) for name, each in whole["outcomes"].items()} == dict(counted)
    homes = site.ok(f"/runs/{run}/calls?purpose=home&outcome=reply&limit=1")
    assert homes["total"] == whole["outcomes"]["home"]["reply"]
    assert [line["purpose"] for line in homes["lines"]] == ["home"]
    call = site.ok(f"/runs/{run}/calls/{homes['lines'][0]['key']}")
    assert call["purpose"] == "home"
    failed = site.ok(f"/runs/{run}/calls?outcome=failed")
    assert failed["total"] == sum(line["outcome"] != "reply" for line in whole["lines"])


def test_a_run_without_models_has_no_calls(sites: Sites, lived: Path) -> None:
    assert sites(lived).ok("/runs/done/calls") == {"total": 0, "lines": [], "outcomes": {}}
