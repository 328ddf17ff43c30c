"""Exports of a run: interactions, dialogues, posts, messages, metrics, and RecBole datasets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import convert, to_builtins

from audience.errors import BadInput
from audience.files import replace_all, replacing
from audience.log import Log, world_at
from audience.metrics import LABELS, round_unit
from audience.results import csv_text
from audience.runs.measures import measured_log
from audience.runs.narrative import Teller
from audience.scenario import parse
from audience.world import LONGEST_VISIT, Genesis, Item, Profile, changes as c, events as e

COLUMNS = (
    "person",
    "item",
    "round",
    "at",
    "exposure",
    "surface",
    "page",
    "position",
    "propensity",
    "outcome",
    "fraction",
    "stars",
    "reason",
)
"""`exposure` names the page that was shown; rows of one page share it. `outcome` is `shown`,
`picked` or `rated`: how far it went."""
_PROPENSITY, _OUTCOME, _FRACTION, _STARS, _REASON = (
    COLUMNS.index(name) for name in ("propensity", "outcome", "fraction", "stars", "reason")
)
TYPES: dict[str, type] = dict.fromkeys(COLUMNS, str)
TYPES |= dict.fromkeys(("round", "at", "page", "position", "stars"), int)
TYPES |= dict.fromkeys(("propensity", "fraction"), float)
Row = tuple[object, ...]


class Names:
    """People and items at some point of a log, including those added later."""

    def __init__(self, genesis: Genesis) -> None:
        self.people: list[Profile] = list(genesis.profiles)
        self.items: list[Item] = list(genesis.catalogue.items)
        self.person = [person.key or str(person.id) for person in self.people]
        self.item = [item.key or str(item.id) for item in self.items]

    def learn(self, chapter: e.Chapter) -> None:
        """Add the people and items that interventions add or change."""
        for entry in chapter.entries:
            match entry.event:
                case e.Intervened(c.AddPerson(profile)):
                    self.people.append(profile)
                    self.person.append(profile.key or str(profile.id))
                case e.Intervened(c.AddItem(item)):
                    self.items.append(item)
                    self.item.append(item.key or str(item.id))
                case e.Intervened(c.ChangeProfile(agent, fields)):
                    changed = to_builtins(self.people[agent]) | fields
                    self.people[agent] = convert(changed, Profile, strict=False)
                    self.person[agent] = self.people[agent].key or str(agent)


def interactions(log: Log, *, exposures: bool = False, names: Names | None = None) -> Iterator[Row]:
    """Yield one row per picked item, in the order of the log and of the pages.

    With `exposures`, one per item shown; an item that was not picked has the outcome `shown`.
    """
    names = names or Names(log.genesis())
    visits: Counter[int] = Counter()
    for chapter in log.chapters():
        if chapter.phase == e.OPENING:
            names.learn(chapter)
            visits.clear()
        elif chapter.phase == e.VISITS:
            begin = visits[chapter.agent] * LONGEST_VISIT
            visits[chapter.agent] += 1
            for row in _visit(chapter, names, begin):
                if exposures or row[_OUTCOME] != "shown":
                    yield tuple(row)
        elif chapter.phase == e.CONVERSATIONS:
            yield from (tuple(row) for row in _evening(chapter, names))


def columns_of(rows: Iterable[Row]) -> dict[str, list[Any]]:
    """Return rows as columns by name; a propensity that is not known is None."""
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in COLUMNS]
    return dict(zip(COLUMNS, columns, strict=True))


def _visit(chapter: e.Chapter, names: Names, begin: int) -> list[list[Any]]:
    """Return the rows of a visit; its pages are numbered from `begin` on."""
    person, at = names.person[chapter.agent], 0
    rows: list[list[Any]] = []
    slate: list[list[Any]] = []
    page: dict[int, list[Any]] = {}
    lived: dict[int, list[Any]] = {}
    for step, entry in enumerate(chapter.entries):
        match entry.event:
            case e.Woke(_, moment):
                at = moment
            case e.SlateShown(who, items, number, surface):
                about = (
                    chapter.round,
                    at,
                    f"{chapter.round}.{who}.{begin + step}",
                    surface,
                    number,
                )
                slate = [
                    [person, names.item[item], *about, place, None, "shown", 0.0, 0, ""]
                    for place, item in enumerate(items)
                ]
                page = dict(zip(items, slate, strict=True))
                rows += slate
            case e.SlateAnnotated(_, propensities, reasons):
                _note(slate, _PROPENSITY, propensities)
                _note(slate, _REASON, reasons)
            case e.Picked(_, item):
                lived[item] = page[item]
                page[item][_OUTCOME] = "picked"
            case e.Watched(_, item, fraction):
                lived[item][_FRACTION] = fraction
            case e.Rated(_, item, stars):
                lived[item][_STARS] = stars
                lived[item][_OUTCOME] = "rated"
    return rows


def _evening(chapter: e.Chapter, names: Names) -> list[list[Any]]:
    """Return a row for each person who joined others in watching an item without a page."""
    happened = next(
        (one.event for one in chapter.entries if isinstance(one.event, e.Gathered)), None
    )
    if happened is None:
        return []
    item, place = happened.item, happened.items.index(happened.item)
    slate = f"{chapter.round}.{chapter.agent}.together"
    about = (names.item[item], chapter.round, happened.at, slate, "together", 0, place, None)
    fractions: dict[int, float] = {}
    rows = []
    for entry in chapter.entries:
        match entry.event:
            case e.Watched(who, _, fraction):
                fractions[who] = fraction
            case e.Rated(who, _, stars):
                rows.append([names.person[who], *about, "rated", fractions[who], stars, ""])
    return rows


def _note(slate: list[list[Any]], column: int, values: tuple[object, ...]) -> None:
    for row, value in zip(slate, values, strict=False):
        row[column] = value


def dialogues(log: Log) -> Iterator[dict[str, Any]]:
    """Yield every conversation: who, when, and its lines in order."""
    names = Names(log.genesis())
    for chapter in log.chapters():
        names.learn(chapter)
        talk: list[e.Said] = []
        for entry in chapter.entries:
            if isinstance(entry.event, e.Said):
                if talk and {entry.event.agent, entry.event.to} != {talk[0].agent, talk[0].to}:
                    yield _dialogue(chapter.round, talk, names)
                    talk = []
                talk.append(entry.event)
        if talk:
            yield _dialogue(chapter.round, talk, names)


def _dialogue(round_: int, talk: list[e.Said], names: Names) -> dict[str, Any]:
    return {
        "round": round_,
        "people": [names.person[talk[0].agent], names.person[talk[0].to]],
        "lines": [{"person": names.person[line.agent], **_words(line, names)} for line in talk],
    }


def posts(log: Log) -> Iterator[dict[str, Any]]:
    """Yield every post, forward and announcement, with how many inboxes it reached."""
    names = Names(log.genesis())
    waiting: dict[str, dict[str, Any]] = {}
    for chapter in log.chapters():
        names.learn(chapter)
        for entry in chapter.entries:
            match entry.event:
                case e.Posted(agent, post) as event:
                    waiting[post] = _post(chapter.round, post, names.person[agent], event, names)
                case e.Forwarded(agent, post, source, author) as event:
                    waiting[post] = _post(chapter.round, post, names.person[agent], event, names)
                    waiting[post] |= {"forwards": source, "author": _person(author, names)}
                case e.Delivered(post, author, to) as event:
                    row = waiting.setdefault(
                        post, _post(chapter.round, post, _person(author, names), event, names)
                    )
                    row["reached"] = len(to)
        if chapter.phase == e.CLOSING:
            yield from waiting.values()
            waiting.clear()
    yield from waiting.values()


def _post(
    round_: int,
    post: str,
    person: str,
    event: e.Posted | e.Forwarded | e.Delivered,
    names: Names,
) -> dict[str, Any]:
    return {"round": round_, "post": post, "person": person, **_words(event, names), "reached": 0}


def _words(event: e.Said | e.Posted | e.Forwarded | e.Delivered, names: Names) -> dict[str, Any]:
    return {
        "text": event.text,
        "items": [names.item[item] for item in event.items],
        "stance": event.stance,
        "voice": getattr(event, "voice", ""),
    }


def _person(agent: int, names: Names) -> str:
    """Return whose words they are; announcements have no author."""
    return names.person[agent] if agent >= 0 else ""


_INTER = "user_id:token\titem_id:token\trating:float\ttimestamp:float\tlabel:float\tfraction:float"
_ITEM = "item_id:token\ttitle:token_seq\trelease_year:token\tclass:token_seq"
_USER = "user_id:token\tage:token\tgender:token\toccupation:token"
_NET = "source_id:token\ttarget_id:token"
_PLACES = [
    COLUMNS.index(name)
    for name in ("person", "item", "stars", "at", "outcome", "fraction", "propensity")
]


def write_recbole(log: Log, folder: Path, *, exposures: bool) -> list[Path]:
    """Write a run as a RecBole dataset named after the run, and return the files."""
    name, names = log.folder.resolve().name, Names(log.genesis())
    rows = list(interactions(log, exposures=exposures, names=names))
    place = folder / name
    files = {
        "inter": _inter(rows),
        "item": [_ITEM, *map(_item, names.items)],
        "user": [_USER, *map(_user, names.people)],
        "net": [_NET, *_ties(log, names)],
    }
    return replace_all(
        {
            place / f"{name}.{suffix}": ("\n".join(lines) + "\n").encode()
            for suffix, lines in files.items()
        }
    )


def _inter(rows: list[Row]) -> list[str]:
    """Return the interactions; propensities only if all have one, or RecBole would invent some."""
    known = bool(rows) and all(row[_PLACES[-1]] is not None for row in rows)
    lines = [_INTER + ("\tpropensity:float" if known else "")]
    for row in rows:
        person, item, stars, at, outcome, fraction, propensity = (row[place] for place in _PLACES)
        label = int(outcome != "shown")
        line = f"{plain(person)}\t{plain(item)}\t{stars}\t{at}\t{label}\t{fraction}"
        lines.append(f"{line}\t{propensity}" if known else line)
    return lines


def plain(text: object) -> str:
    """Return a text without the tabs and quotation marks that would shift RecBole's columns."""
    return " ".join(str(text).split()).replace('"', "'")


