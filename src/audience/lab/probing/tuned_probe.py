"""A model tuned to be a user, against what is asked of it: choices, calibration, orders, speech."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from audience.files import replace_all
from audience.grounding import Bin
from audience.lab.evaluation import (
    CHOOSE,
    MATCHED,
    UNIFORM,
    AnswerStore,
    ContestAnswers,
    ContestantRow,
    ContestRules,
    Doors,
    Ground,
    Progress,
    Result,
    arenas,
    asked_mind,
    baseline_contestants,
    contest_markdown,
    discrimination_result,
    mind_contestants,
    play,
    read_real,
)
from audience.lab.probing.choice_calibration import BY_CHANCE, PART, calibration_of
from audience.lab.probing.option_orders import option_order_rows, order_answers
from audience.lab.probing.questions import AT_ONCE, AT_ONCE_EMBEDDED, Asker
from audience.lab.probing.result import Probed, ProbeRow, difference, foot, keep, known, table
from audience.lab.probing.speech_probe import speech_notes, speech_rows, spoken_lines
from audience.lab.probing.town import Town, town_of
from audience.llm import Counts
from audience.results import figure_files, reliability_figure, to_markdown
from audience.scenario import cost_of, name_of

NAME = "tuned"
TRAINED_ON = "MovieLens 1M"
BARS: Mapping[str, Mapping[str, float]] = {
    "uniform": {"(1,5)": 0.736, "(3,3)": 0.857, "(3,7)": 0.780, "(1,9)": 0.675},
    "matched": {"(1,5)": 0.615, "(3,3)": 0.782, "(3,7)": 0.680, "(1,9)": 0.536},
}
"""Right choices asked of the packaged model: people of MovieLens 1M that it has not seen, matched
negatives from windows of `BAR_WINDOW` ranks."""
BAR_WINDOW = 200
FULL: Mapping[str, Mapping[str, float]] = {
    "uniform": {"(1,5)": 0.756, "(3,3)": 0.877, "(3,7)": 0.800, "(1,9)": 0.695},
    "matched": {"(1,5)": 0.635, "(3,3)": 0.802, "(3,7)": 0.700, "(1,9)": 0.556},
}
"""What full fine-tuning of the same base model reached on 1,000 such people, not quantised."""
SPEAKERS = 100
"""People of the embedded films who speak."""
BESIDE = "bar or expected"
_ORDERED = f"{UNIFORM} (1,9)"
"""The task whose lists are shown in several orders."""
NOTES = (
    f"{BESIDE}: the bar of the packaged model for choices, orders and speech, 0 for paired "
    "differences; for calibration and the option listed first, what a calibrated or unbiased model "
    "would have.",
    "Calibration: chances among the candidates against the share of people's choices that each "
    "got; the expected calibration error is beside that of a calibrated model on as many cases.",
    "Orders: a run lists options by title, so a page in another order is the same question by "
    "construction; the other rows list the options in drawn orders, which no run does.",
    "Speed is wall time of this evaluation on this machine: the bars are 500 a second on one H200 "
    "behind vLLM, and 0.5 a second on two cores.",
)


class TunedRows(msgspec.Struct, frozen=True):
    """What was measured beside the contest."""

    rows: tuple[ProbeRow, ...]
    notes: tuple[str, ...]
    reliability: dict[str, tuple[Bin, ...]]
    """Bins of equal chances, by task."""


class TunedResult(msgspec.Struct, frozen=True):
    """The contest that a tuned model took part in, and all else that was measured."""

    contest: Result
    probed: Probed
    reliability: dict[str, tuple[Bin, ...]]


class TunedOptions(msgspec.Struct, frozen=True):
    """What is measured, and on whom."""

    data: Path
    kind: str = NAME
    """A mind that decides by scoring."""
    agents: int | None = None
    least: int = 0
    """Items that fewer people took are left out."""
    seed: int = 1
    unseen: bool = True
    """Ask only people that the packaged model was not trained on."""
    window: int = BAR_WINDOW
    lists: int = 200
    """Lists that are asked about in five orders."""
    lines: int = 300
    """Lines that are spoken about drawn facts."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Everybody of the contest but baselines."""
        return ("grounded", self.kind, f"grounded+{self.kind}")


async def tuned(
    options: TunedOptions, doors: Doors, progress: Progress, folder: Path
) -> TunedResult:
    """Return all that is measured of a tuned model; answers are kept in the folder."""
    real = read_real(options.data, least=options.least)
    seed = options.seed
    contests = arenas(
        real,
        agents=options.agents,
        seed=seed,
        unseen=options.unseen,
        window=options.window,
    )
    rules = ContestRules(CHOOSE, real.domain, seed, doors, progress, profiles=real.profiles)
    entries = [*baseline_contestants(), *mind_contestants(options.kinds, rules)]
    keeper = AnswerStore(folder, fresh=doors.fresh)
    played = [await play(contest, entries, keeper, progress) for contest in contests]
    name = name_of(doors.models)
    contest = discrimination_result(
        real, played, entries, seed=seed, model=name or doors.models.address
    )
    door = doors.open()
    at_once = AT_ONCE if doors.models.address else AT_ONCE_EMBEDDED
    asker = Asker(door, model=name, seed=seed, at_once=at_once)
    town = town_of("films", SPEAKERS, seed)
    measured = await tuned_rows(
        played, options.kind, rules, asker, town, lists=options.lists, lines=options.lines
    )
    is_barred = options.unseen and real.name.startswith(TRAINED_ON)
    spent = (door.meter.total(), door.meter.cost(), cost_of(folder, doors.models))
    return tuned_result(contest, options.kind, measured, *spent, is_barred=is_barred)


