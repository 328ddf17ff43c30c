"""What happened, in the files of other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from audience.errors import BadInput
from audience.experiments.export_recbole import write_recbole
from audience.experiments.export_rows import COLUMNS, TYPES, Names, columns_of, interactions
from audience.experiments.export_talk import dialogues, posts
from audience.experiments.measuring import measured_log
from audience.experiments.scenario import parse
from audience.experiments.story import Teller
from audience.log import Log
from audience.metrics import LABELS
from audience.results import csv_text, replace_all, replacing
from audience.world import events as e

KINDS = ("csv", "parquet", "recbole", "jsonl", "dialogues", "messages", "metrics")


def export(log: Log, kind: str, folder: Path, *, exposures: bool = False) -> list[Path]:
    """Write a run in one of `KINDS` and return the files.

    With `exposures`, interactions hold what was shown and not taken, too.
    """
    writers: dict[str, Callable[[], list[Path]]] = {
        "csv": lambda: _csv(log, folder, exposures),
        "dialogues": lambda: _dialogues(log, folder),
        "jsonl": lambda: _jsonl(log, folder),
        "messages": lambda: _messages(log, folder),
        "metrics": lambda: _metrics(log, folder),
        "parquet": lambda: _parquet(log, folder, exposures),
        "recbole": lambda: write_recbole(log, folder, exposures=exposures),
    }
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--out {folder} is a file; choose another folder with --out")
    try:
        return writers[kind]()
    except OSError as error:
        raise BadInput(
            f"{folder} could not be written: {error.strerror or error}; "
            "choose a folder you may write to with --out, or free some space"
        ) from error


def _whole(path: Path, text: str) -> Path:
    return replace_all({path: text.encode()})[0]


def _csv(log: Log, folder: Path, exposures: bool) -> list[Path]:
    text = csv_text(COLUMNS, interactions(log, exposures=exposures))
    return [_whole(folder / "interactions.csv", text)]


def _jsonl(log: Log, folder: Path) -> list[Path]:
    path = folder / "events.jsonl"
    with replacing(path) as file:
        file.writelines(msgspec.json.encode(_row(one)) + b"\n" for one in log.records())
    return [path]


def _row(record: e.Record) -> dict[str, object]:
    event = record.event
    row: dict[str, object] = {
        "round": record.round,
        "phase": e.PHASES[record.phase],
        "step": record.step,
        "event": type(event).__name__,
        **dict(zip(event.__struct_fields__, msgspec.structs.astuple(event), strict=True)),
    }
    return row | {"cause": record.cause} if record.cause else row


def _messages(log: Log, folder: Path) -> list[Path]:
    """RecAgent's messages: a list of rounds, each a list of content, agent_id and action."""
    teller = Teller(log.genesis())
    rounds: dict[int, list[dict[str, object]]] = {}
    for chapter in log.chapters():
        for entry in chapter.entries:
            teller.learn(entry.event)
            who = getattr(entry.event, "agent", None)
            line = teller.line(entry.event).strip()
            if who is not None and line:
                rounds.setdefault(chapter.round, []).append(
                    {
                        "content": line,
                        "agent_id": who,
                        "action": _ACTIONS.get(type(entry.event), "STATE"),
                    }
                )
    body = msgspec.json.format(msgspec.json.encode(list(rounds.values())), indent=1)
    return [_whole(folder / "messages.json", body.decode())]


_ACTIONS: dict[type, str] = {
    e.SlateShown: "RECOMMENDER",
    e.Searched: "RECOMMENDER",
    e.Watched: "RECOMMENDER",
    e.Rated: "RECOMMENDER",
    e.Felt: "RECOMMENDER",
    e.Said: "CHAT",
    e.Posted: "POST",
    e.Forwarded: "POST",
}


def _dialogues(log: Log, folder: Path) -> list[Path]:
    """Conversations and posts, one JSON object a line."""
    return replace_all(
        {
            folder / "dialogues.jsonl": _lines(dialogues(log)),
            folder / "posts.jsonl": _lines(posts(log)),
        }
    )


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _metrics(log: Log, folder: Path) -> list[Path]:
    """Every number in one tidy table: of the run, of each round, of each person."""
    columns = ("scope", "round", "person", "metric", "value", "label", "unit")
    return [_whole(folder / "metrics.csv", csv_text(columns, _numbers(log)))]


def _numbers(log: Log) -> Iterator[tuple[object, ...]]:
    found = measured_log(log, parse(log.scenario, str(log.folder)))
    names = Names(log.genesis())
    for chapter in log.chapters(phase=e.OPENING):
        names.learn(chapter)

    def told(value: float, metric: str) -> tuple[object, ...]:
        label, unit, _ = LABELS.get(metric, (metric, "", ""))
        return metric, "" if value != value else value, label, unit

    for metric, value in found.value().items():
        yield ("run", "", "", *told(value, metric))
    for numbers in found.by_round():
        for metric, value in numbers.items():
            if metric != "round":
                yield ("round", int(numbers["round"]), "", *told(value, metric))
    for metric, values in found.per_agent().items():
        for agent, value in enumerate(values.tolist()):
            yield ("person", "", names.person[agent], *told(value, metric))


def _parquet(log: Log, folder: Path, exposures: bool) -> list[Path]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise BadInput('--to parquet needs pyarrow: pip install "audience[parquet]"') from None
    columns = columns_of(interactions(log, exposures=exposures))
    kinds = {int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    table = {name: arrow.array(values, type=kinds[TYPES[name]]) for name, values in columns.items()}
    sink = arrow.BufferOutputStream()
    parquet.writecsv_text(arrow.table(table), sink)
    body = sink.getvalue().to_pybytes()
    return replace_all({folder / "interactions.parquet": body})
