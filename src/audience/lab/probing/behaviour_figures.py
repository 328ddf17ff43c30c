"""Five figures of behaviour, and how far minds are from people in each, beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audience.agents import LLMMind, Mind, RuleMind, TunedMind
from audience.datasets import embedded_people
from audience.errors import BadInput, unknown
from audience.files import replace_all
from audience.lab.evaluation import Real, is_tuned, read_real
from audience.lab.probing.behaviour_probe import (
    FINISHED,
    PLACES,
    REAL_STARS,
    Deeds,
    visited,
)
from audience.lab.probing.questions import Asker
from audience.lab.probing.result import ProbeRow, ProbeTable, known
from audience.lab.probing.town import Town
from audience.lab.probing.visits import prompts_of
from audience.llm import TUNED
from audience.results import SHARE, bootstrap, percentile_interval
from audience.toml_reader import read_toml
from audience.world import Floats, Ints, rng

FILE = "figures.json"
_DRAWS = 500
KINDS = ("tuned", "llm", "rule")
RULE, FITTED = "rule", "rule, fitted"
"""Rule minds with their usual parameters, and with those fitted to public figures of films."""
TITLES = 15
"""Titles that people look at before they choose or leave; on pages of five, three pages."""
_LOOKED = "Gomez-Uribe and Hunt, ACM TMIS 6:13, 2015: 10 to 20 titles before people choose or leave"
NOTHING, PLACED, STARRED, WATCHED, LEAVING = (
    "nothing picked from a page",
    "place of picks",
    "stars",
    "watched to the end",
    "leave after a page",
)
FIGURES = (NOTHING, PLACED, STARRED, WATCHED, LEAVING)
IS_FITTED, IS_LAW = "fitted to public figures", "given by law"
MARKS: Mapping[str, Mapping[str, str]] = {
    FITTED: {STARRED: IS_FITTED, WATCHED: IS_FITTED},
    "tuned": {PLACED: IS_LAW, STARRED: IS_FITTED, WATCHED: IS_FITTED},
}
"""What minds were fitted to or made with: there a small distance is no finding."""


class FigureTarget(msgspec.Struct, frozen=True):
    """What is known of people: the share of each outcome, and where that comes from."""

    shares: tuple[float, ...]
    source: str


class FigureDistance(msgspec.Struct, frozen=True):
    """One figure of one mind."""

    shares: tuple[float, ...]
    distance: float | None
    """Half the summed differences from people's shares; None where nothing was done."""
    low: float | None
    high: float | None
    """A 95 % interval over the mind's people."""
    count: int
    by_chance: float
    """The distance of people themselves, if so few of their answers were drawn."""
    mark: str = ""
    """Whether the mind was fitted to it, or made with it."""


class MindFigures(msgspec.Struct, frozen=True):
    """All figures of one mind, by name."""

    name: str
    figures: dict[str, FigureDistance]
    failed: int = 0
    """Decisions that could not be read; they are in no figure."""


class FigureFile(msgspec.Struct, frozen=True):
    """The figures of several minds, as kept beside their table."""

    dataset: str
    seed: int
    targets: dict[str, FigureTarget]
    minds: tuple[MindFigures, ...]


def targets_of(town: Town, data: str) -> dict[str, FigureTarget]:
    """Return what is known of people; stars are those of the data's other people, if it has any."""
    curve = 1.0 / np.sqrt(np.arange(1, PLACES + 1))
    pages = TITLES / PLACES
    seen = f"{_LOOKED}; {TITLES} on pages of {PLACES}"
    stars = FigureTarget(tuple(REAL_STARS.values()), "MovieLens-1M, a million ratings")
    if town.is_real:
        stars = _stars_of(town, read_real(Path(data))) or stars
    return {
        NOTHING: _yes(1.0 - 1.0 / pages, f"{seen}, a pick on one of them"),
        PLACED: FigureTarget(tuple((curve / curve.sum()).tolist()), "1 / sqrt(place)"),
        STARRED: stars,
        WATCHED: _yes(0.64, "16 Netflix films, Digital i by What's on Netflix, 2024: .44 to .78"),
        LEAVING: _yes(1.0 / pages, seen),
    }


def _yes(share: float, source: str) -> FigureTarget:
    return FigureTarget((share, 1.0 - share), source)


def _stars_of(town: Town, real: Real) -> FigureTarget | None:
    """Return the stars of people who are not played; None where the data have none."""
    played = {profile.key for profile in town.genesis.profiles}
    others = np.array([key not in played for key in real.keys], np.bool_)
    rows = real.stars > 0
    rows &= others[real.users] if others.any() else True
    if not rows.any():
        return None
    counts = np.bincount(np.clip(np.floor(real.stars[rows] + 0.5), 1, 5).astype(int), minlength=6)
    shares = tuple((counts[1:] / counts.sum()).tolist())
    whom = f"{int(others.sum()):,} other people" if others.any() else "all people"
    return FigureTarget(shares, f"{whom} of {town.name}, {int(rows.sum()):,} ratings")


