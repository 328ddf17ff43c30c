"""`audience show`: the story of a run, a person of it, and what they remember."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click
import msgspec
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from audience.cli import options as o
from audience.errors import BadInput, shell_command
from audience.log import Log
from audience.memory import DAY, HOUR
from audience.runs import NONE, Course, Remembrance, counts, memory_report, remembrance
from audience.terminal import Console
from audience.world import shown

if TYPE_CHECKING:
    from audience.llm import CallStore

WIDTH = 100
_WAYS = {"faded": "faded", "crowded": "crowded out", "merged": "merged"}
_STORES = {"short": "short-term", "long": "long-term"}
AGENT4REC = "agent4rec"
_PARTS = {"factual": "Factual", "emotional": "Emotional", "reminder": "Reminders"}


def show_memory(
    log: Log, who: int, at: int, *, lines: int, chart: Path | None, as_json: bool
) -> None:
    """Print a person's memory at the end of a round, or draw its forgetting curve."""
    from audience.lab.evaluation import forgetting_of
    from audience.results import format_of, write_figure

    if chart is not None:
        format_of(chart)
    memory = remembrance(log, who, at)
    if memory.kind == NONE and not memory.courses:
        raise BadInput(
            f"--memory: in {log.folder} nobody has a memory; "
            "run with --memory recagent or --memory agent4rec"
        )
    written = write_figure(forgetting_of(memory), chart) if chart is not None else None
    if as_json:
        report = msgspec.to_builtins(memory_report(memory))
        o.print_json(report | ({"chart": str(written)} if written else {}))
    elif written:
        click.echo(str(written))
    else:
        print_memory(memory, lines)


def print_memory(memory: Remembrance, lines: int) -> None:
    """Print what a memory holds: Agent4Rec's two parts, or the stores of RecAgent's."""
    console = Console(highlight=False)
    console.width = min(console.width, WIDTH)
    console.print(
        f"[bold]{escape(memory.name)}[/] [{memory.agent}] at the end of round {memory.round} "
        f"({shown(memory.now)}), memory {escape(memory.kind)}"
    )
    console.print("[dim]imp.: importance, 0 to 1; recency: 1 when it came to mind just now[/]")
    if memory.kind == AGENT4REC:
        _print_parts(console, memory, lines)
    else:
        _print_stores(console, memory, lines)


def _print_parts(console: Console, memory: Remembrance, lines: int) -> None:
    """Print Agent4Rec's factual and emotional memory, and what an interviewer left."""
    for kind, name in _PARTS.items():
        courses = memory.kept("long", kind)
        if courses or kind != "reminder":
            _head(console, name, str(len(courses)))
            heads = ("id", "importance", "recency", "age", "recalled", "sentence")
            _print(console, lines, heads, [_long_row(course, memory) for course in courses])
    console.print("\n[dim]Nothing fades; recency, importance and relevance decide recall.[/]")


def _print_stores(console: Console, memory: Remembrance, lines: int) -> None:
    """Print RecAgent's three stores, what was lost, and how far the next reflection is."""
    _print_sensory(console, memory, lines)
    _print_short(console, memory, lines)
    _print_long(console, memory, lines)
    _print_lost(console, memory, lines)
    console.print(
        f"\n[bold]Reflection[/]: importance {memory.brewing:.2f} gathered since the last one; "
        f"the next is due at {memory.constants.reflect_at:g}."
    )


def _print_sensory(console: Console, memory: Remembrance, lines: int) -> None:
    observed = memory.sensory()
    where = f"observed in round {memory.lived}" if memory.lived else "nothing was observed yet"
    kept = sum(course.store != "sensory" for course in observed)
    _head(console, "Sensory", f"{len(observed)} {where}, {kept} kept" if observed else where)
    rows = [(f"#{c.id}", f"{c.weight:.2f}", c.text, _became(c)) for c in observed]
    _print(console, lines, ("id", "importance", "sentence", "became"), rows)


def _became(course: Course) -> str:
    if course.store == "sensory":
        return "gone"
    return _WAYS[course.why] if course.ended else _STORES[course.store]


def _print_short(console: Console, memory: Remembrance, lines: int) -> None:
    short, constants = memory.kept("short"), memory.constants
    _head(console, "Short-term", f"{len(short)}, room for {constants.capacity}")
    rows = [
        (
            f"#{course.id}",
            f"{course.weight:.2f}",
            f"{course.recency(memory.now, constants.laws):.2f}",
            f"{len(course.enhancers)}/{constants.enhancements} {_ids(course.enhancers)}".rstrip(),
            course.text,
        )
        for course in short
    ]
    _print(console, lines, ("id", "importance", "recency", "enhanced by", "sentence"), rows)


