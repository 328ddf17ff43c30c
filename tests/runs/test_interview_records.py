"""Interviews and chats beside a run: what was written outlives whatever ends it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from audience.agents.language import Answer, ChatLine
from audience.errors import BadInput, Unusable
from audience.log import Log
from audience.runs import (
    ChatHead,
    Closed,
    Respondents,
    begin_chat,
    chats_in,
    close_interview,
    hold_interview,
    interviews_in,
    keep_line,
    open_interview,
    options_of,
    read_chat,
    read_interview,
    respondents_in,
    start,
    tabulated,
)
from audience.scenario import parse


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records") / "run"
    start(parse("agents = 20\nrounds = 8\n"), 1, folder)
    return folder


def test_an_interview_whose_process_was_ended_is_read_as_far_as_it_came(run: Path) -> None:
    record = open_interview(run, Respondents((3, 1)), "Well?", 8, ["yes", "no"])
    hold_interview(run, record)
    path = run / "interviews" / f"{record.id}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    path.write_bytes(b"".join(lines[:2]) + lines[2][:20])
    found = read_interview(run, record.id)
    assert found is not None
    assert (len(found.answers), found.closed, found.asked.agents) == (1, None, (3, 1))
    close_interview(run, record.id, Closed(cancelled=True))
    again = read_interview(run, record.id)
    assert again is not None
    assert again.closed == Closed(cancelled=True)
    path.write_bytes(b"not JSON\n")
    with pytest.raises(Unusable, match="move it elsewhere"):
        read_interview(run, record.id)
    path.unlink()


def test_what_fails_says_so_in_its_record(run: Path) -> None:
    record = open_interview(run, Respondents((3,)), "Well?", 8)
    with pytest.raises(BadInput, match="does not exist"):
        hold_interview(run, replace(record, asked=replace(record.asked, agents=(99,))))
    found = next(interviews_in(run))
    assert found.closed is not None
    assert "does not exist" in found.closed.error


def test_a_chat_is_kept_line_by_line(run: Path) -> None:
    first = begin_chat(run, ChatHead(3, "Mia", 8))
    second = begin_chat(run, ChatHead(4, "Bo", 8))
    assert [chat.id for chat in chats_in(run)] == [second, first]
    keep_line(run, first, ChatLine(False, "Hello?"))
    keep_line(run, first, ChatLine(True, "Hi."))
    chat = read_chat(run, first)
    assert chat is not None
    assert [line.text for line in chat.lines] == ["Hello?", "Hi."]
    assert read_chat(run, "99") is None


def test_who_stays_away_came_before(run: Path) -> None:
    with Log.open(run) as log:
        absent = respondents_in(log, Respondents(absent=True), 8)
        everybody = respondents_in(log, Respondents(), 8)
        assert set(absent) < set(everybody)
        drawn = respondents_in(log, Respondents(sample=5, seed=2), 8)
        assert drawn == respondents_in(log, Respondents(sample=5, seed=2), 8)
        assert len(drawn) == 5
        with pytest.raises(BadInput, match="selects nobody"):
            respondents_in(log, Respondents(segment={"interest": "Tax law"}), 8)


@pytest.mark.parametrize(
    ("given", "options"),
    [([], ()), (["1-5"], ("1", "2", "3", "4", "5")), ([" yes ", "not  sure"], ("yes", "not sure"))],
)
def test_options_are_words_or_a_scale(given: list[str], options: tuple[str, ...]) -> None:
    assert options_of(given) == options


def test_shares_are_of_those_who_chose() -> None:
    answers = [
        Answer(0, "A", "x", choice="yes"),
        Answer(1, "B", "x", choice="yes"),
        Answer(2, "C", "x", choice="no"),
        Answer(3, "D", "", failure="refusal"),
    ]
    table = tabulated(answers, ("yes", "no"), {0: [("gender", "F")], 1: [("gender", "F")]})
    assert (table.all.asked, table.all.answered) == (4, 3)
    assert [row.share for row in table.all.options] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    (women,) = table.segments
    assert (women.by, women.name, women.answered) == ("gender", "F", 2)
    assert [row.count for row in women.options] == [2, 0]
    assert table.all.mean is None
    nobody = tabulated(answers[3:], ("1", "2"), {})
    assert [row.share for row in nobody.all.options] == [None, None]
    assert nobody.all.mean is None
