from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from audience.llm import CallStore, Reply, Usage

FILM = {"type": "object", "properties": {"film": {"enum": [1, 2]}}}


def reply(key: str, text: str = "fine", **fields: Any) -> Reply:
    fields = {"outcome": "reply", "texts": (text,), **fields}
    return Reply(key, **fields)


def test_what_is_kept_comes_back_whole(tmp_path: Path, wish: Any) -> None:
    request = wish(1, schema=FILM, options=("a", "ü"), stop=("\n",), candidates=2)
    said = reply(
        request.key,
        texts=("one", "zwei \U0001f3ac"),
        why="",
        model="m",
        endpoint="http://h/v1",
        usage=Usage(10, 5, 4, 3),
        seconds=1.5,
        attempts=3,
        scores=(-1.0, -2.5),
    )
    store = CallStore(tmp_path / "calls.db")
    store.add(request, said)
    store.close()
    again = CallStore(tmp_path / "calls.db", read_only=True)
    (call,) = again.of(request.key)
    assert call.request == request
    assert call.request.key == request.key
    assert call.reply == reply(
        **{name: getattr(said, name) for name in ("key", "texts", "model", "endpoint", "usage")},
        seconds=1.5,
        attempts=3,
        scores=(-1.0, -2.5),
        reused=True,
    )
    assert list(again.calls()) == [call]
    assert list(again.calls("another purpose")) == []
    again.close()


def test_the_last_take_counts_and_all_are_kept(tmp_path: Path, wish: Any) -> None:
    request = wish()
    store = CallStore(tmp_path / "calls.db")
    store.add(request, Reply(request.key, "timeout", why="slow"))
    assert store.find(request.key) is None
    failed = store.find(request.key, only_replies=False)
    assert failed is not None
    assert failed.outcome == "timeout"
    store.add(request, reply(request.key))
    store.add(request, reply(request.key, "second"), nth=2)
    found = [store.find(request.key, nth, only_replies=False) for nth in (1, 2, 3)]
    assert [one.text if one else None for one in found] == ["fine", "second", None]
    assert [(call.nth, call.take) for call in store.of(request.key)] == [(1, 1), (1, 2), (2, 1)]
    assert len(store) == 3
    store.close()


def test_ancestors_are_read_and_never_written(tmp_path: Path, wish: Any) -> None:
    for name, numbers in (("old", (1, 2)), ("middle", (2, 3))):
        store = CallStore(tmp_path / name / "calls.db")
        for number in numbers:
            store.add(wish(number), reply(wish(number).key, name))
        store.close()
    paths = [tmp_path / name / "calls.db" for name in ("middle", "old", "never-was")]
    before = [path.read_bytes() for path in paths[:2]]
    child = CallStore(tmp_path / "child" / "calls.db", paths)
    child.add(wish(1), reply(wish(1).key, "child"))
    found = [child.find(wish(number).key) for number in (1, 2, 3, 4)]
    assert [one.text if one else None for one in found] == ["child", "middle", "middle", None]
    assert len(child.of(wish(2).key)) == 2
    child.close()
    assert [path.read_bytes() for path in paths[:2]] == before


def test_a_reader_sees_what_was_flushed_while_the_writer_works(tmp_path: Path, wish: Any) -> None:
    writer = CallStore(tmp_path / "calls.db")
    reader = CallStore(tmp_path / "calls.db", read_only=True)
    writer.add(wish(1), reply(wish(1).key))
    assert reader.find(wish(1).key) is None
    writer.flush()
    assert reader.find(wish(1).key) is not None
    writer.add(wish(2), reply(wish(2).key))
    writer.flush()
    assert len(list(reader.calls())) == 2
    reader.close()
    writer.close()


def test_what_was_flushed_outlives_a_kill(tmp_path: Path, wish: Any) -> None:
    script = """
        import sys, time
        from pathlib import Path
        from audience.llm import CallStore, ChatMessage, Reply, Request
        store = CallStore(Path(sys.argv[1]))
        for number in range(10_000):
            request = Request("feeling", (ChatMessage("user", str(number)),))
            store.add(request, Reply(request.key, "reply", texts=(str(number),)))
            if number % 10 == 9:
                store.flush()
                print(number + 1, flush=True)
    """
    path = tmp_path / "calls.db"
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(path)],
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        told = [int(child.stdout.readline()) for _ in range(6)]
        child.send_signal(signal.SIGKILL)
        told += [int(line) for line in child.stdout.read().split()]
    store = CallStore(path)
    calls = list(store.calls())
    assert len(calls) >= told[-1]
    assert len(calls) % 10 == 0
    assert [call.reply.text for call in calls] == [str(number) for number in range(len(calls))]
    store.close()


def test_a_store_that_is_not_there_reads_as_empty(tmp_path: Path, wish: Any) -> None:
    store = CallStore(tmp_path / "calls.db", read_only=True)
    assert store.find(wish().key) is None
    assert len(store) == 0
    assert list(store.calls()) == []
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_many_calls_are_read_in_order(tmp_path: Path, wish: Any) -> None:
    store = CallStore(tmp_path / "calls.db")
    for number in range(1200):
        purpose = "page" if number % 2 else "feeling"
        store.add(wish(number, purpose=purpose), reply(wish(number).key, str(number)))
    texts = [call.reply.text for call in store.calls("page")]
    assert texts == [str(number) for number in range(1, 1200, 2)]
    store.close()
