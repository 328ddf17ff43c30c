"""Fit the people of the embedded films to public figures, and write films.toml.

What people give in stars and how much of a film they watch is moved until it agrees with the
figures, over pages of random and of popular films; the same is then measured with people of other
seeds. Where figures agree already, parameters stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audience.agents import RuleMind
from audience.agents.rule import RuleParameters
from audience.engine import Activation, Parts, Platform, Rules, Simulation, run, run_sync
from audience.lab.probing import Deeds, KeptChapters, lived_in
from audience.memory import NoMemory
from audience.recommenders import Popular, Random, Recommender
from audience.results import FittedFigure
from audience.scenario import dump, from_tree, genesis_of
from audience.world import Chapter, Genesis, World

FILE = Path(__file__).parents[1] / "src" / "audience" / "datasets" / "embedded" / "films.toml"
FITTED, CHECKED = (11, 12, 13), (21, 22, 23)
"""Seeds of the people that are fitted, and of those that the table is about."""
PEOPLE, ROUNDS = 400, 5
PLACES = 5
STEPS, HALVINGS = 8, 9
BOUNDS = ("two_stars", "three_stars", "four_stars", "five_stars")
STARS = (0.056, 0.108, 0.261, 0.349, 0.226)
FINISHED = 0.64
ML_1M = "MovieLens-1M, a million ratings"
NETFLIX = "16 Netflix films, Digital i by What's on Netflix, 2024: .44 to .78"
TITLES = "Gomez-Uribe and Hunt, ACM TMIS 6:13, 2015: 10 to 20"
CURVE = "1 / sqrt(place)"
HEAD = """\
# The people of the embedded films: [mind] is fitted to public figures by tools/fit_embedded.py,
# [[figures]] are those of people of other seeds. Made, not written: run the tool to change it.
"""
Moved = Mapping[str, Any]
Measure = Callable[[Deeds], float]


def lived(moved: Moved, seeds: tuple[int, ...]) -> Deeds:
    """Return what people of some seeds do, half with random and half with popular films."""
    chapters: list[Chapter] = []
    for seed in seeds:
        genesis = genesis_of(from_tree({"agents": PEOPLE}, "fit"), seed)
        for recommender in (Random(), Popular()):
            chapters += _lived(RuleMind(**moved), genesis, recommender, seed)
    return lived_in(chapters)


def _lived(mind: RuleMind, genesis: Genesis, recommender: Recommender, seed: int) -> list[Chapter]:
    diary = KeptChapters()
    waking = Activation("random", 1.0, 0.0)
    parts = Parts(mind, NoMemory(), lambda swap: ("one", recommender), Platform(), waking, {})
    rules = Rules(rounds=ROUNDS, deadline=0.0)
    run_sync(lambda: run(Simulation(World(genesis), diary, parts, rules, seed)))
    return diary.chapters


def star_shares(deeds: Deeds) -> np.ndarray:
    """Return the share of each number of stars."""
    given = np.bincount([stars for _, stars in deeds.stars], minlength=6)[1:]
    return np.asarray(given / given.sum())


def star_share(stars: int, deeds: Deeds) -> float:
    """Return the share of ratings with so many stars."""
    return float(star_shares(deeds)[stars - 1])


def finished(deeds: Deeds) -> float:
    """Return the share of films watched to the end."""
    return float(np.mean([fraction >= 0.9 for _, fraction in deeds.watched]))


def odds(upto: np.ndarray) -> np.ndarray:
    inside = np.clip(upto, 1e-3, 1 - 1e-3)
    return np.asarray(np.log(inside / (1 - inside)))


def fit() -> dict[str, float]:
    """Return the bounds of the stars and of leaving a film, moved until shares agree."""
    usual = msgspec.to_builtins(RuleParameters())
    moved = {name: usual[name] for name in BOUNDS}
    target = odds(np.cumsum(STARS)[:-1])
    for _ in range(STEPS):
        off = target - odds(np.cumsum(star_shares(lived(moved, FITTED)))[:-1])
        bounds = np.array([moved[name] for name in BOUNDS]) + 0.08 * off
        moved = dict(zip(BOUNDS, np.round(np.sort(bounds), 4).tolist(), strict=True))
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        share = finished(lived({**moved, "dropped": middle}, FITTED))
        low, high = (middle, high) if share > FINISHED else (low, middle)
    return {**moved, "dropped": round((low + high) / 2, 3)}


def figures(fitted: Moved) -> Iterator[FittedFigure]:
    """Yield the public figures beside those of people who were not fitted."""
    now, before = lived(fitted, CHECKED), lived({}, CHECKED)

    def row(name: str, target: float, measure: Measure, source: str) -> FittedFigure:
        reached, was = (round(measure(each), 3) for each in (now, before))
        return FittedFigure(name, round(target, 3), reached, was, source)

    yield row("films watched to the end", FINISHED, finished, NETFLIX)
    for stars, target in enumerate(STARS, 1):
        name = f"{stars} star{'s' * (stars > 1)}"
        yield row(name, target, partial(star_share, stars), ML_1M)
    yield row("titles seen in a visit", 15.0, seen, TITLES)
    curve = 1 / np.sqrt(np.arange(1, PLACES + 1))
    for place, target in enumerate((curve / curve.sum()).tolist(), 1):
        yield row(f"picks at place {place}", target, partial(picked, place), CURVE)


def seen(deeds: Deeds) -> float:
    """Return the titles on the pages of a visit."""
    return PLACES * len(deeds.pages) / deeds.visits


def picked(place: int, deeds: Deeds) -> float:
    """Return the share of picks at a place of the page."""
    return float(np.mean([at == place for page in deeds.pages for at in page.places]))


if __name__ == "__main__":
    found = fit()
    rows = [msgspec.to_builtins(row) for row in figures(found)]
    FILE.write_text(HEAD + dump({"mind": found, "figures": rows}), "utf-8")
    print(FILE.read_text("utf-8"))
