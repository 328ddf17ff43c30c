from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from tests.runs.one_run_on_two_nodes import SCENARIO, SEED
from tests.runs.test_ray_pool import ALONE, ROOT, why_not

from audience.errors import BadInput
from audience.log import Log, world_at
from audience.runs import pool_for, start
from audience.runs.ray_crew import Departure, Member, Report, departure_of
from audience.scenario import parse


@pytest.mark.slow
def test_one_run_on_two_nodes_survives_its_actors_and_a_node_and_a_stop(tmp_path: Path) -> None:
    if why := why_not():
        pytest.skip(why)
    inside = 'ip link set lo up && exec "$0" -m tests.runs.one_run_on_two_nodes "$1"'
    done = subprocess.run(
        [*ALONE, "--mount-proc", "sh", "-c", inside, sys.executable, str(tmp_path / "there")],
        env={**os.environ, "PYTHONPATH": str(ROOT), "RAY_DISABLE_IMPORT_WARNING": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    alone = start(parse(SCENARIO), SEED, tmp_path / "here").measured.digest
    assert found["killed"] == alone
    assert found["left"] == [], "the actors and the node were killed"
    assert found["begun"][:3] == [0, 0, 1], "killed actors were replaced within round 2"
    assert 0 < found["partial"] < 1400, "it was stopped within a round"
    assert "stopped in round 3" in found["stopped"]
    assert found["resumed"] == alone
    assert "/nowhere/mine.py" in found["bad"]


def reply(sent: bytes) -> Report:
    return msgspec.msgpack.decode(sent, type=Report)


def test_an_actor_of_another_version_says_so_and_follows_nothing(tmp_path: Path) -> None:
    start(parse("agents = 20\nrounds = 2\n"), 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        base = departure_of(log, world_at(log, 2))
    member = Member()
    assert reply(member.begin(base)) == Report()
    told = msgspec.structs.replace(msgspec.msgpack.decode(base, type=Departure), audience="9.9")
    other = Member()
    error = reply(other.begin(msgspec.msgpack.encode(told))).error
    assert b"and the driver 9.9" in error
    other.follow(b"")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('mind = "llm"\n[llm]\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"', "ask a model"),
        ('[run]\norder = "one-by-one"', "follow each other"),
        ('time = "own"', "follow each other"),
        ('recommender = "http://127.0.0.1:9"', "a service is asked"),
    ],
)
def test_runs_that_a_cluster_cannot_share_are_refused(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=f"--cluster: .*{why}.*give arms or --seeds"):
        pool_for([parse(f"agents = 20\n{text}\n")], cluster="local")
