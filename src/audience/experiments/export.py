"""What happened, in the files of other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from audience.errors import BadInput
from audience.experiments._writing import replace_all
from audience.experiments.story import Teller
from audience.log import Log
from audience.world import Genesis
from audience.world import events as e

_COLUMNS = ("person", "item", "round", "at", "position", "fraction", "stars")
Row = tuple[object, ...]


def export(log: Log, kind: str, folder: Path) -> list[Path]:
    """Write a run's interactions, events or messages and return the files."""
    writers: dict[str, Callable[[Log, Path], list[Path]]] = {
        "csv": _csv,
        "jsonl": _jsonl,
        "messages": _messages,
        "parquet": _parquet,
        "recbole": _recbole,
    }
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--out {folder} is a file; choose another folder with --out")
    try:
        return writers[kind](log, folder)
    except OSError as error:
        raise BadInput(
            f"{folder} could not be written: {error.strerror or error}; "
            "choose a folder you may write to with --out, or free some space"
        ) from error


def interactions(log: Log) -> Iterator[Row]:
    """Yield one row per item lived, with ids as the source data gives them."""
    people, items = _keys(log)
    for chapter in log.chapters():
        at, rows = 0, list[list[object]]()
        for entry in chapter.entries:
            match entry.event:
                case e.Woke(_, moment):
                    at = moment
                case e.Picked(agent, item, position):
                    rows.append(
                        [people(agent), items(item), chapter.round, at, position, 0.0, 0, item]
                    )
                case e.Watched(_, _, fraction) if rows:
                    rows[-1][5] = fraction
                case e.Rated(_, item, stars):
                    for row in reversed(rows):
                        if row[7] == item:
                            row[6] = stars
                            break
        yield from (tuple(row[:7]) for row in rows)


def _keys(log: Log) -> tuple[Callable[[int], str], Callable[[int], str]]:
    genesis = log.genesis()
    people = {profile.id: profile.key or str(profile.id) for profile in genesis.profiles}
    items = {item.id: item.key or str(item.id) for item in genesis.catalogue.items}
    return lambda id_: people.get(id_, str(id_)), lambda id_: items.get(id_, str(id_))


def _whole(path: Path, text: str) -> Path:
    return replace_all({path: text.encode()})[0]


def _csv(log: Log, folder: Path) -> list[Path]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(interactions(log))
    return [_whole(folder / "interactions.csv", text.getvalue())]


def _jsonl(log: Log, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "events.jsonl"
    part = path.with_suffix(".part")
    try:
        with part.open("wb") as file:
            file.writelines(msgspec.json.encode(_row(one)) + b"\n" for one in log.records())
        return [part.replace(path)]
    finally:
        part.unlink(missing_ok=True)


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


def _recbole(log: Log, folder: Path) -> list[Path]:
    """RecBole's atomic files: interactions, items and users."""
    name, genesis = log.folder.resolve().name, log.genesis()
    inter = ["user_id:token\titem_id:token\trating:float\ttimestamp:float\tfraction:float"]
    for person, item, _, at, _, fraction, stars in interactions(log):
        inter.append(f"{person}\t{item}\t{stars}\t{at}\t{fraction}")
    place = folder / name
    return replace_all(
        {
            place / f"{name}.inter": ("\n".join(inter) + "\n").encode(),
            place / f"{name}.item": _items(genesis).encode(),
            place / f"{name}.user": _users(genesis).encode(),
        }
    )


def _items(genesis: Genesis) -> str:
    lines = ["item_id:token\ttitle:token_seq\trelease_year:token\tclass:token_seq"]
    for item in genesis.catalogue.items:
        tags = " ".join(tag.replace(" ", "-") for tag in item.tags)
        title = " ".join(item.title.split())
        lines.append(f"{item.key or item.id}\t{title}\t{item.year or ''}\t{tags}")
    return "\n".join(lines) + "\n"


def _users(genesis: Genesis) -> str:
    lines = ["user_id:token\tage:token\tgender:token\toccupation:token"]
    for who in genesis.profiles:
        age = "" if who.age is None else who.age
        lines.append(f"{who.key or who.id}\t{age}\t{who.gender}\t{' '.join(who.career.split())}")
    return "\n".join(lines) + "\n"


def _parquet(log: Log, folder: Path) -> list[Path]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise BadInput('--to parquet needs pyarrow: pip install "audience[parquet]"') from None
    folder.mkdir(parents=True, exist_ok=True)
    columns = list(zip(*interactions(log), strict=True)) or [()] * len(_COLUMNS)
    path = folder / "interactions.parquet"
    parquet.write_table(arrow.table(dict(zip(_COLUMNS, map(list, columns), strict=True))), path)
    return [path]
