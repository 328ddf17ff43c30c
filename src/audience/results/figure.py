"""The style of all figures, their layout, and the files they are written to."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from audience.errors import BadInput, unknown
from audience.files import replace_all
from audience.results.interval import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Drawing = ParamSpec("Drawing")
INK, MUTED, GRID, SURFACE = "#1c2128", "#59636e", "#d9dee4", "#ffffff"
# Okabe and Ito's hues, darkened to a contrast of 3:1 on white and moved apart for every colour
# vision; the page's tokens.css has the same, and its tests hold both.
PALETTE = ("#005ab4", "#a82800", "#3c874b", "#963c78", "#b87400", "#2d96b4", "#2e1065")
DASHES = ("-", "--", ":", "-.")
FILE_FORMATS = ("svg", "pdf", "png")

_LOOK: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.color": INK,
    "text.parse_math": False,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 9.0,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": GRID,
    "axes.facecolor": SURFACE,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "figure.facecolor": SURFACE,
    "savefig.facecolor": SURFACE,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.major.size": 0.0,
    "ytick.major.size": 0.0,
    "pdf.fonttype": 42,
    "savefig.dpi": 200.0,
    "svg.hashsalt": "audience",
    "svg.fonttype": "path",
}
_UNDATED: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
_VARIABLES = {INK: "--ink", MUTED: "--muted", GRID: "--line", SURFACE: "--surface"} | {
    colour: f"--arm{place}" for place, colour in enumerate(PALETTE, 1)
}


@contextmanager
def styled(**changes: object) -> Iterator[None]:
    """Apply our style to matplotlib inside the block."""
    import matplotlib

    with warnings.catch_warnings(), matplotlib.rc_context(_LOOK | changes):
        # A name in a script that the font lacks is drawn as boxes, which is acceptable.
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def panel(width: float, height: float) -> tuple[Figure, Axes]:
    """Return an empty figure with one set of axes, sizes in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def frozen(figure: Figure) -> Figure:
    """Return the figure with a fixed layout, so that drawing it again moves nothing."""
    figure.draw_without_rendering()
    figure.set_layout_engine(None)
    return figure


def styled_figure(draw: Callable[Drawing, Figure]) -> Callable[Drawing, Figure]:
    """Return a function that draws in our style and lays the figure out for good."""

    @wraps(draw)
    def drawn(*args: Drawing.args, **kwargs: Drawing.kwargs) -> Figure:
        with styled():
            return frozen(draw(*args, **kwargs))

    return drawn


def panels(
    count: int,
    across: int,
    width: tuple[float, float],
    height: tuple[float, float],
    *,
    sharex: bool = False,
    sharey: bool = False,
) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` axes, `across` in each row of the grid.

    `width` and `height` are in inches: for the whole figure, and for each panel besides.
    """
    from matplotlib.figure import Figure

    across = max(1, min(across, count))
    down = -(-count // across)
    size = (width[0] + width[1] * across, height[0] + height[1] * down)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(down, across, squeeze=False, sharex=sharex, sharey=sharey)
    axes: list[Axes] = grid.flatten().tolist()
    for spare in axes[count:]:
        spare.set_visible(False)
    return figure, axes[:count]


def colour(place: int) -> str:
    """Return the colour of the arm at a place."""
    return PALETTE[place % len(PALETTE)]


def short(name: str, limit: int = 22) -> str:
    """Return a name shortened to fit beside a chart, on one line."""
    name = " ".join(name.split())
    return name if len(name) <= limit else name[: limit - 1] + "…"


def rendered(figure: Figure, file_format: str) -> bytes:
    """Return the figure as the bytes of an `svg`, `pdf` or `png` file."""
    out = io.BytesIO()
    with styled():
        figure.savefig(out, format=file_format, metadata=_UNDATED[file_format])
    return out.getvalue()


def figure_files(
    figure: Figure, name: str, kinds: Sequence[str] = FILE_FORMATS
) -> dict[str, bytes]:
    """Return the content of the figure's files by name; by default SVG, PDF and PNG."""
    return {f"{name}.{kind}": rendered(figure, kind) for kind in kinds}


def format_of(path: Path) -> str:
    """Return the file format of a path; raise if it cannot be written."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FILE_FORMATS:
        raise BadInput(f"{path}: {unknown('format', suffix, FILE_FORMATS)}")
    return suffix


def write_figure(figure: Figure, path: Path) -> Path:
    """Write a figure in the format given by the file name."""
    return replace_all({path: rendered(figure, format_of(path))})[0]


def write_result(
    folder: Path, texts: Mapping[str, str], figure: Figure, name: str = "figure"
) -> list[Path]:
    """Write the texts of a result and its figure into a folder, and return the paths."""
    contents = {file: text.encode() for file, text in texts.items()}
    contents |= figure_files(figure, name, ("png", "svg"))
    return replace_all({folder / file: content for file, content in contents.items()})


def draw_ranked(axes: Axes, rows: Sequence[tuple[str, Interval | None, int]], title: str) -> None:
    """Draw names below each other, each with a dot and its interval in the colour of a place."""
    for row, (_, interval, place) in enumerate(rows):
        if interval is None or not math.isfinite(interval.mean):
            continue
        if math.isfinite(interval.low):
            bounds = [interval.low, interval.high]
            axes.plot(bounds, [row, row], color=colour(place), linewidth=2.4)
        axes.plot([interval.mean], [row], "o", color=colour(place), markersize=4.5)
    axes.set_yticks(range(len(rows)), [name for name, _, _ in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.set_title(title, fontsize=9, pad=5.0)


def inline(figure: Figure, name: str) -> str:
    """Return the figure as an SVG element for a page that defines our colours as variables.

    Its text stays text, and its ids are prefixed by the name, so that several fit on one page.
    """
    out = io.StringIO()
    with styled(**{"svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata=_UNDATED["svg"])
    text = out.getvalue()
    text = text[text.index("<svg") :].strip()
    text = re.sub(r' (xmlns(:\w+)?|version)="[^"]*"', "", text, count=3)
    text = re.sub(r'^<svg width="[^"]*" height="[^"]*"', "<svg", text)
    text = re.sub(r' id="([^"]+)"', rf' id="{name}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", text)
    text = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{name}-\1"', text)
    text = re.sub(r"'DejaVu Sans'(, [^;\"]+)?", "system-ui, sans-serif", text)
    return re.sub(r"\b(fill|stroke): (#[0-9a-f]{6})", _variable, text)


def _variable(match: re.Match[str]) -> str:
    name = _VARIABLES.get(match[2])
    return f"{match[1]}: var({name})" if name else match[0]
