"""Starting runs and steering them."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

from tests.lab.verdicts.test_verdicts import dataset
from tests.runs.calibration.test_fit import files
from tests.web.conftest import SMALL, Site, Sites

from audience.log import Log
from audience.runs import resume, scenario_of, start
from audience.runs.calibration import with_fitted_people
from audience.runs.kept_measures import KEPT
from audience.scenario import Scenario, parse
from audience.web.runs import watchable
from audience.world import events as e


def digest(folder: Path) -> str:
    with Log.open(folder) as log:
        return log.digest()


def visits(found: dict[str, dict[str, int]]) -> int:
    return found["control"]["visits_done"]


def arrived(count: int, found: dict[str, int]) -> bool:
    return found["n"] > count


def test_a_run_started_here_is_the_same_as_one_started_in_a_terminal(
    site: Site, tmp_path: Path, small: Scenario
) -> None:
    run = site.begin()
    found = site.until(run, "finished")
    assert found["round"] == found["rounds"] == 4
    again = start(small, 1, tmp_path / "again")
    assert digest(site.root / run) == again.measured.digest


def test_the_panel_kept_when_a_run_ends_is_that_of_its_world(site: Site, small: Scenario) -> None:
    start(small, 1, site.root / "kept")
    shutil.copytree(site.root / "kept", site.root / "folded")
    (site.root / "folded" / KEPT).unlink()
    kept, folded = (site.ok(f"/runs/{name}")["panel"] for name in ("kept", "folded"))
    assert kept == folded
    assert kept["chats"] > 0


def test_rule_minds_on_data_are_fitted_here_as_in_a_terminal(site: Site, tmp_path: Path) -> None:
    data = files(tmp_path / "tiny")
    text = f'agents = 10\nrounds = 1\nmind = "rule"\n[dataset]\nkind = "recbole"\npath = "{data}"\n'
    run = site.begin(toml=text)
    site.until(run, "finished")
    assert scenario_of(site.root / run).mind == with_fitted_people(parse(text)).scenario.mind
    assert "enjoy" in scenario_of(site.root / run).mind.options


def test_where_there_is_a_past_those_judge_who_know_it_unless_a_mind_is_named(
    site: Site, tmp_path: Path
) -> None:
    data = {"kind": "recbole", "path": str(dataset(tmp_path / "camps"))}
    form = {"agents": 20, "rounds": 1, "dataset": data}
    for name, changes, mind in (("a", {}, "grounded"), ("b", {"mind": "rule"}, "rule")):
        status, reply = site.post("/runs", {"form": form | changes, "name": name})
        assert status == 201, reply
        site.until(name, "finished")
        assert scenario_of(site.root / name).mind.kind == mind
        assert (site.root / name / "people.json").is_file() == (mind == "rule")


def test_a_run_is_stepped_by_visits_and_by_rounds(site: Site) -> None:
    run = site.begin(paused=True)
    assert site.ok(f"/runs/{run}")["control"]["state"] == "paused"
    assert site.ok(f"/runs/{run}")["n"] == 0
    for count in (1, 2, 3):
        site.steer(run, "step_visit")
        found = site.when(lambda: site.ok(f"/runs/{run}"), partial(arrived, count))
        assert found["n"] == count + 1, "the opening and so many visits"
        assert found["control"]["state"] == "paused"
    site.steer(run, "step_round")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 1)
    site.steer(run, "step_round")
    site.steer(run, "step_round")
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["round"] == 3)
    found = site.until(run, "paused")
    assert found["control"]["visits_total"] == visits(found)


def test_however_it_is_steered_the_bytes_are_the_same(site: Site, lived: Path) -> None:
    run = site.begin(paused=True)
    site.steer(run, "step_visit")
    site.steer(run, "play", speed=1)
    site.steer(run, "pause")
    site.until(run, "paused")
    site.steer(run, "stop")
    assert site.ok(f"/runs/{run}")["state"] == "stopped"
    site.steer(run, "step_round")
    site.steer(run, "speed", speed=0)
    site.steer(run, "play")
    site.until(run, "finished")
    assert digest(site.root / run) == digest(lived / "done")


def test_a_run_may_begin_at_a_speed_that_one_can_follow(site: Site) -> None:
    toml = "agents = 400\nrounds = 20\n[activation]\nshare = 0.3\n"
    begun = site.ok("/runs", {"toml": toml, "name": "slow", "paused": True, "speed": "watchable"})
    assert site.ok(f"/runs/{begun['id']}")["control"]["speed"] == 400 * 20 * 0.3 / 40
    long = parse(toml.replace("20", "300"))
    assert watchable(long) == 400 * 300 * 0.3 / 60, "no longer than a minute"
    assert watchable(parse(toml + "[arms.a]\n[arms.b]\nrecommender = 'random'\n")) == 0.0
    assert watchable(parse("agents = 2\nrounds = 1\n")) == 1.0
    plain = site.begin(paused=True, name="fast")
    assert site.ok(f"/runs/{plain}")["control"]["speed"] == 0.0
    wrong = {"toml": toml, "name": "odd", "speed": "odd"}
    assert site.post("/runs", wrong)[0] == 422


def test_a_speed_is_kept_to(site: Site) -> None:
    run = site.begin(paused=True)
    site.steer(run, "play", speed=1)
    found = site.when(lambda: site.ok(f"/runs/{run}"), lambda one: visits(one) >= 2)
    assert found["control"]["speed"] == 1.0
    assert visits(found) < found["control"]["visits_total"], "it does not rush ahead"
    site.steer(run, "speed", speed=0)
    site.until(run, "finished")


def test_reset_goes_back_to_genesis_and_keeps_what_was_lived(site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    before = digest(site.root / run)
    found = site.steer(run, "reset")
    assert (found["control"]["state"], found["control"]["round"]) == ("paused", 0)
    assert digest(site.root / "one-before-1") == before
    site.steer(run, "play")
    site.until(run, "finished")
    assert digest(site.root / run) == before, "the same people, the same dice"


def test_a_finished_run_is_not_played_on_unless_it_shall_go_further(site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    status, found = site.post(f"/runs/{run}/control", {"do": "play"})
    assert (status, "last round" in found["error"]) == (409, True)
    site.steer(run, "play", rounds=5)
    assert site.until(run, "finished")["round"] == 5
    status, found = site.post(f"/runs/{run}/control", {"do": "pause"})
    assert status == 409, "there is nothing to pause"


def test_a_run_of_a_terminal_is_followed_and_not_touched(site: Site, lived: Path) -> None:
    folder = site.root / "theirs"
    start(parse(SMALL.replace("rounds = 4", "rounds = 1")), 1, folder)
    with Log.open(folder, write=True) as held:
        held.set_state("running")
        assert site.ok("/runs/theirs")["state"] == "elsewhere"
        for body in ({"do": "play"}, {"do": "reset"}, {"do": "pause"}):
            assert site.post("/runs/theirs/control", body)[0] == 409
    assert site.ok("/runs/theirs")["state"] == "stopped", "its writer is gone"


def test_a_run_that_breaks_off_says_why(site: Site, tmp_path: Path) -> None:
    plugin = tmp_path / "broken.py"
    plugin.write_text(
        "class Broken:\n    def fit(self, interactions, rng):\n"
        "        if len(interactions) > 600:\n"
        "            raise ValueError('I am <b>broken</b>')\n"
        "        from audience.recommenders import Popular\n"
        "        return Popular().fit(interactions, rng)\n"
    )
    run = site.begin(toml=f"agents = 60\nrounds = 9\nrecommender = '{plugin}:Broken'\n")
    found = site.until(run, "failed")
    assert "I am <b>broken</b>" in found["control"]["error"]
    assert site.ok("/runs")[0]["state"] == "failed"


def test_an_experiment_is_run_arm_by_arm(site: Site) -> None:
    arms = "[arms.popular]\nrecommender = 'popular'\n[arms.random]\nrecommender = 'random'\n"
    first = site.begin(toml=f"agents = 30\nrounds = 2\nseeds = 2\n{arms}", name="both")
    assert first == "both~popular~seed-1"
    ids = site.when(
        lambda: [one["id"] for one in site.ok("/runs") if one["state"] == "finished"],
        lambda found: len(found) == 4,
    )
    assert ids == [f"both~{arm}~seed-{seed}" for arm in ("popular", "random") for seed in (1, 2)]
    found = site.ok(f"/compare?a={ids[0]}&b={ids[2]}")
    assert found["rounds"] == 2


def test_what_cannot_be_run_is_told_and_leaves_nothing(site: Site) -> None:
    for toml in ("agents = 0", "mind = 'none such'", "agents = ", "agents = 5\nrounds = 2\nx = 1"):
        status, found = site.post("/runs", {"toml": toml})
        assert status == 400
        assert found["error"]
    assert site.post("/runs", {})[0] == 400
    assert site.post("/runs", {"toml": SMALL, "name": "../x"})[0] == 400
    assert site.post("/runs", {"toml": SMALL, "nam": "x"})[0] == 422
    assert list(site.root.iterdir()) == []


def test_the_server_stops_its_runs_at_a_commit_point(sites: Sites) -> None:
    site = sites()
    run = site.begin(paused=True, toml=SMALL.replace("rounds = 4", "rounds = 400"))
    site.steer(run, "play", speed=50)
    site.when(lambda: site.ok(f"/runs/{run}"), lambda one: one["n"] > 5)
    site.stop()
    with Log.open(site.root / run) as log:
        assert log.state == "stopped"
        assert not log.verify()
    again = sites()
    found = again.ok(f"/runs/{run}")
    assert (found["state"], found["n"] > 5) == ("stopped", True)
    again.steer(run, "step_round")
    again.when(lambda: again.ok(f"/runs/{run}"), lambda one: one["round"] > found["round"])
    again.stop()
    resume(site.root / run, upto=found["round"] + 2)


def test_a_run_that_is_stopped_keeps_its_speed_and_says_which_round_is_open(site: Site) -> None:
    run = site.begin(paused=True)
    site.steer(run, "speed", speed=25)
    site.steer(run, "step_visit")
    site.when(lambda: site.ok(f"/runs/{run}"), partial(arrived, 1))
    site.steer(run, "stop")
    control = site.ok(f"/runs/{run}")["control"]
    assert (control["state"], control["speed"], control["round"]) == ("stopped", 25, 1)
    site.steer(run, "step_visit")
    assert site.ok(f"/runs/{run}")["control"]["speed"] == 25


def test_what_everybody_did_last_is_told_as_the_page_folds_it(site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    told = site.ok(f"/runs/{run}/activity")
    assert told["round"] == 4
    with Log.open(site.root / run) as log:
        chapters = list(log.chapters(begin_round=4, end_round=5))
    came = {one.agent for one in chapters if one.phase == e.VISITS}
    talked = {
        who
        for one in chapters
        if one.phase == e.CONVERSATIONS
        for entry in one.entries
        if isinstance(entry.event, e.Said)
        for who in (entry.event.agent, entry.event.to)
    }
    doing = dict(told["activity"])
    busy = set(doing)
    assert busy == came | talked
    assert {who for who, what in doing.items() if what == 3} >= talked
    assert 0 < len(busy) < 40
