"""A genesis from real data: its items, its people, their ties and what they lived."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np

from audience.datasets.corpus import Corpus, at_least, chosen, halves
from audience.datasets.people import (
    ACTIVITIES,
    TRAITS,
    activity,
    activity_law,
    check_shape,
    draw_habits,
    draw_levels,
    draw_names,
    draw_temper,
    draw_traits,
    fit_activity,
    levels_of,
    small_world,
)
from audience.datasets.source import Source
from audience.datasets.splits import Training, leave_last
from audience.errors import BadInput, unknown
from audience.outside import FilePath
from audience.world import (
    NO_HABITS,
    Bools,
    Catalogue,
    Clock,
    Genesis,
    Past,
    Profile,
    Ties,
    dice,
    shown,
)

log = logging.getLogger(__name__)
_NO_AGE = 40


class SourceOptions(msgspec.Struct, frozen=True):
    """Which part of a source is used, and what is drawn where the source says nothing."""

    min_per_person: int = 0
    min_per_item: int = 0
    core: bool = False
    """Repeat until everybody who is left has enough interactions."""
    sample: bool = False
    """Draw the people at random; otherwise they come in the order of the source."""
    hold_last: int = 0
    """Hold out the last interactions of each person, to measure on them."""
    apart: bool = False
    """Take the people of the run from one half, drawn by name; what is learnt about items comes
    from the other half alone, whose interactions minds may know and recommenders never see."""
    move: bool = False
    """Shift all timestamps so that the last is just before the run begins."""
    activity: str | Mapping[str, Any] = "past"
    """`past`: as often as in the data; `fitted`: drawn from the law that fits the data better; or
    drawn: lognormal, pareto, equal, or a table with law, alpha and minimum."""
    degree: float = 8
    rewire: float = 0.1
    homophily: float = 0.7
    """The small world that is drawn if the source has no ties."""

    def __post_init__(self) -> None:
        drawn = isinstance(self.activity, Mapping) or self.activity in ACTIVITIES
        if not drawn and self.activity not in ("past", "fitted"):
            raise unknown("activity", str(self.activity), ("past", "fitted", *ACTIVITIES))
        if drawn:
            activity_law(self.activity)
        check_shape(self.degree, self.rewire, self.homophily)


class Loaded:
    """A dataset read from files; how they are read is the subclass's `reads`."""

    reads: ClassVar[Callable[..., Corpus]]

    def __init__(self, path: FilePath | Path, **options: Any) -> None:  # noqa: ANN401
        names = SourceOptions.__struct_fields__
        self.path = Path(path)
        self.choices = SourceOptions(**{key: options.pop(key) for key in names if key in options})
        inspect.signature(type(self).reads).bind(None, **options)
        self.options = options

    def corpus(self) -> Corpus:
        """Return all that the files hold."""
        return type(self).reads(Source(self.path), **self.options)

    def genesis(self, people: int, seed: int, clock: Clock) -> Genesis:
        """Return the world of the first, or of drawn, people of the data."""
        return genesis_of(self.read(), people, seed, clock, self.choices)

    def read(self) -> Corpus:
        """Return the same as `corpus`, reporting what was left out."""
        corpus = self.corpus()
        for one in corpus.skipped:
            log.warning("%s: %d left out: %s (%s)", corpus.name, one.count, one.reason, one.first)
        return corpus


def genesis_of(
    corpus: Corpus, people: int, seed: int, clock: Clock, choices: SourceOptions | None = None
) -> Genesis:
    """Return a genesis; quality, interests and activity come from the given interactions alone.

    What the data does not say of anybody (names, traits, habits, ties) is drawn. With `apart`, a
    person's interests and activity are measured by what is usual in the other half.
    """
    options = choices or SourceOptions()
    kept = training_part(corpus, options)
    mine, others = halves(kept, seed) if options.apart else (kept, kept)
    training = Training(others)
    here = chosen(mine, people, seed, sample=options.sample)
    profiles = _profiles(here, training, seed, options.activity)
    pairs = zip(here.items, training.quality.tolist(), strict=True)
    items = tuple(msgspec.structs.replace(item, quality=good) for item, good in pairs)
    if here.ties is None:
        ties = small_world(profiles, seed, options.degree, options.rewire, options.homophily)
    else:
        edges = here.ties
        columns = (edges.firsts, edges.others, edges.kinds, edges.closeness.astype(np.float32))
        ties = Ties.of(people, *columns, edges.names)
    past = _past(here, clock, move=options.move)
    known = _past(others, clock, move=options.move) if options.apart else ()
    return Genesis(Catalogue(items), profiles, ties, clock, here.domain, past, known)


