"""A run in which somebody played is lived again to the same bytes, and branched like any other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.runs.test_takeover import Terminal

from audience.engine import Control
from audience.errors import BadInput, Interrupted
from audience.log import Log
from audience.runs import Watch, branch, play_person, prolong, resume, start
from audience.runs.play import PlayTable, Seat
from audience.runs.play.session import Question
from audience.scenario import PAGE, Played, SpendingOptions, parse, seated, with_round
from audience.world import events as e

SMALL = parse("agents = 12\nrounds = 3\n[activation]\nmethod = 'random'\nshare = 0.3\n")
ME = 4
Wish = Callable[[Question], dict[str, object] | None]


def busy(question: Question) -> dict[str, object] | None:
    """Pick what stands first on the first page, talk a little, and leave."""
    seen = question.seen
    if seen["surface"] == "home":
        return {"type": "Enter", "surface": "recommender"}
    if seen["surface"] == "conversation":
        friend = seen["friends"][0]["id"]
        said = any(line["agent"] == seen["me"]["id"] for line in seen["lines"])
        return {"type": "Leave"} if said else {"type": "Say", "to": friend, "text": "Well!"}
    if seen["slate"] and not seen["taken"]:
        return {"type": "Pick", "item": seen["slate"][0]["item"], "fraction": 0.5}
    return {"type": "Leave", "satisfaction": 0.75}


@contextmanager
def moving(seat: Seat, wish: Wish = busy) -> Iterator[None]:
    """Somebody at a seat, who answers whatever is asked."""
    over = threading.Event()
    done = -1

    def answer() -> None:
        nonlocal done
        while not over.wait(0.002):
            question = seat.question
            if question and question.number != done and (move := wish(question)):
                done = question.number
                try:
                    seat.move(move, question.number)
                except BadInput:  # it was over meanwhile
                    continue

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def begun(folder: Path) -> Path:
    """A run that has not opened its first round."""
    watch = Watch(Control())
    watch.control.stop()
    with pytest.raises(Interrupted):
        start(SMALL, 1, folder, watch=watch)
    return folder


def again(folder: Path, target: Path) -> str:
    """Live a run again from its scenario, its calls and its moves; return its digest."""
    with Log.open(folder) as log:
        scenario, seed = parse(log.scenario), log.seed
    spending = SpendingOptions("stored", source=folder)
    return start(scenario, seed, target, spending=spending).measured.digest


def picks(folder: Path, agent: int) -> list[int]:
    with Log.open(folder) as log:
        found = [one.event for one in log.records()]
    return [one.item for one in found if isinstance(one, e.Picked) and one.agent == agent]


def test_rounds_played_on_a_page_are_lived_again(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    watch = Watch(Control(paused=True))
    table = PlayTable(folder)
    mine, absent = Seat("a", ME, "Me", None), Seat("b", 7, "Nobody", 0.02)
    table.seats |= {"a": mine, "b": absent}
    for seat in (mine, absent):
        watch.control.seat(seat.agent, table.make(seat))

    def leave(chapter: e.Chapter, _: object) -> None:
        if (chapter.round, chapter.phase) == (2, e.CLOSING):
            watch.control.unseat(ME)
            mine.leave()

    watch.control.listen(leave)
    watch.control.play()
    with moving(mine):
        done = resume(folder, watch=watch)
    table.close()
    assert len(picks(folder, ME)) >= 2, "it came in both rounds"
    with Log.open(folder) as log:
        assert parse(log.scenario).played == (Played(ME, 1, 2, PAGE), Played(7, 1, 3, PAGE))
    assert again(folder, tmp_path / "again") == done.measured.digest
    alone = start(SMALL, 1, tmp_path / "alone")
    assert alone.measured.digest != done.measured.digest
    branch(folder, tmp_path / "branch", 1)
    assert resume(tmp_path / "branch").measured.digest == done.measured.digest


def test_a_visit_that_broke_off_goes_on_with_the_moves_that_were_made(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run")
    watch = Watch(Control())
    table = PlayTable(folder)
    seat = table.seats["a"] = Seat("a", ME, "Me", None)
    watch.control.seat(ME, table.make(seat))

    def hesitant(question: Question) -> dict[str, object] | None:
        if question.seen["taken"]:  # one move is made, the visit is not over
            watch.control.stop()
            table.let_go()
            return None
        return busy(question)

    with moving(seat, hesitant), pytest.raises(Interrupted):
        resume(folder, watch=watch)
    table.close()
    assert picks(folder, ME) == []
    done = resume(folder)
    assert picks(folder, ME), "what was picked on the page before it broke off"
    assert again(folder, tmp_path / "again") == done.measured.digest


def test_rounds_played_at_a_terminal_are_lived_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    start(SMALL, 1, folder)
    lines = ["hm", "r", "1", "", "4", "Fine.", "l", "8", *["", "n"] * 20]
    terminal = Terminal(lines)
    play_person(folder, ME, terminal, rounds=2)
    assert terminal.shown
    prolong(folder, 6)
    done = resume(folder)
    assert again(folder, tmp_path / "again") == done.measured.digest
    with Log.open(folder) as log:
        assert parse(log.scenario).played == (Played(ME, 4, 5, "terminal"),)


def test_who_left_the_terminal_fails_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    start(SMALL, 1, folder)
    _, done = play_person(folder, ME, Terminal([]), rounds=1)
    with Log.open(folder) as log:
        failed = [one for one in log.records() if isinstance(one.event, e.Failed)]
    assert failed
    assert again(folder, tmp_path / "again") == done.measured.digest


def test_a_terminal_that_was_interrupted_leaves_the_rest_to_the_person_s_own_mind(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "run"
    start(SMALL, 1, folder)

    typed = ["r"]

    def terminal(words: str) -> str | None:
        if typed:
            return typed.pop()
        raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, Interrupted)):
        play_person(folder, ME, terminal, rounds=1)
    done = resume(folder)
    assert done.rounds == 4
    assert again(folder, tmp_path / "again") == done.measured.digest


def test_rounds_are_joined_where_they_follow_each_other() -> None:
    played = with_round((), 1, {3, 5}, PAGE)
    played = with_round(played, 2, {3}, PAGE)
    played = with_round(played, 2, {3}, PAGE)
    played = with_round(played, 4, {3}, PAGE)
    assert played == (Played(3, 1, 2, PAGE), Played(5, 1, 1, PAGE), Played(3, 4, 4, PAGE))
    assert [sorted(seated(played, one)) for one in (1, 2, 3, 4)] == [[3, 5], [3], [], [3]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("agent = 1\nfirst = 2\nlast = 1\nway = 'page'", "not after the last"),
        ("agent = -1\nfirst = 1\nlast = 1\nway = 'page'", "give an id"),
        ("agent = 1\nfirst = 1\nlast = 1\nway = 'pag'", "did you mean 'page'"),
    ],
)
def test_what_cannot_have_been_played_is_told(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        parse(f"[[played]]\n{text}\n")