async def tuned_rows(
    played: Sequence[ContestAnswers],
    kind: str,
    rules: ContestRules,
    asker: Asker,
    town: Town,
    *,
    lists: int,
    lines: int,
) -> TunedRows:
    """Return what is not in the table of the contest.

    `lists` of the contest are asked about in five orders, `lines` are spoken about drawn facts.
    """
    calibration = calibration_of(played, kind, rules.seed)
    arena = played[0].arena
    mind = asked_mind(kind, rules, Ground(arena.lives, arena.seed, arena.weighed))
    [task] = [task for task in arena.tasks if task.name == _ORDERED]
    ordered = await order_answers(mind, task.cases[:lists], rules.seed)
    spoken = await spoken_lines(asker, town, lines) if lines else []
    said = speech_rows(spoken, rules.seed) if spoken else []
    rows = (*calibration.rows, *option_order_rows(ordered, rules.seed), *said)
    return TunedRows(rows, speech_notes(spoken) if spoken else (), calibration.bins)


def contest_rows(result: Result, kind: str, *, is_barred: bool) -> list[ProbeRow]:
    """Return what the contest says of a mind: its choices, paired differences and speed.

    `is_barred`: the people, negatives and items are those that the bars were set for.
    """
    [mine] = [row for row in result.rows if row.name == kind]
    rows = []
    for group, bars in BARS.items():
        for column, cell in mine.cells.get(group, {}).items():
            three = known(cell.value)
            bar = bars.get(column) if is_barred else None
            rows.append(ProbeRow("choices", f"{group} {column}", *three, cell.users, chance=bar))
    rows += _less_full(mine) if is_barred else []
    for pair in (pair for pair in result.pairs if kind in pair.name):
        for group in BARS:
            # More than evidence among items as popular, and more than a mix on data it never saw.
            is_asked = group == MATCHED if pair.name != kind else not is_barred
            for column, apart in pair.cells.get(group, {}).items():
                what = f"{pair.name}, {group} {column}"
                values = (*known(apart), apart.count, 0, 0.0 if is_asked else None, "difference")
                rows.append(ProbeRow(f"less {pair.than}", what, *values))
    if mine.seconds and mine.decided:
        rate = mine.decided / mine.seconds
        what, asked = "page decisions a second", round(mine.decided)
        rows.append(ProbeRow("speed", what, rate, None, None, asked, unit="count"))
    return rows


def _less_full(mine: ContestantRow) -> list[ProbeRow]:
    """Return what an adapter and quantisation lose; the intervals are of this model's people."""
    rows = []
    for group, reached in FULL.items():
        for column, full in reached.items():
            if cell := mine.cells.get(group, {}).get(column):
                mean, low, high = (difference(value, full) for value in known(cell.value))
                what = f"{group} {column}"
                lost = (mean, low, high, cell.users)
                rows.append(ProbeRow("less full tuning", what, *lost, unit="difference"))
    return rows


def tuned_result(
    contest: Result,
    kind: str,
    measured: TunedRows,
    spent: Counts,
    cost: str,
    in_all: str,
    *,
    is_barred: bool,
) -> TunedResult:
    """Return everything that was measured as one result."""
    rows = (*contest_rows(contest, kind, is_barred=is_barred), *measured.rows)
    notes = (bars_met(rows), *contest.notes, *NOTES, *measured.notes)
    about = (NAME, contest.model, contest.dataset, contest.users, contest.seed)
    [mine] = [row for row in contest.rows if row.name == kind]
    calls = mine.spent.calls
    figures = (rows, notes, spent, calls, calls - mine.unreadable)
    probed = Probed(*about, *figures, cost, in_all, BESIDE, 3)
    return TunedResult(contest, probed, measured.reliability)


def bars_met(rows: Sequence[ProbeRow]) -> str:
    """Return which bars are met, in words; a difference is if its whole interval is above."""
    barred = [row for row in rows if row.chance is not None and _is_bar(row)]
    short = [f"{row.part} {row.what}" for row in barred if not _is_met(row)]
    told = f"Bars met: {len(barred) - len(short)} of {len(barred)}"
    return f"{told}; not: {'; '.join(short)}." if short else f"{told}."


def _is_bar(row: ProbeRow) -> bool:
    """Return whether a row is compared with a bar, not with what is to be expected."""
    return row.part not in (PART, BY_CHANCE) and "listed first" not in row.what


def _is_met(row: ProbeRow) -> bool:
    value = row.low if row.unit == "difference" else row.value
    if value is None or row.chance is None:
        return False
    return value > row.chance if row.unit == "difference" else value >= row.chance


def keep_tuned(result: TunedResult, folder: Path) -> list[Path]:
    """Write everything but the contest's own files into a folder and return the paths."""
    written = keep(result.probed, folder)
    measured = to_markdown(table(result.probed), bare=True)
    parts = [contest_markdown(result.contest), measured, foot(result.probed), ""]
    contents = {"report.md": "\n".join(parts).encode()}
    if result.reliability:
        contents |= figure_files(
            reliability_figure(result.reliability), "reliability", ("png", "svg")
        )
    return [*written, *replace_all({folder / name: body for name, body in contents.items()})]
