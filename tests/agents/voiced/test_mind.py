"""Rule minds whose words a model finds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from audience.llm import CallStore, embedded
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults
from audience.log import Log
from audience.runs import Finished, start
from audience.scenario import SpendingOptions, parse
from audience.world import Chapter, events as e

Serving = Callable[..., AbstractContextManager[Fake]]
ITEMS = "id,title,about,tags\n" + "".join(
    f"{n},Harbour {n},A harbour pilot finds a map on his boat.,{tag}\n"
    for n, tag in enumerate(["Drama", "Mystery", "Comedy"] * 10)
)
SCENARIO = """
agents = {agents}
rounds = {rounds}
[dataset]
kind = "folder"
path = "{path}"
past = "watched"
[mind]
kind = "{mind}"
talkative = 0.9
[activation]
method = "random"
share = 1.0
[llm]
{llm}
[run]
deadline = {deadline}
"""


@pytest.fixture
def live(tmp_path: Path) -> Callable[..., Finished]:
    (tmp_path / "harbours").mkdir()
    (tmp_path / "harbours" / "items.csv").write_text(ITEMS)

    def run(folder: str, mind: str = "voiced", url: str = "", **more: Any) -> Finished:
        spending = more.pop("spending", None)
        llm = f'url = "{url}"\nprice = "free"' if url else ""
        known = {"agents": 10, "rounds": 2, "deadline": 240, "path": tmp_path / "harbours"}
        text = SCENARIO.format(mind=mind, llm=llm, **{**known, **more})
        return start(parse(text), 3, tmp_path / folder, spending=spending)

    return run


Live = Callable[..., Finished]


def wordless(event: e.AnyEvent) -> e.AnyEvent:
    empty = {name: "" for name in ("text", "voice") if name in event.__struct_fields__}
    return msgspec.structs.replace(event, **empty)


def decided(folder: Path) -> list[tuple[int, int, int, int, list[e.AnyEvent]]]:
    """Return a run without its words and its calls."""
    with Log.open(folder) as log:
        return [_bare(chapter) for chapter in log.chapters()]


def _bare(one: Chapter) -> tuple[int, int, int, int, list[e.AnyEvent]]:
    events = [wordless(entry.event) for entry in one.entries]
    return one.round, one.phase, one.rank, one.agent, events


def spoken(folder: Path) -> list[e.Felt | e.Posted | e.Said]:
    with Log.open(folder) as log:
        found = [record.event for record in log.records()]
    return [one for one in found if isinstance(one, e.Felt | e.Posted | e.Said)]


def test_a_voice_decides_nothing(live: Live, serving: Serving, tmp_path: Path) -> None:
    live("rule", mind="rule", agents=30, rounds=3)
    with serving() as fake:
        live("voiced", url=fake.url, agents=30, rounds=3)
    assert decided(tmp_path / "voiced") == decided(tmp_path / "rule")
    assert len(spoken(tmp_path / "voiced")) > 40


def test_rubbish_is_replaced_by_the_template_and_counted(
    live: Live, serving: Serving, tmp_path: Path
) -> None:
    live("rule", mind="rule")
    with serving(says={"": "As a language model, I {cannot} say <Harbour 99>."}) as fake:
        done = live("voiced", url=fake.url)
    mine, theirs = spoken(tmp_path / "voiced"), spoken(tmp_path / "rule")
    assert len(mine) > 5
    assert [one.text for one in mine] == [one.text for one in theirs]
    assert {one.voice for one in mine} == {"template"}
    assert {one.voice for one in theirs} == {""}
    assert done.measured.totals["spoken_template"] == len(mine)
    assert done.measured.totals["spoken_model"] == 0
    assert done.spent.calls == fake.requests > 0


def test_good_lines_are_said_and_counted_beside_the_templates(
    live: Live, serving: Serving, tmp_path: Path
) -> None:
    with serving(says={"": "the harbour pilot finds a map on his boat."}) as fake:
        done = live("voiced", url=fake.url, agents=20)
    said = spoken(tmp_path / "voiced")
    good = [one for one in said if one.voice == "model"]
    assert 0 < len(good) < len(said)
    assert all(one.text.endswith("the harbour pilot finds a map on his boat.") for one in good)
    assert all("<Harbour " in one.text for one in good)
    totals = done.measured.totals
    assert totals["spoken_model"] == len(good)
    assert totals["spoken_template"] == len(said) - len(good)


def test_a_server_that_fails_costs_words_and_no_visit(
    live: Live, serving: Serving, tmp_path: Path
) -> None:
    live("rule", mind="rule")
    with serving(faults=Faults({"refusal": 0.9, "broken": 0.1})) as fake:
        done = live("voiced", url=fake.url)
    assert decided(tmp_path / "voiced") == decided(tmp_path / "rule")
    assert done.measured.totals["failed"] == 0
    assert done.spent.failed > 0.5 * done.spent.calls > 0


def test_stored_words_are_said_again_also_after_a_timeout(
    live: Live, serving: Serving, tmp_path: Path
) -> None:
    with serving(faults=Faults({"hang": 0.2})) as fake:
        done = live("voiced", url=fake.url, deadline=0.5)
    assert done.measured.totals["failed"] > 0
    stored = SpendingOptions("stored", source=tmp_path / "voiced")
    again = live("again", url="http://127.0.0.1:9", deadline=0.5, spending=stored)
    assert again.measured.digest == done.measured.digest


@pytest.mark.slow
@pytest.mark.skipif(bool(embedded.missing()), reason=embedded.missing() or "it is here")
def test_the_embedded_model_speaks(live: Live, tmp_path: Path) -> None:
    live("rule", mind="rule", agents=2, rounds=1)
    done = live("voiced", agents=2, rounds=1)
    assert decided(tmp_path / "voiced") == decided(tmp_path / "rule")
    said = spoken(tmp_path / "voiced")
    assert {one.voice for one in said} <= {"model", "template"}
    assert done.spent.calls > 0
    # Whether its words are good enough to be said is its own affair.
    with closing(CallStore(tmp_path / "voiced" / "calls.db", read_only=True)) as calls:
        assert any(call.reply.text.strip() for call in calls.calls())
    assert done.summary["cost"] == 0