def outcomes(lived: Deeds) -> dict[str, list[tuple[int, int]]]:
    """Return who did what, as the number of an outcome, for each figure."""
    picks = [(page.who, place - 1) for page in lived.pages for place in page.places]
    return {
        NOTHING: [(page.who, int(bool(page.places))) for page in lived.pages],
        PLACED: [(who, place) for who, place in picks if place < PLACES],
        STARRED: [(who, stars - 1) for who, stars in lived.stars if stars],
        WATCHED: [(who, int(fraction < FINISHED)) for who, fraction in lived.watched],
        LEAVING: [(page.who, int(page.after != "leave")) for page in lived.pages],
    }


def figures_of(
    name: str, lived: Deeds, targets: Mapping[str, FigureTarget], seed: int
) -> MindFigures:
    """Return how far a mind is from people in each figure."""
    done = outcomes(lived)
    marks = MARKS.get(name, {})
    return MindFigures(
        name,
        {
            figure: _distance(done[figure], target, seed, marks.get(figure, ""))
            for figure, target in targets.items()
        },
        round(sum(value or 0.0 for _, value in lived.failed)),
    )


def _distance(
    done: Sequence[tuple[int, int]], target: FigureTarget, seed: int, mark: str
) -> FigureDistance:
    people = {who: place for place, who in enumerate(sorted({who for who, _ in done}))}
    table = np.zeros((len(people), len(target.shares)))
    for who, outcome in done:
        table[people[who], outcome] += 1
    real = np.array(target.shares)

    def apart(drawn: Ints) -> float:
        return total_variation(table[drawn].sum(axis=0), real)

    if not done:
        return FigureDistance((), None, None, None, 0, 0.0, mark)
    samples = bootstrap(apart, len(people), seed=seed, names=("figures",))
    value = apart(np.arange(len(people)))
    sums = table.sum(axis=0)
    three = known(percentile_interval(value, samples, bounds=SHARE))
    shares = tuple((sums / sums.sum()).tolist())
    return FigureDistance(shares, *three, len(done), _by_chance(real, len(done), seed), mark)


def _by_chance(shares: Floats, count: int, seed: int) -> float:
    """Return the mean distance of so many draws from the shares themselves."""
    drawn = rng(seed, "probe", "figures", count).multinomial(count, shares, size=_DRAWS)
    return float(np.mean([total_variation(each.astype(np.float64), shares) for each in drawn]))


def total_variation(counts: Floats, shares: Floats) -> float:
    """Return half the summed differences between counts, as shares, and other shares."""
    return float(np.abs(counts / max(counts.sum(), 1.0) - shares).sum() / 2.0)


def figure_kinds(text: str) -> tuple[str, ...]:
    """Return the minds of a list such as `tuned,llm`; rule minds are compared with anyway."""
    given = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not given:
        raise BadInput(f"--mind is empty; give one or more of {', '.join(KINDS)}")
    for kind in given:
        if kind not in KINDS:
            raise unknown("--mind", kind, KINDS)
    return given


def fitted_rules() -> dict[str, Any]:
    """Return the parameters of rule minds that agree with public figures of films."""
    return dict(read_toml(embedded_people("films"), "public figures")["mind"])


def compared_kinds(kinds: Sequence[str], asker: Asker, words: str) -> dict[str, Mind]:
    """Return rule minds, usual and fitted, and the named minds, by their names in the table.

    Tuned minds have the fitted parameters for what follows a pick, as in a run on films.
    """
    fitted = fitted_rules()
    minds: dict[str, Mind] = {RULE: RuleMind(), FITTED: RuleMind(**fitted)}
    folder = prompts_of(asker)
    if "llm" in kinds:
        minds["llm"] = LLMMind(asker, model=asker.model, prompts=folder, words=words)
    if "tuned" in kinds:
        model = asker.model if is_tuned(asker.model) else TUNED
        minds["tuned"] = TunedMind(asker, model=model, prompts=folder, **fitted)
    return minds


async def measured_figures(
    minds: Mapping[str, Mind],
    town: Town,
    targets: Mapping[str, FigureTarget],
    *,
    rounds: int,
    seed: int,
) -> FigureFile:
    """Return the figures of each mind, which lives the same rounds as the same people."""
    if rounds < 1:
        raise BadInput(f"--rounds {rounds}: people need a round to live in; give 1 or more")
    every = []
    for name, mind in minds.items():
        lived = await visited(mind, town, rounds)
        every.append(figures_of(name, lived, targets, seed))
    return FigureFile(town.name, seed, dict(targets), tuple(every))