def _item(item: Item) -> str:
    tags = " ".join(plain(tag).replace(" ", "-") for tag in item.tags)
    key = plain(item.key or item.id)
    return f"{key}\t{plain(item.title)}\t{item.year or ''}\t{tags}"


def _user(who: Profile) -> str:
    age = "" if who.age is None else who.age
    return f"{plain(who.key or who.id)}\t{age}\t{plain(who.gender)}\t{plain(who.career)}"


def _ties(log: Log, names: Names) -> Iterable[str]:
    """Yield who follows whom at the end of the last complete round."""
    world = world_at(log, log.complete_rounds())
    for agent in range(len(world.agents)):
        for other in world.graph.neighbours(agent):
            yield f"{plain(names.person[agent])}\t{plain(names.person[other])}"


KINDS = ("csv", "parquet", "recbole", "jsonl", "dialogues", "messages", "metrics")


def export(log: Log, kind: str, folder: Path, *, exposures: bool = False) -> list[Path]:
    """Write a run in one of `KINDS` and return the files.

    With `exposures`, interactions include items that were shown and not picked.
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
        file.writelines(msgspec.json.encode(_row(record)) + b"\n" for record in log.records())
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
                        "action": entry.event.channel,
                    }
                )
    body = msgspec.json.format(msgspec.json.encode(list(rounds.values())), indent=1)
    return [_whole(folder / "messages.json", body.decode())]


def _dialogues(log: Log, folder: Path) -> list[Path]:
    """Write conversations and posts, one JSON object per line."""
    return replace_all(
        {
            folder / "dialogues.jsonl": _lines(dialogues(log)),
            folder / "posts.jsonl": _lines(posts(log)),
        }
    )


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _metrics(log: Log, folder: Path) -> list[Path]:
    """Write every metric in one tidy table: of the run, of each round, of each person."""
    columns = ("scope", "round", "person", "metric", "value", "label", "unit")
    return [_whole(folder / "metrics.csv", csv_text(columns, _numbers(log)))]


def _numbers(log: Log) -> Iterator[tuple[object, ...]]:
    metrics = measured_log(log, parse(log.scenario, str(log.folder)))
    names = Names(log.genesis())
    for chapter in log.chapters(phase=e.OPENING):
        names.learn(chapter)

    def cells(value: float, metric: str, unit: str) -> tuple[object, ...]:
        label = LABELS.get(metric, (metric, "", ""))[0]
        return metric, "" if value != value else value, label, unit

    for metric, value in metrics.value().items():
        yield ("run", "", "", *cells(value, metric, round_unit(metric)))
    for numbers in metrics.by_round():
        for metric, value in numbers.items():
            if metric != "round":
                yield (
                    "round",
                    int(numbers["round"]),
                    "",
                    *cells(value, metric, round_unit(metric)),
                )
    for metric, values in metrics.per_agent().items():
        unit = LABELS.get(metric, ("", "", ""))[1]
        for agent, value in enumerate(values.tolist()):
            yield ("person", "", names.person[agent], *cells(value, metric, unit))


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
    parquet.write_table(arrow.table(table), sink)
    body = sink.getvalue().to_pybytes()
    return replace_all({folder / "interactions.parquet": body})
