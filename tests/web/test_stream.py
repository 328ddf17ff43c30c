"""One stream per page: complete, in order, and never in the way of the run."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import pytest
from tests.web.conftest import SMALL, Site, Sites

from audience.log import Log
from audience.runs import start
from audience.scenario import parse
from audience.web import log_reader, stream as feed
from audience.world import CLOSING, Chapter, Entry

LONG = SMALL.replace("rounds = 4", "rounds = 400")


def last_of(folder: Path) -> int:
    with Log.open(folder) as log:
        return int(log.query("SELECT max(seq) FROM chapters")[0][0])


def test_a_stream_tells_all_that_is_in_the_log(sites: Sites, lived: Path) -> None:
    site = sites(lived)
    last = last_of(lived / "done")
    numbers: list[int] = []
    measured: list[int] = []
    with site.stream("/runs/done/stream") as stream, Log.open(lived / "done") as log:
        assert stream.answer.headers["content-type"].startswith("text/event-stream")
        kept = dict(log.follow(0))
        while not measured or measured[-1] < 4:
            kind, number, value = stream.next()
            if kind == "metrics":
                measured.append(value["round"])
                assert value["values"]["visits"] > 0
            elif kind == "chapter":
                assert number == value["n"]
                numbers.append(value.pop("n"))
                entries = msgspec.convert(value.pop("entries"), tuple[Entry, ...])
                assert Chapter(**value, entries=entries) == kept[numbers[-1]]
    assert numbers == list(range(1, last + 1))
    assert measured == [1, 2, 3, 4], "after each closing chapter"
    assert kept[last].phase == CLOSING


def test_a_page_sees_a_run_as_it_goes_on(site: Site) -> None:
    run = site.begin(paused=True)
    with site.stream(f"/runs/{run}/stream") as stream:
        assert stream.next("state")[2]["control"]["state"] == "paused"
        site.steer(run, "step_visit")
        assert stream.upto(2) == [1, 2]
        site.steer(run, "play")
        measured: list[int] = []
        last: dict[str, Any] = {}
        while not last or last["control"]["state"] != "finished" or len(measured) < 4:
            kind, _, value = stream.next("state", "metrics")
            if kind == "state":
                last = value
            else:
                measured.append(value["round"])
        assert measured == [1, 2, 3, 4]
        panel = last["panel"]
        assert (panel["people"], panel["chats"] >= 0) == (40, True)
        assert panel["most_popular"][0]["count"] >= panel["most_popular"][-1]["count"] > 0


def test_the_panel_moves_within_a_round_here_and_elsewhere(site: Site) -> None:
    everybody = "[activation]\nmethod = 'random'\nshare = 1.0\n"
    run = site.begin(paused=True, toml=SMALL + everybody)
    counts = [0]
    with site.stream(f"/runs/{run}/stream") as stream:
        for visits in range(1, 9):
            site.steer(run, "step_visit")
            counts.append(_panel_after(site, run, visits)["interactions"])
        while stream.next("state")[2]["panel"]["interactions"] < counts[-1]:
            pass  # the page is told as much
    assert counts == sorted(counts)
    assert len(set(counts)) > 2
    assert site.ok(f"/runs/{run}")["round"] == 0, "all in the first round"
    live = site.ok(f"/runs/{run}")["panel"]
    site.steer(run, "stop")
    lying = site.ok(f"/runs/{run}")["panel"]
    assert {**lying, "here_now": live["here_now"]} == live


def _panel_after(site: Site, run: str, visits: int) -> Any:
    """Return the panel once so many visits of the round are done."""
    found = site.when(
        lambda: site.ok(f"/runs/{run}"), lambda one: one["control"]["visits_done"] == visits
    )
    return found["panel"]


def test_coming_back_loses_and_doubles_nothing(site: Site) -> None:
    run = site.begin(paused=True)
    site.steer(run, "play", speed=60)
    numbers: list[int] = []
    while len(numbers) < 60:
        after = numbers[-1] if numbers else 0
        headers = {"last_event_id": str(after)} if len(numbers) % 2 else {}
        query = "" if headers else f"?after={after}"
        with site.stream(f"/runs/{run}/stream{query}", **headers) as stream:
            numbers += stream.upto(after + 7)
    assert numbers == list(range(1, len(numbers) + 1))


def test_coming_back_after_the_server_was_restarted(sites: Sites) -> None:
    site = sites()
    run = site.begin(paused=True)
    site.steer(run, "step_round")
    with site.stream(f"/runs/{run}/stream") as stream:
        numbers = stream.upto(9)
        site.stop()
        with pytest.raises((EOFError, aiohttp.ClientError)):
            stream.upto(10_000)
    again = sites()
    again.steer(run, "play")
    again.until(run, "finished")
    last = last_of(again.root / run)
    with again.stream(f"/runs/{run}/stream?after={numbers[-1]}") as stream:
        numbers += stream.upto(last)
    assert numbers == list(range(1, last + 1))


def test_a_run_of_a_terminal_is_followed_live(site: Site) -> None:
    folder = site.root / "theirs"
    start(parse(SMALL.replace("rounds = 4", "rounds = 1")), 1, folder)
    last = last_of(folder)
    with site.stream(f"/runs/theirs/stream?after={last}") as stream:
        assert stream.next("state")[2]["control"]["state"] == "finished"
        with Log.open(folder, write=True) as log:
            log.set_state("running")
            log.append(Chapter(2, 0, 0, -1, ()))
            log.commit()
            state = ""
            chapters: list[tuple[int | None, int, list[Any]]] = []
            while state != "elsewhere" or not chapters:
                kind, number, value = stream.next("chapter", "state")
                if kind == "state":
                    state = value["control"]["state"]
                else:
                    chapters.append((number, value["round"], value["entries"]))
            assert chapters == [(last + 1, 2, [])]
        while state != "stopped":  # its writer is gone
            state = stream.next("state")[2]["control"]["state"]


def test_a_reset_begins_anew_for_those_who_look(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "QUIET", 1e9)  # it is news, and not only a sign of life
    run = site.begin()
    site.until(run, "finished")
    last = last_of(site.root / run)
    with site.stream(f"/runs/{run}/stream?after={last}") as stream:
        stream.next("state")
        site.steer(run, "reset")
        assert stream.next("reset")[2] == {"after": 0, "again": True}
        site.steer(run, "step_round")
        assert stream.upto(5) == [1, 2, 3, 4, 5]
    with site.stream(f"/runs/{run}/stream?after={last}") as stream:
        assert stream.next("reset")[2]["again"], "its numbers are of another life"


def test_who_is_far_behind_is_told_to_begin_anew(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    playing, leap = threading.Event(), feed.Feed._leap

    def late(one: feed.Feed) -> None:
        """Look only when the run is far ahead, whoever of the two is faster here."""
        reader = one._reader
        while playing.is_set() and reader and reader.newest() - one.last <= 50:
            time.sleep(0.01)
        playing.clear()
        leap(one)

    monkeypatch.setattr(feed.Feed, "_leap", late)
    monkeypatch.setattr(feed, "BEHIND", 50)
    monkeypatch.setattr(log_reader, "BODY", 2_000)
    run = site.begin(paused=True, toml=LONG)
    with site.stream(f"/runs/{run}/stream") as stream:
        stream.next("state")
        playing.set()
        site.steer(run, "play")
        value = stream.next("reset")[2]
        assert not value["again"]
        after = stream.next("chapter")[1]
        assert after is not None
        assert after > value["after"], "it goes on from there"
    site.steer(run, "stop")


def test_a_feed_that_leaps_shows_the_newest(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "BEHIND", 50)
    run = site.begin()
    site.until(run, "finished")
    folder = site.root / run
    newest = last_of(folder)
    assert newest > 50
    one = feed.Feed(site.registry, folder, lambda: False)
    one._open()
    one.last = 0
    assert one._look()
    assert (one.kept[-1].after, one.last) == (newest - feed.FRESH, newest)
    one.close()


def test_a_dead_browser_never_stops_a_run(site: Site) -> None:
    run = site.begin(paused=True, toml=LONG)
    with ExitStack() as open_:
        for _ in range(3):  # they ask, and never read
            one = open_.enter_context(socket.create_connection(("127.0.0.1", site.port)))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            host = f"Host: 127.0.0.1:{site.port}"
            one.sendall(f"GET /api/runs/{run}/stream HTTP/1.1\r\n{host}\r\n\r\n".encode())
        site.steer(run, "play")
        site.when(lambda: site.ok(f"/runs/{run}"), lambda found: found["round"] > 20)
        with site.stream(f"/runs/{run}/stream?after=0") as stream:
            assert stream.upto(30)[-1] == 30, "others are served as ever"
    site.steer(run, "stop")


def test_fifty_pages_see_the_same(site: Site) -> None:
    run = site.begin(paused=True)
    with ExitStack() as open_:
        pages = [open_.enter_context(site.stream(f"/runs/{run}/stream")) for _ in range(50)]
        site.steer(run, "play")
        site.until(run, "finished")
        last = last_of(site.root / run)
        for page in pages:
            assert page.upto(last) == list(range(1, last + 1))


def test_pages_that_go_leave_nothing_behind(site: Site) -> None:
    run = site.begin(paused=True)
    for _ in range(3):
        with ExitStack() as open_:
            pages = [open_.enter_context(site.stream(f"/runs/{run}/stream")) for _ in range(5)]
            for page in pages:
                page.next("state")
    site.when(lambda: site.ok("/session")["streams"], lambda left: left == 0)