def training_part(corpus: Corpus, choices: SourceOptions) -> Corpus:
    """Return the selected people and items, without the interactions that are held out."""
    kept = at_least(corpus, choices.min_per_person, choices.min_per_item, core=choices.core)
    return leave_last(kept, choices.hold_last).corpus if choices.hold_last else kept


def _past(corpus: Corpus, clock: Clock, *, move: bool) -> tuple[Past, ...]:
    lived = corpus.lived
    if not len(lived):
        return ()
    begin, last = clock.at(1), int(lived.at[-1])
    # Invented timestamps may as well be recent.
    at = lived.at + (begin - 1 - last) if move or not corpus.dated else lived.at
    if at[-1] >= begin:
        raise BadInput(
            f"{corpus.name} reaches {shown(last)}, but the run begins at {shown(begin)}; let it "
            "begin later ([clock] start = …), or set move = true in [dataset]"
        )
    # Half stars are given upwards: 0.5 is one star, since 0 says that there are none.
    stars = np.floor(lived.stars + 0.5).astype(np.int64)
    columns = (lived.users, lived.items, at, lived.fractions, stars)
    return tuple(map(Past, *(column.tolist() for column in columns)))


def _profiles(
    corpus: Corpus, whole: Training, seed: int, level: str | Mapping[str, Any]
) -> tuple[Profile, ...]:
    """Return the people with their missing fields learnt from their past, or drawn."""
    people, own = corpus.people, Training(corpus)
    changes = _drawn(people, seed)
    if not any(who.interests for who in people):
        changes["interests"] = list(own.interests(whole.tag_popularity))
    if not any(who.name for who in people):
        changes["name"] = list(draw_names(_women(people, seed), seed))
    if level == "past" and whole.counts.any():
        changes["activity"] = levels_of(own.counts, float(whole.counts.mean())).tolist()
    elif level == "fitted":
        changes["activity"] = draw_levels(fit_activity(whole.counts), len(people), seed).tolist()
    else:
        drawn = activity(len(people), "lognormal" if level == "past" else level, seed)
        changes["activity"] = drawn.tolist()
    rows = zip(*changes.values(), strict=True)
    return tuple(
        msgspec.structs.replace(who, **dict(zip(changes, row, strict=True)))
        for who, row in zip(people, rows, strict=True)
    )


def _women(people: tuple[Profile, ...], seed: int) -> Bools:
    """Return who gets a woman's name: women, and half of those whose gender is unknown."""
    either = dice(seed, "data", "gender", np.arange(len(people))).uniform("name") < 0.5
    unsaid = np.array([who.gender not in ("female", "male") for who in people])
    women: Bools = np.array([who.gender == "female" for who in people]) | (either & unsaid)
    return women


def _drawn(people: tuple[Profile, ...], seed: int) -> dict[str, list[Any]]:
    """Return traits and habits for people of whom the data has none."""
    ages = np.array([_NO_AGE if who.age is None else who.age for who in people], np.int64)
    temper = draw_temper(ages, seed)
    traits, counts = draw_traits(temper, seed)
    columns: dict[str, list[Any]] = {}
    if not any(who.traits for who in people):
        rows = zip(traits.tolist(), counts.tolist(), strict=True)
        columns["traits"] = [tuple(TRAITS[trait] for trait in row[:size]) for row, size in rows]
    if all(who.habits == NO_HABITS for who in people):
        columns["habits"] = list(draw_habits(temper, traits, counts, seed))
    return columns