def with_earlier(file: FigureFile, folders: Sequence[Path]) -> FigureFile:
    """Return the figures with those of minds that were measured before, named after the folder."""
    minds = list(file.minds)
    for folder in folders:
        earlier = read_figures(folder)
        if earlier.targets != file.targets:
            raise BadInput(
                f"--beside {folder}: its figures are compared with other people; measure it again "
                "with the same --data, --agents and --seed"
            )
        asked = [mind for mind in earlier.minds if mind.name not in (RULE, FITTED)]
        minds += [
            msgspec.structs.replace(mind, name=f"{mind.name} ({folder.name})") for mind in asked
        ]
    return msgspec.structs.replace(file, minds=tuple(minds))


def read_figures(folder: Path) -> FigureFile:
    """Return the figures that an earlier evaluation left in its folder."""
    remedy = "give the folder of `audience eval behaviour --mind …`"
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=FigureFile)
    except OSError as error:
        raise BadInput(f"--beside {folder}: {error.strerror or error}; {remedy}") from error
    except msgspec.MsgspecError as error:
        raise BadInput(f"--beside {folder}: {FILE}: {error}; {remedy}") from error


def keep_figures(file: FigureFile, folder: Path) -> list[Path]:
    """Write the figures, to be compared with later ones, and return the path."""
    return replace_all({folder / FILE: msgspec.json.format(msgspec.json.encode(file))})


def figures_table(file: FigureFile) -> ProbeTable:
    """Return the minds beside each other, figure by figure."""
    rows = tuple(
        _row(figure, mind.name, mind.figures[figure]) for figure in FIGURES for mind in file.minds
    )
    notes = (*_closer(file), *_told(file), *_failed(file), *_NOTES)
    return ProbeTable(rows, notes, "by chance")


def _failed(file: FigureFile) -> list[str]:
    some = [f"{mind.name} {mind.failed:,}" for mind in file.minds if mind.failed]
    return [f"Failed decisions, in no figure: {', '.join(some)}."] if some else []


_NOTES = (
    "Distance: half the summed differences between the shares of outcomes of minds and of people; "
    "95 % interval over the simulated people, what people do being taken as known. By chance: the "
    "mean distance of as many answers drawn from people's shares; nobody can be expected below.",
    f"{IS_FITTED}, {IS_LAW}: the mind was fitted to that figure or made with it, so that its "
    "distance there is no finding. Tuned minds choose by the model and rate, watch and leave by "
    "the laws of rule minds.",
)


def _row(figure: str, name: str, each: FigureDistance) -> ProbeRow:
    mark = f" ({each.mark})" if each.mark else ""
    return ProbeRow(
        figure,
        f"{name}: distance{mark}",
        *(each.distance, each.low, each.high),
        each.count,
        chance=each.by_chance,
    )


def _closer(file: FigureFile) -> list[str]:
    """Return on how many figures each mind that asks a model is closer than each other mind."""
    lines = []
    for mind in file.minds:
        for other in file.minds:
            if mind.name in (RULE, FITTED) or other is mind:
                continue
            better = [figure for figure in FIGURES if _is_closer(mind, other, figure)]
            free = [figure for figure in better if not mind.figures[figure].mark]
            lines.append(
                f"{mind.name} is closer to people than {other.name} on {len(better)} of "
                f"{len(FIGURES)}"
                + (f" ({', '.join(better)})" if better else "")
                + f"; {len(free)} of them neither fitted nor given by law."
            )
    return lines


def _is_closer(mind: MindFigures, other: MindFigures, figure: str) -> bool:
    mine, theirs = (each.figures[figure].distance for each in (mind, other))
    return mine is not None and (theirs is None or mine < theirs)


def _told(file: FigureFile) -> list[str]:
    """Return the shares themselves and the sources of what is known of people."""
    lines = []
    for figure in FIGURES:
        target = file.targets[figure]
        some = [("people", target.shares)]
        some += [(mind.name, mind.figures[figure].shares) for mind in file.minds]
        shown = "; ".join(f"{name} {_digits(shares)}" for name, shares in some)
        lines.append(f"{figure}: {shown}. People: {target.source}.")
    return lines


def _digits(shares: Sequence[float]) -> str:
    """Return shares in two digits; of two outcomes, the first."""
    if not shares:
        return "–"
    return " ".join(f"{share:.2f}"[1:] if share < 0.995 else "1" for share in _first(shares))


def _first(shares: Sequence[float]) -> Sequence[float]:
    return shares[:1] if len(shares) == 2 else shares
