"""The table of results, for the terminal and as Markdown, CSV, LaTeX, JSON and HTML."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING

import msgspec

from audience.results.interval import ANY, Bounds, Interval

if TYPE_CHECKING:
    from rich.console import Group

    from audience.terminal import Console

NOTHING = "–"
_WORD, _NAME = 9, 22
"""Least width of a text column, and of a column with a long head, in characters."""
Value = str | int | float | Interval | None
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "−": "$-$", "–": "--",
    "…": r"\ldots{}", "\n": " ",
}  # fmt: skip


class Column(msgspec.Struct, frozen=True):
    """What a column holds, and how it is written."""

    label: str
    unit: str = ""
    over: str = ""
    """What each figure is a mean over, such as `people` or `seeds`; empty if not a mean."""
    digits: int | None = None
    """Decimals; None: as many as the interval supports."""
    signed: bool = False
    half: bool = False
    """Whether an interval is written as ± half its width where all of that is possible."""
    is_text: bool = False
    bounds: Bounds = ANY
    """The possible values of the figures."""

    @property
    def head(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


class ResultTable(msgspec.Struct, frozen=True):
    """Rows of values under columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    caption: str = ""
    note: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the figures are means over, then the note."""
        heads: dict[str, list[str]] = {}
        for column in self.columns:
            heads.setdefault(column.over, []).append(column.label)
        plain = [column.label for column in self.columns if not column.is_text]
        over = [
            f"Means over {name}." if labels == plain else f"Means over {name}: {', '.join(labels)}."
            for name, labels in heads.items()
            if name
        ]
        return (*over, self.note) if self.note else tuple(over)


def texts(table: ResultTable) -> list[list[str]]:
    """Return a table as text: its heads, then its rows."""
    heads = [column.head for column in table.columns]
    return [heads, *([*map(text_of, row, table.columns)] for row in table.rows)]


def text_of(value: Value, column: Column) -> str:
    """Return a value as text for people; a dash if there is none."""
    if isinstance(value, str):
        return value
    if value is None:
        return NOTHING
    if not isinstance(value, Interval):
        if isinstance(value, int) and not column.digits:
            return f"{value:,}"
        value = Interval(float(value))
    if column.digits is None and not column.half:
        return shown(*value.three, signed=column.signed)
    return _fixed(value, column)


def _fixed(value: Interval, column: Column) -> str:
    if not math.isfinite(value.mean):
        return NOTHING
    bounded = math.isfinite(value.low) and math.isfinite(value.high)
    places = column.digits
    if places is None:
        places = _places(value.mean, value.half if bounded else 0.0)
    text = number(value.mean, places, signed=column.signed)
    if not bounded:
        return text
    if column.half and _is_possible(value, places, column.bounds):
        clear = "*" if column.signed and value.is_clear else ""
        return f"{text} ± {number(value.half, places)}{clear}"
    low, high = (number(bound, places, signed=column.signed) for bound in (value.low, value.high))
    return f"{text} [{low}, {high}]"


def _is_possible(value: Interval, places: int, bounds: Bounds) -> bool:
    """Return whether mean ± half, as it would be printed, lies within the bounds."""
    mean, half = round(value.mean, places), round(value.half, places)
    margin = 0.5 * 10.0**-places
    return bounds[0] - margin < mean - half and mean + half < bounds[1] + margin


def shown(
    mean: float, low: float = math.nan, high: float = math.nan, *, signed: bool = False
) -> str:
    """Return a number and its interval as text, with as many digits as the interval supports."""
    if not math.isfinite(mean):
        return NOTHING
    bounded = math.isfinite(low) and math.isfinite(high)
    places = _places(mean, (high - low) / 2.0 if bounded else 0.0)
    text = number(mean, places, signed=signed)
    if bounded:
        text += f" [{number(low, places)}, {number(high, places)}]"
    return text


def _places(mean: float, half: float) -> int:
    if half > 1e-9:
        return min(6, max(0, 1 - math.floor(math.log10(half))))
    if mean == round(mean):
        return 0
    return min(6, max(0, 2 - math.floor(math.log10(abs(mean)))))


def number(value: float, places: int, *, signed: bool = False) -> str:
    """Return a number with fixed decimals; zero has no sign."""
    rounded = round(value, places) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''},.{places}f}".replace("-", "−")


def to_rich(table: ResultTable) -> Group:
    """Return a table for a terminal; nothing in it is read as markup."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    rich_table = Table(box=None, header_style="bold", padding=(0, 1), pad_edge=False)
    rows = texts(table)[1:]
    for column, width in zip(table.columns, _widths(table), strict=True):
        # Text may be wrapped, numbers may not; a long head above them is.
        rich_table.add_column(
            Text(column.head if column.is_text else "\n".join(wrap(column.head, width))),
            justify="left" if column.is_text else "right",
            no_wrap=not column.is_text,
            min_width=width,
        )
    for row in rows:
        rich_table.add_row(*map(Text, row))
    caption = Text(table.caption, style="bold", no_wrap=True, overflow="ignore")
    return Group(caption, rich_table) if table.caption else Group(rich_table)


def _widths(table: ResultTable) -> list[int]:
    """Return the least width of each column."""
    rows = texts(table)[1:]
    longest = [max((len(row[at]) for row in rows), default=0) for at in range(len(table.columns))]
    return [
        max(1, min(width, _WORD) if column.is_text else max(width, min(len(column.head), _NAME)))
        for column, width in zip(table.columns, longest, strict=True)
    ]


