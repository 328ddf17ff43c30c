from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest
from tests.runs.two_nodes import LIVES, MEMORIES, SCENARIO

from audience.errors import BadInput
from audience.lab.evaluation import evaluate, memory_values
from audience.runs import conduct, pool_for, variants
from audience.runs.jobs import finished_of, run_task
from audience.runs.ray_pool import Sent, pack, perform_there, unpack
from audience.scenario import parse

OWN = version("audience")
ROOT = Path(__file__).parents[2]
ALONE = ("unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child")
"""A network of its own, with loopback alone, and processes that end with the first of them."""


def why_not() -> str:
    """Return why no cluster can be started here; empty if it can."""
    if not find_spec("ray"):
        return "Ray is not installed"
    try:
        tried = subprocess.run(
            [*ALONE, "ip", "link", "set", "lo", "up"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        return f"no network namespaces here: {error}"
    return f"no network namespaces here: {tried.stderr.strip()}" if tried.returncode else ""


@pytest.mark.slow
def test_two_nodes_lose_a_process_and_then_a_node_and_no_run(tmp_path: Path) -> None:
    if why := why_not():
        pytest.skip(why)
    inside = 'ip link set lo up && exec "$0" -m tests.runs.two_nodes "$1"'
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
    assert found["size"] == 2
    here = conduct(parse(SCENARIO), tmp_path / "here")
    digests = [run.measured.digest for run in here.finished]
    places = [
        str(Path(run.measured.folder).relative_to(tmp_path / "here")) for run in here.finished
    ]
    assert found["digests"] == dict(zip(places, digests, strict=True))
    began = found["began"]
    assert began.count("ease/seed-1") >= 2, "its process was killed"
    (lost,) = found["lost"]
    assert began.count(lost) == 2, "its node was killed"
    assert all(began.count(place) == 1 for place in found["before"]), "what was finished stays"
    assert found["again"] == digests
    assert found["kept"], "only the missing run was run again"
    assert max(found["lent"]) in (20, 10), "half of 40 calls for each core there is"
    assert min(found["lent"]) < max(found["lent"]), "what one was lent, another one is not"
    assert found["evaluated"] == memory_values(evaluate(MEMORIES, **LIVES))
    assert "127.0.0.1:6 cannot be reached" in found["unreachable"]


def test_what_a_node_does_is_the_run_of_this_process(tmp_path: Path) -> None:
    scenario = parse("agents = 20\nrounds = 2\nrecommender = 'popular'\n")
    task = run_task("popular, seed 4", scenario, 4, tmp_path / "there", "popular/seed-4")
    sent = msgspec.msgpack.decode(perform_there(msgspec.json.encode(task), b"", OWN), type=Sent)
    assert sent.fault is None
    assert not (tmp_path / "there").exists(), "nothing is written but by the driver"
    unpack(sent.folders, tmp_path / "there")
    done = finished_of(sent.result, Path(task.root) / task.places[0])
    assert done.measured.folder == str(tmp_path / "there" / "popular" / "seed-4")
    assert (tmp_path / "there" / "popular" / "seed-4" / "run.db").is_file()


def test_a_node_tells_what_went_wrong(tmp_path: Path) -> None:
    bad = parse("agents = 20\nrounds = 2\nrecommender = '/nowhere/mine.py:Mine'\n")
    task = run_task("mine, seed 1", bad, 1, tmp_path, "mine/seed-1")
    body = msgspec.json.encode(task)
    sent = msgspec.msgpack.decode(perform_there(body, b"", OWN), type=Sent)
    assert sent.fault is not None
    assert "/nowhere/mine.py" in sent.fault["error"]
    other = msgspec.msgpack.decode(perform_there(body, b"", "9.9"), type=Sent)
    assert other.fault is not None
    assert f"this node has audience {OWN} and the driver 9.9" in other.fault["error"]


def test_folders_travel_whole_and_replace_what_was_there(tmp_path: Path) -> None:
    there = tmp_path / "there" / "a" / "seed-1"
    there.mkdir(parents=True)
    (there / "run.db").write_bytes(b"new")
    (there / "lock").write_bytes(b"held")
    body = pack(tmp_path / "there", ["a/seed-1", "b/seed-1"])
    here = tmp_path / "here" / "a" / "seed-1"
    here.mkdir(parents=True)
    (here / "old").touch()
    unpack(body, tmp_path / "here")
    assert [path.name for path in here.iterdir()] == ["run.db"]
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["a"]
    unpack(pack(tmp_path, ["nothing"]), tmp_path / "here")


def test_addresses_are_checked_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    arms = list(variants(parse(SCENARIO)).values())
    if find_spec("ray"):
        with pytest.raises(BadInput, match="give HOST:PORT of its head node, or `local`"):
            pool_for(arms, cluster="somewhere")
        with pytest.raises(BadInput, match=r"127.0.0.1:6 cannot be reached .*ray start --head"):
            pool_for(arms, cluster="127.0.0.1:6")
    monkeypatch.setattr("audience.runs.ray_pool.find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"Ray is not installed; .*audience\[ray\]"):
        pool_for(arms, cluster="local")
