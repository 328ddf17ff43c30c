"""A band of other audiences beside a verdict: in how many of them the leader stays ahead."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from audience.errors import BadInput
from audience.files import replace_all
from audience.metrics import LABELS
from audience.results.figure import MUTED, draw_ranked, panel, styled_figure
from audience.results.findings import Band, BandSetting, Difference, Findings
from audience.results.interval import Interval
from audience.results.judgement import UNCLEAR
from audience.results.table import Column, ResultTable, csv_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "sensitivity.json"
"""Holds a band, beside the runs it belongs to."""
ABOUT = {
    "taste": "how strongly people follow their taste",
    "quality": "how much people heed quality",
    "novelty": "how much people seek what is new to them",
    "position": "how much people heed the order of a page",
    "pull": "how strongly people follow what others like them took",
    "mind": "how people decide",
    "people": "who the people are",
}
"""What each parameter of a setting is, in the words of a verdict."""
_PLAIN, _AHEAD, _BEHIND = 5, 0, 1


class Lead(msgspec.Struct, frozen=True):
    """In how many settings the arm that leads stays ahead."""

    stays: int
    clear: int
    """Of these, where the interval excludes zero."""
    settings: int
    flips: tuple[BandSetting, ...]
    """Where the other arm is clearly ahead."""

    @property
    def depends_on(self) -> str:
        """What flips the verdict, in words."""
        names = dict.fromkeys(setting.parameter for setting in self.flips)
        return " and ".join(ABOUT.get(name, name) for name in names)


def lead_in(band: Band | None, head: Difference) -> Lead | None:
    """Return how a difference fares in a band; None if there is nothing to say."""
    if band is None or not head.difference or math.isnan(head.difference):
        return None
    pairs = [
        (setting, difference)
        for setting in band.settings
        for difference in setting.differences
        if difference.other == head.other
    ]
    if not pairs:
        return None
    sign = math.copysign(1.0, head.difference)
    same = [difference for _, difference in pairs if sign * difference.difference > 0.0]
    flips = [setting for setting, each in pairs if each.is_clear and sign * each.difference < 0.0]
    clear = sum(difference.is_clear for difference in same)
    return Lead(len(same), clear, len(pairs), tuple(flips))


def ahead_in(band: Band) -> list[str]:
    """Return for each arm, in a sentence, who is ahead in how many settings, and what flips it."""
    pairs: dict[tuple[str, str], list[tuple[BandSetting, str]]] = {}
    for setting in band.settings:
        for each in setting.differences:
            key = each.other, each.reference
            pairs.setdefault(key, []).append((setting, _ahead(each)))
    lines = []
    for (other, reference), settings in pairs.items():
        ahead = {
            name: sum(first == name for _, first in settings)
            for name in (other, reference, UNCLEAR)
        }
        line = (
            f"{other} is clearly ahead in {ahead[other]} of {len(settings)} settings, {reference} "
            f"in {ahead[reference]}; {ahead[UNCLEAR]} are unclear."
        )
        if ahead[other] and ahead[reference]:
            fewer = min((other, reference), key=lambda name: ahead[name])
            flips = tuple(setting for setting, first in settings if first == fewer)
            line += f" It depends on {Lead(0, 0, 0, flips).depends_on}."
        lines.append(line)
    return lines


def plain_band(findings: Findings) -> dict[str, object] | None:
    """Return in how many settings each arm's lead holds, as plain values; None without a band."""
    if findings.band is None:
        return None
    heads = [each for each in findings.differences if each.metric == findings.band.metric]
    arms = {head.other: there for head in heads if (there := lead_in(findings.band, head))}
    return {
        "arms": {
            name: {
                "stays": there.stays,
                "clear": there.clear,
                "settings": there.settings,
                "flips": [setting.name for setting in there.flips],
                "depends_on": there.depends_on,
            }
            for name, there in arms.items()
        },
        "band": msgspec.to_builtins(findings.band),
    }


def band_table(band: Band) -> ResultTable:
    """Return a row per setting and arm: the difference with its interval, and who is ahead."""
    columns = (
        Column("setting", is_text=True),
        Column("it changes", is_text=True),
        Column("arm", is_text=True),
        Column("change", unit="%", digits=1, signed=True),
        Column("ahead", is_text=True),
    )
    rows = tuple(
        (setting.name, ABOUT.get(setting.parameter, ""), each.other, _percent(each), _ahead(each))
        for setting in band.settings
        for each in setting.differences
    )
    return ResultTable(columns, rows)


def band_csv(band: Band) -> str:
    """Return one line per setting and arm with all digits."""
    heads = ("setting", "parameter", *Difference.__struct_fields__)
    rows = [
        (setting.name, setting.parameter, *msgspec.structs.astuple(each))
        for setting in band.settings
        for each in setting.differences
    ]
    return csv_text(heads, rows)


def band_caption(band: Band) -> str:
    """Return how to read the figure, and how much was run for it."""
    over = f"{band.seeds} seeds" if band.seeds > 1 else "people"
    size = f" ({band.share:.0%} of the usual visits)" if band.share < 1.0 else ""
    left_out = f" Not measurable: {', '.join(band.left_out)}." if band.left_out else ""
    return (
        "The same arms before other people: each line is one setting of how they decide or who "
        f"they are, in {band.rounds} rounds{size}, with the change in % of the reference and its "
        f"95 % interval over {over}. Dark blue: clearly above the reference; orange: clearly "
        f"below; light blue: the interval includes zero.{left_out}"
    )


@styled_figure
def band_figure(band: Band) -> Figure:
    """Return the change of every arm in every setting, below each other."""
    several = len({each.other for setting in band.settings for each in setting.differences}) > 1
    rows = [
        (
            f"{setting.name}, {each.other}" if several else setting.name,
            _percent(each),
            _PLAIN if not each.is_clear else _AHEAD if each.difference > 0 else _BEHIND,
        )
        for setting in band.settings
        for each in setting.differences
    ]
    figure, axes = panel(7.6, 1.2 + 0.24 * len(rows))
    axes.axvline(0.0, color=MUTED, linewidth=1.0, zorder=1)
    first = band.settings[0].differences[0]
    arm = "each arm" if several else first.other
    label = LABELS[band.metric][0]
    draw_ranked(axes, rows, f"{label}: {arm} against {first.reference}, other audiences")
    axes.set_xlabel(f"change in % of {first.reference}")
    return figure


def write_band(band: Band, folder: Path) -> None:
    """Keep a band beside the runs it belongs to."""
    replace_all({folder / FILE: msgspec.json.format(msgspec.json.encode(band))})


def read_band(folder: Path) -> Band | None:
    """Return the band kept in a folder, if there is one."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Band)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{path} is damaged ({error}); delete it, then `audience resume` tries the arms before "
            "other audiences again"
        ) from None


def _percent(difference: Difference) -> Interval:
    scale = 100.0 / abs(difference.reference_mean) if difference.reference_mean else math.nan
    mean, low, high = difference.difference, difference.low, difference.high
    return Interval(mean * scale, low * scale, high * scale)


def _ahead(difference: Difference) -> str:
    if not difference.is_clear:
        return UNCLEAR
    return difference.other if difference.difference > 0 else difference.reference
