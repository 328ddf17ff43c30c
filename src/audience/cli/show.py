"""`audience show --memory`: what somebody holds in each store, and what was lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from audience.cli import options as o
from audience.errors import BadInput
from audience.log import Log
from audience.memory import DAY, HOUR
from audience.runs import NONE, Course, Remembrance, counts, plain, remembrance
from audience.world import shown

if TYPE_CHECKING:
    from audience.llm import CallStore

WIDTH = 100
_WAYS = {"faded": "faded", "crowded": "crowded out", "merged": "merged"}
_STORES = {"short": "short-term", "long": "long-term"}


def show_memory(
    log: Log, who: int, at: int, *, lines: int, chart: Path | None, as_json: bool
) -> None:
    """Print a person's memory at the end of a round, or draw its forgetting."""
    from audience.lab.evaluation import forgetting_of
    from audience.results import format_of, write_figure

    if chart is not None:
        format_of(chart)
    found = remembrance(log, who, at)
    if found.kind == NONE and not found.courses:
        raise BadInput(
            f"--memory: in {log.folder} nobody has a memory; "
            "run with --memory recagent or --memory agent4rec"
        )
    written = write_figure(forgetting_of(found), chart) if chart is not None else None
    if as_json:
        o.print_json(plain(found) | ({"chart": str(written)} if written else {}))
    elif written:
        click.echo(str(written))
    else:
        print_memory(found, lines)


def print_memory(found: Remembrance, lines: int) -> None:
    """Print the three stores, what was lost, and how far the next reflection is."""
    console = Console(highlight=False)
    console.width = min(console.width, WIDTH)
    console.print(
        f"[bold]{escape(found.name)}[/] [{found.agent}] at the end of round {found.round} "
        f"({shown(found.now)}), memory {escape(found.kind)}"
    )
    console.print("[dim]imp.: importance, 0 to 1; recency: 1 when it came to mind just now[/]")
    _print_sensory(console, found, lines)
    _print_short(console, found, lines)
    _print_long(console, found, lines)
    _print_lost(console, found, lines)
    limit = found.constants.reflect_at
    console.print(
        f"\n[bold]Reflection[/]: importance {found.brewing:.2f} gathered since the last one; "
        f"one reflects at {limit:g}."
    )


def _print_sensory(console: Console, found: Remembrance, lines: int) -> None:
    taken = found.sensory()
    where = f"taken in in round {found.lived}" if found.lived else "nothing was taken in yet"
    kept = sum(one.store != "sensory" for one in taken)
    _head(console, "Sensory", f"{len(taken)} {where}, {kept} kept" if taken else where)
    _print(
        console,
        lines,
        ("id", "importance", "sentence", "became"),
        [(f"#{one.id}", f"{one.weight:.2f}", one.text, _became(one)) for one in taken],
    )


def _became(one: Course) -> str:
    if one.store == "sensory":
        return "gone"
    return _WAYS[one.why] if one.ended else _STORES[one.store]


def _print_short(console: Console, found: Remembrance, lines: int) -> None:
    short, constants = found.kept("short"), found.constants
    _head(console, "Short-term", f"{len(short)}, room for {constants.capacity}")
    rows = [
        (
            f"#{one.id}",
            f"{one.weight:.2f}",
            f"{one.recency(found.now, constants.laws):.2f}",
            f"{len(one.enhancers)}/{constants.enhancements} {_ids(one.enhancers)}".rstrip(),
            one.text,
        )
        for one in short
    ]
    _print(console, lines, ("id", "importance", "recency", "enhanced by", "sentence"), rows)


def _print_long(console: Console, found: Remembrance, lines: int) -> None:
    long, by_id = found.kept("long"), found.by_id()
    _head(console, "Long-term", str(len(long)))
    rows = [
        (
            f"#{one.id}",
            one.kind,
            f"{one.weight:.2f}",
            f"{one.recency(found.now, found.constants.laws):.2f}",
            _span(found.now - one.at),
            f"{_span(found.now - max(one.accesses))} ago" if one.accesses else "never",
            one.text + "".join(_source(by_id[id_]) for id_ in one.sources if id_ in by_id),
        )
        for one in long
    ]
    heads = ("id", "kind", "importance", "recency", "age", "recalled", "sentence")
    _print(console, lines, heads, rows)


def _source(one: Course) -> str:
    gone = f" ({_WAYS[one.why]})" if one.ended else ""
    return f"\n  from #{one.id}{gone}: {one.text}"