def _print_long(console: Console, memory: Remembrance, lines: int) -> None:
    long = memory.kept("long")
    _head(console, "Long-term", str(len(long)))
    rows = []
    for course in long:
        id_, *others = _long_row(course, memory)
        rows.append((id_, course.kind, *others))
    heads = ("id", "kind", "importance", "recency", "age", "recalled", "sentence")
    _print(console, lines, heads, rows)


def _long_row(course: Course, memory: Remembrance) -> tuple[str, ...]:
    now, by_id = memory.now, memory.by_id()
    sources = (by_id[id_] for id_ in course.sources if id_ in by_id)
    return (
        f"#{course.id}",
        f"{course.weight:.2f}",
        f"{course.recency(now, memory.constants.laws):.2f}",
        _span(now - course.at),
        f"{_span(now - max(course.accesses))} ago" if course.accesses else "never",
        course.text + "".join(map(_source, sources)),
    )


def _source(course: Course) -> str:
    gone = f" ({_WAYS[course.why]})" if course.ended else ""
    return f"\n  from #{course.id}{gone}: {course.text}"


def _print_lost(console: Console, memory: Remembrance, lines: int) -> None:
    number = counts(memory)
    ways = [f"{number[why]} {words}" for why, words in _WAYS.items() if number[why]]
    ways += [f"{number['not_kept']} never kept"] if number["not_kept"] else []
    _head(console, "Lost", ", ".join(ways) or "nothing")
    rows = [
        (
            str(course.ended_round),
            f"#{course.id}",
            _WAYS[course.why] + (f" into #{course.into}" if course.into >= 0 else ""),
            f"{course.weight:.2f}",
            course.text,
        )
        for course in memory.lost()
    ]
    _print(console, lines, ("round", "id", "why", "importance", "sentence"), rows)


def _head(console: Console, name: str, words: str) -> None:
    console.print(f"\n[bold]{name}[/]: {words}")


def _print(
    console: Console, lines: int, heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Print the newest rows as a table, and how many older ones there are."""
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
    return " ".join(f"#{id_}" for id_ in ids)


def _span(seconds: int) -> str:
    """Return a duration in words."""
    if seconds < HOUR:
        return f"{max(seconds, 0) // 60} min"
    return f"{seconds / HOUR:.0f} h" if seconds < 2 * DAY else f"{seconds / DAY:.0f} d"


@click.command("show")
@o.run_argument
@click.option("--agent", default=None, metavar="ID", help="Only this person.")
@o.at_option
@click.option("--lines", type=int, default=40, help="Maximum lines of story; 0 for all.")
@click.option("--said", is_flag=True, help="Only what people felt, posted and said.")
@click.option("--memory", is_flag=True, help="What the person of --agent remembers.")
@click.option(
    "--chart",
    type=o.RUN,
    default=None,
    metavar="FILE",
    help="With --memory: draw forgetting.",
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
    """Tell the story of a run, newest round last; with --agent, that of one person."""
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
        lines_told = story(log, at, who, only=WORDS if said else (), calls=store)
        if as_json:
            o.print_json({"run": str(run), "story": list(lines_told)})
            return
        if not at:
            go_on = shell_command("resume", run)
            click.echo(f"{run} has no complete round yet; continue with: {go_on}")
        _tell(lines_told, lines, log)


def _calls(run: Path) -> CallStore:
    from audience.llm import FILE, CallStore

    if not (run / FILE).is_file():
        raise BadInput(f"--calls: {run} has no calls; its minds asked no model")
    return CallStore(run / FILE, read_only=True)


def _introduce(person: dict[str, Any]) -> None:
    table = Table.grid(padding=(0, 2))
    for key, value in person.items():
        if value not in ("", None, [], ()):
            table.add_row(f"[bold]{key}[/]", escape(_in_words(value)))
    console = Console(highlight=False)
    console.print(table)
    console.print()


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {inner}" for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def _tell(story_lines: Iterator[str], lines: int, log: Log) -> None:
    for count, line in enumerate(story_lines):
        if lines and count == lines:
            click.echo(
                "… more with --lines 0, or --agent ID; in SQL: "
                f"sqlite3 {quote(str(log.path))} 'select * from records'"
            )
            return
        click.echo(line)