def least_width(table: ResultTable) -> int:
    """Return how wide a terminal must be to show every number whole."""
    return sum(_widths(table)) + 2 * len(table.columns)


def print_table(table: ResultTable, width: int = 0) -> None:
    """Print a table and its notes on a terminal that is at least so wide."""
    console = wide_console(width, table)
    console.print(to_rich(table))
    for note in table.notes:
        console.print(note, style="dim", markup=False, soft_wrap=True)


def wide_console(width: int = 0, *tables: ResultTable) -> Console:
    """Return standard output, at least so wide, and wide enough for every number of the tables."""
    from audience.terminal import Console

    console = Console(highlight=False)
    console.width = max(console.width, width, *map(least_width, tables))
    return console


def to_markdown(table: ResultTable, *, bare: bool = False) -> str:
    """Return a pipe table, its caption as a heading, its notes below; `bare`: the pipes alone."""
    cells = [[escape_markdown(cell) for cell in row] for row in texts(table)]
    rule = ["---" if column.is_text else "---:" for column in table.columns]
    lines = "".join(f"| {' | '.join(row)} |\n" for row in [cells[0], rule, *cells[1:]])
    if bare:
        return lines
    head = f"## {escape_markdown(table.caption)}\n\n" if table.caption else ""
    notes = "".join(f"\n{escape_markdown(note)}\n" for note in table.notes)
    return head + lines + notes


def escape_markdown(text: str) -> str:
    """Return text on one line, escaped so that Markdown shows it unchanged."""
    for letter in "\\`*_<|#":
        text = text.replace(letter, f"\\{letter}")
    return " ".join(text.replace("](", "\\](").split())


def to_csv(table: ResultTable) -> str:
    """Return all digits: an interval as three columns; an unknown value is an empty cell."""
    wide = [
        any(isinstance(row[place], Interval) for row in table.rows)
        for place in range(len(table.columns))
    ]
    heads: list[str] = []
    for column, has_bounds in zip(table.columns, wide, strict=True):
        heads += [column.label]
        heads += [f"{column.label} low", f"{column.label} high"] if has_bounds else []
    rows: list[list[object]] = []
    for row in table.rows:
        rows.append([])
        for value, has_bounds in zip(row, wide, strict=True):
            first = value.three if isinstance(value, Interval) else (value, None, None)
            rows[-1] += first if has_bounds else first[:1]
    return csv_text(heads, rows)


def csv_text(heads: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; NaN and None are empty cells."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(heads)
    # Only NaN differs from itself.
    writer.writerows(["" if value != value else value for value in row] for row in rows)
    return out.getvalue()


def to_latex(table: ResultTable) -> str:
    """Return a plain tabular that needs no package; caption and notes are comments below it."""
    lines = [" & ".join(map(escape_latex, row)) + r" \\" for row in texts(table)]
    # A row that begins with a bracket would be read as an option of the line break before it.
    lines = ["{}" + line if line.startswith(("[", "*")) else line for line in lines]
    columns = "".join("l" if column.is_text else "r" for column in table.columns)
    texts_below = [table.caption, *table.notes] if table.caption else table.notes
    comments = [f"% {' '.join(text.split())}" for text in texts_below]
    head = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", lines[0], r"\hline"]
    return "\n".join([*head, *lines[1:], r"\hline", r"\end{tabular}", *comments, ""])


def escape_latex(text: str) -> str:
    """Return text escaped so that LaTeX shows it unchanged."""
    return "".join(_LATEX.get(letter, letter) for letter in text)


def to_json(table: ResultTable) -> str:
    """Return columns and rows; what is not a number is null."""
    return msgspec.json.format(msgspec.json.encode(finite(table)), indent=1).decode() + "\n"


def json_text(value: object) -> str:
    """Return a value as the text of a JSON file; what is not a number is null."""
    return json.dumps(finite(value), indent=1, allow_nan=False) + "\n"


def finite(value: object) -> object:
    """Return structs, lists and numbers as plain values; what is not finite becomes None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, msgspec.Struct):
        return finite(msgspec.to_builtins(value))
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, list | tuple) else value


def to_html(table: ResultTable, classes: Sequence[Sequence[str]] = ()) -> str:
    """Return a table with its caption and notes; `classes` are those of the cells of each row."""
    heads = "".join(
        f'<th scope="col">{_headed(column.label, column.unit)}</th>' for column in table.columns
    )
    body = []
    for place, row in enumerate(texts(table)[1:]):
        marks = classes[place] if classes else [""] * len(row)
        cells = (_cell(text, mark) for text, mark in zip(row[1:], marks[1:], strict=True))
        body.append(f'<tr><th scope="row">{escape(row[0])}</th>{"".join(cells)}</tr>\n')
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    notes = "".join(f'\n<p class="note">{escape(note)}</p>' for note in table.notes)
    head = f"<table>{caption}<thead><tr>{heads}</tr></thead>"
    return f"{head}\n<tbody>\n{''.join(body)}</tbody></table>{notes}"


def _headed(label: str, unit: str) -> str:
    return escape(label) + (f" <small>{escape(unit)}</small>" if unit else "")


def _cell(text: str, mark: str) -> str:
    return f'<td class="{escape(mark)}">{escape(text)}</td>' if mark else f"<td>{escape(text)}</td>"