def _print_lost(console: Console, found: Remembrance, lines: int) -> None:
    lost, all_ = found.lost(), counts(found)
    told = [f"{all_[why]} {words}" for why, words in _WAYS.items() if all_[why]]
    told += [f"{all_['not_kept']} never kept"] if all_["not_kept"] else []
    _head(console, "Lost", ", ".join(told) or "nothing")
    rows = [
        (
            str(one.ended_round),
            f"#{one.id}",
            _WAYS[one.why] + (f" into #{one.into}" if one.into >= 0 else ""),
            f"{one.weight:.2f}",
            one.text,
        )
        for one in lost
    ]
    _print(console, lines, ("round", "id", "why", "importance", "sentence"), rows)


def _head(console: Console, name: str, told: str) -> None:
    console.print(f"\n[bold]{name}[/]: {told}")


def _print(
    console: Console, lines: int, heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Print the newest rows as a table, and how many there are before them."""
    if not rows:
        return
    table = Table(show_edge=False, box=None, padding=(0, 1), header_style="dim")
    for head in heads:
        is_text = head == "sentence"
        table.add_column(
            "imp." if head == "importance" else head,
            ratio=1 if is_text else None,
            overflow="fold",
            no_wrap=not is_text and head != "enhanced by",
            max_width=18 if head == "enhanced by" else None,
        )
    left = rows[-lines:] if lines else rows
    for row in left:
        table.add_row(*(Text(cell) for cell in row))
    if len(left) < len(rows):
        console.print(f"[dim]  … {len(rows) - len(left)} older; all with --lines 0[/]")
    console.print(table)


def _ids(ids: Iterable[int]) -> str:
    return " ".join(f"#{one}" for one in ids)


def _span(seconds: int) -> str:
    """Return a length of time as people say it."""
    if seconds < HOUR:
        return f"{max(seconds, 0) // 60} min"
    return f"{seconds / HOUR:.0f} h" if seconds < 2 * DAY else f"{seconds / DAY:.0f} d"


@click.command("show")
@o.run_argument
@click.option("--agent", default=None, metavar="ID", help="Only this person.")
@o.at_option
@click.option("--lines", type=int, default=40, help="At most so many lines of story; 0 for all.")
@click.option("--said", is_flag=True, help="Only what people felt, posted and said.")
@click.option("--memory", is_flag=True, help="What the person of --agent remembers and forgot.")
@click.option(
    "--chart", type=o.RUN, default=None, metavar="FILE", help="With --memory: draw its forgetting."
)
@click.option("--calls", is_flag=True, help="The prompts and replies behind each decision.")
@o.json_option
def show_command(
    run: Path,
    agent: str | None,
    at: int | None,
    lines: int,
    said: bool,
    memory: bool,
    chart: Path | None,
    calls: bool,
    as_json: bool,
) -> None:
    """Tell what happened, newest round last; with --agent, who somebody is and what it lived."""
    from audience.runs import WORDS, person_at, story

    if (memory or chart) and (agent is None or not memory):
        raise BadInput("--memory and --chart are about one person: give --agent ID --memory")
    with o.open_run(run) as log, ExitStack() as after:
        at = o.round_within(at, log.complete_rounds(), run)
        who = o.person_of(log, agent) if agent is not None else None
        if memory and who is not None:
            show_memory(log, who, at, lines=lines, chart=chart, as_json=as_json)
            return
        if who is not None:
            person = person_at(log, who, at)
            if as_json:
                o.print_json(person)
                return
            _introduce(person)
        store = after.enter_context(closing(_calls(run))) if calls else None
        told = story(log, at, who, only=WORDS if said else (), calls=store)
        if as_json:
            o.print_json({"run": str(run), "story": list(told)})
            return
        if not at:
            click.echo(f"{run} has no complete round yet; go on with: audience resume {run}")
        _tell(told, lines, log)


def _calls(run: Path) -> CallStore:
    from audience.llm import FILE, CallStore

    if not (run / FILE).is_file():
        raise BadInput(f"--calls: {run} holds no calls; its minds asked no model")
    return CallStore(run / FILE, read_only=True)


def _introduce(person: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for key, value in person.items():
        if value not in ("", None, [], ()):
            table.add_row(f"[bold]{key}[/]", escape(_in_words(value)))
    console = Console(highlight=False)
    console.print(table)
    console.print()


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(str(one) for one in value)
    return str(value)


def _tell(told: Iterator[str], lines: int, log: Log) -> None:
    for count, line in enumerate(told):
        if lines and count == lines:
            click.echo(
                "… more with --lines 0, or --agent ID; in SQL: "
                f"sqlite3 {log.path} 'select * from records'"
            )
            return
        click.echo(line)
