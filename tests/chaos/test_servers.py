"""Whole runs of language minds with memories against a server that misbehaves every fifth time."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest
from tests.chaos.hostile import hostile
from tests.chaos.kinds import KINDS, ROOM, SLOW, Kind

from audience.errors import Interrupted
from audience.llm import FILE as CALLS, Call, CallStore
from audience.log import Log
from audience.runs import Finished, resume, start
from audience.scenario import Scenario, SpendingOptions, parse
from audience.world import MEMORY, VISITS, Chapter, events as e

SHARE = 0.2
QUICK = {name: kind for name, kind in KINDS.items() if name not in SLOW and name not in ROOM}
"""Kinds whose outcome depends on nothing but the request, however slow this machine is."""


@pytest.fixture(autouse=True)
def _quietly(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)


def scenario(url: str, agents: int, rounds: int, more: str = "") -> Scenario:
    return parse(
        f'agents = {agents}\nrounds = {rounds}\nrecommender = "popular"\nmind = "llm"\n'
        f'memory = "recagent"\n[llm]\nurl = "{url}"\nmodel = "hostile"\nprice = "free"\n'
        f'drop = ["response_format"]\n{more}'
    )


class Lived:
    """A finished run, its chapters and its calls."""

    def __init__(self, done: Finished) -> None:
        self.done = done
        self.folder = Path(done.measured.folder)
        with Log.open(self.folder) as log:
            self.chapters: list[Chapter] = [chapter for _, chapter in log.follow(0)]
        store = CallStore(self.folder / CALLS, read_only=True)
        self.calls: list[Call] = list(store.calls())
        store.close()
        self.last = {call.request.key: call for call in self.calls}

    @property
    def visits(self) -> list[Chapter]:
        return [chapter for chapter in self.chapters if chapter.phase == VISITS]

    def entries(self) -> Iterator[e.Entry]:
        for chapter in self.chapters:
            yield from chapter.entries


def lived(
    folder: Path,
    seed: int,
    *,
    share: float = SHARE,
    kinds: Mapping[str, Kind] = QUICK,
    agents: int = 30,
    rounds: int = 2,
    more: str = "",
) -> Lived:
    with hostile(share, kinds) as server:
        return Lived(start(scenario(server.url, agents, rounds, more), seed, folder))


def check_counts(run: Lived) -> None:
    """Everything that was asked is counted, by its outcome, in the summary and in the store."""
    spent, summary = run.done.spent, run.done.summary
    stored = Counter(call.reply.outcome for call in run.calls)
    assert spent.calls == len(run.calls) == sum(stored.values())
    assert spent.failures == {name: count for name, count in stored.items() if name != "reply"}
    assert summary["outcomes"] == dict(sorted(stored.items()))
    assert summary["calls"] == sum(stored.values())
    assert summary["failed_calls"] == sum(stored.values()) - stored["reply"]
    failed = [entry for entry in run.entries() if isinstance(entry.event, e.Failed)]
    assert run.done.measured.totals["failed"] <= len(failed), "those of memories apart"
    if stored["reply"] < sum(stored.values()):
        assert failed


def check_actions(run: Lived) -> None:
    """Nothing was done without a reply that says so, and no visit was lost."""
    for chapter in run.chapters:
        for entry in chapter.entries:
            # A memory that gets no reply consolidates by rule.
            if entry.calls and chapter.phase != MEMORY and not isinstance(entry.event, e.Failed):
                assert run.last[entry.calls[-1]].reply.outcome == "reply"
    for chapter in run.visits:
        events = [entry.event for entry in chapter.entries]
        assert isinstance(events[0], e.Woke)
        assert isinstance(events[-1], e.Left)
        if events[-1].why == "failed":
            assert any(isinstance(event, e.Failed) for event in events)


def check_replay(run: Lived, seed: int) -> None:
    """The calls in the store give the same bytes again, with nobody to ask."""
    with Log.open(run.folder) as log:
        recipe = parse(log.scenario)
    spending = SpendingOptions(calls="stored", source=run.folder)
    again = start(recipe, seed, run.folder.with_name("replayed"), spending=spending)
    assert again.measured.digest == run.done.measured.digest
    assert again.summary["failed"] == run.done.summary["failed"]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_survives_a_hostile_server(tmp_path: Path, seed: int) -> None:
    run = lived(tmp_path / "run", seed)
    check_counts(run)
    check_actions(run)
    check_replay(run, seed)
    clean = lived(tmp_path / "clean", seed, share=0.0)
    first = {chapter.agent for chapter in run.visits if chapter.round == 1}
    assert first == {chapter.agent for chapter in clean.visits if chapter.round == 1}
    assert not clean.done.spent.failed


class Stops:
    """Asks for a stop after so many questions."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def stopped(straight: Lived, seed: int, afters: tuple[int, ...]) -> Lived:
    """Return the same run, stopped some times, with a server that is as fresh after each."""
    folder = straight.folder.with_name("cut")
    with Log.open(straight.folder) as log:
        recipe = parse(log.scenario)
    port = int(recipe.llm.url.rpartition(":")[2].removesuffix("/v1"))
    for number, after in enumerate(afters):
        go = partial(resume, folder) if number else partial(start, recipe, seed, folder)
        with hostile(SHARE, QUICK, port=port), pytest.raises(Interrupted):
            go(stopping=Stops(after))
    with hostile(SHARE, QUICK, port=port):
        return Lived(resume(folder))


def test_a_stopped_run_resumes_to_the_digest_it_would_have_had(tmp_path: Path) -> None:
    straight = lived(tmp_path / "straight", 3)
    cut = stopped(straight, 3, (10, 25))
    assert cut.done.measured.digest == straight.done.measured.digest
    check_actions(cut)
    check_replay(cut, 3)


@pytest.mark.chaos
@pytest.mark.parametrize("seed", range(10, 18))
def test_many_runs_survive_a_hostile_server(tmp_path: Path, seed: int) -> None:
    run = lived(tmp_path / "run", seed, agents=80, rounds=3)
    check_counts(run)
    check_actions(run)
    check_replay(run, seed)


@pytest.mark.chaos
@pytest.mark.parametrize("seed", range(20, 26))
def test_runs_stopped_anywhere_resume_to_the_digest_they_would_have_had(
    tmp_path: Path, seed: int
) -> None:
    straight = lived(tmp_path / "straight", seed, agents=50, rounds=3)
    afters = tuple((seed * 7 + 5 * number) % 20 for number in range(3))
    cut = stopped(straight, seed, afters)
    assert cut.done.measured.digest == straight.done.measured.digest


@pytest.mark.chaos
@pytest.mark.parametrize("seed", range(30, 33))
def test_runs_survive_silence_too(tmp_path: Path, seed: int) -> None:
    run = lived(
        tmp_path / "run", seed, kinds=KINDS, agents=60, more="deadline = 5.0\noverall = 30.0\n"
    )
    check_counts(run)
    check_actions(run)
    check_replay(run, seed)


@pytest.mark.chaos
@pytest.mark.parametrize("share", [0.6, 0.9])
def test_a_run_ends_however_hostile_the_server_is(tmp_path: Path, share: float) -> None:
    run = lived(tmp_path / "run", 40, share=share, agents=40, more="overall = 10.0\n")
    check_counts(run)
    check_actions(run)
    check_replay(run, 40)
