from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
from tests.lab.probing.conftest import Scripted

from audience.agents import RuleMind
from audience.errors import BadInput
from audience.lab.probing.behaviour_figures import (
    FIGURES,
    FITTED,
    IS_LAW,
    LEAVING,
    NOTHING,
    PLACED,
    RULE,
    STARRED,
    WATCHED,
    FigureFile,
    compared_kinds,
    figure_kinds,
    figures_of,
    figures_table,
    fitted_rules,
    keep_figures,
    measured_figures,
    read_figures,
    targets_of,
    total_variation,
    with_earlier,
)
from audience.lab.probing.behaviour_probe import Deeds, PageSeen
from audience.lab.probing.town import Town, town_of
from audience.llm import Request


def deeds() -> Deeds:
    """Return people of whom everything is known: two of three pages empty, the first place only."""
    pages = [
        PageSeen(who, number, (1,) if number == 1 else (), "leave" if number == 3 else "page")
        for who in range(30)
        for number in (1, 2, 3)
    ]
    stars = [(who, 1 + who % 5) for who in range(30)]
    watched = [(who, 1.0 if who % 2 else 0.5) for who in range(30)]
    return Deeds(pages=pages, stars=stars, watched=watched, failed=[(0, 1.0), (1, 0.0)])


def test_distances_are_half_the_summed_differences(town: Town) -> None:
    targets = targets_of(town, "films")
    found = figures_of("llm", deeds(), targets, 1)
    mean = {name: each.distance for name, each in found.figures.items()}
    assert tuple(mean) == FIGURES
    assert mean[NOTHING] == pytest.approx(0.0)
    assert mean[LEAVING] == pytest.approx(0.0)
    assert mean[PLACED] == pytest.approx(1.0 - targets[PLACED].shares[0])
    assert mean[WATCHED] == pytest.approx(0.14)
    assert mean[STARRED] == pytest.approx((0.144 + 0.092 + 0.061 + 0.149 + 0.026) / 2, abs=1e-3)
    low, high = found.figures[STARRED].low, found.figures[STARRED].high
    assert low is not None
    assert high is not None
    assert low < high
    assert found.figures[NOTHING].count == 90
    assert found.failed == 1
    assert total_variation(np.array([3.0, 1.0]), np.array([0.5, 0.5])) == pytest.approx(0.25)


def test_what_few_answers_would_be_off_by_chance_stands_beside(town: Town) -> None:
    found = figures_of("llm", deeds(), targets_of(town, "films"), 1)
    many = deeds()
    many.stars *= 50
    more = figures_of("llm", many, targets_of(town, "films"), 1)
    assert found.figures[STARRED].by_chance > 5 * more.figures[STARRED].by_chance > 0.0


def test_a_mind_that_did_nothing_has_no_distance(town: Town) -> None:
    found = figures_of("llm", Deeds(), targets_of(town, "films"), 1)
    assert all(each.distance is None for each in found.figures.values())
    file = asyncio.run(measured_figures({}, town, targets_of(town, "films"), rounds=1, seed=1))
    assert figures_table(file).rows == ()


def test_who_is_closer_on_which_figures_is_counted(town: Town) -> None:
    targets = targets_of(town, "films")
    worse = deeds()
    worse.stars = [(who, 5) for who in range(30)]
    worse.watched = [(who, 1.0) for who in range(30)]
    minds = [
        figures_of(name, lived, targets, 1) for name, lived in (("tuned", deeds()), ("llm", worse))
    ]
    notes = figures_table(FigureFile("films", 1, targets, tuple(minds))).notes
    assert (
        "tuned is closer to people than llm on 2 of 5 (stars, watched to the end); "
        "0 of them neither fitted nor given by law." in notes
    )
    assert (
        "llm is closer to people than tuned on 0 of 5; 0 of them neither fitted nor given by law."
        in notes
    )
    assert "Failed decisions, in no figure: tuned 1, llm 1." in notes


def first_option(request: Request) -> tuple[float, ...]:
    return (-4.0, -0.1, *(-4.0 for _ in request.options[2:]))


def test_minds_stand_beside_each_other_and_say_what_was_fitted(
    scripted: type[Scripted], town: Town
) -> None:
    asker = scripted(lambda request: "Fine.", first_option).asker()
    minds = compared_kinds(("tuned",), asker, "none")
    assert tuple(minds) == (RULE, FITTED, "tuned")
    targets = targets_of(town, "films")
    file = asyncio.run(measured_figures(minds, town, targets, rounds=1, seed=1))
    table = figures_table(file)
    assert len(table.rows) == 3 * len(FIGURES)
    whats = [row.what for row in table.rows if row.part == PLACED]
    assert whats[2] == f"tuned: distance ({IS_LAW})"
    assert whats[0] == "rule: distance"
    tuned = next(mind for mind in file.minds if mind.name == "tuned")
    assert tuned.figures[NOTHING].shares[0] < 0.2, "the model takes something from every page"
    lines = [note for note in table.notes if note.startswith("tuned is closer")]
    assert len(lines) == 2
    assert f"of {len(FIGURES)}" in lines[0]
    assert any("Gomez-Uribe" in note for note in table.notes)


def test_fitted_rule_minds_watch_as_public_figures_say() -> None:
    town = town_of("films", 150, 2)
    minds = {RULE: RuleMind(), FITTED: RuleMind(**fitted_rules())}
    file = asyncio.run(measured_figures(minds, town, targets_of(town, "films"), rounds=3, seed=1))
    usual, fitted = (mind.figures[WATCHED].distance or 0.0 for mind in file.minds)
    assert 0.0 < fitted < 0.1 < usual


def test_figures_are_kept_and_compared_with_later_ones(town: Town, tmp_path: Path) -> None:
    targets = targets_of(town, "films")
    minds = {RULE: RuleMind(), "llm": RuleMind(no_pick=-3.0)}
    file = asyncio.run(measured_figures(minds, town, targets, rounds=1, seed=1))
    keep_figures(file, tmp_path / "qwen")
    both = with_earlier(file, [tmp_path / "qwen"])
    assert [mind.name for mind in both.minds] == [RULE, "llm", "llm (qwen)"]
    assert read_figures(tmp_path / "qwen") == file
    with pytest.raises(BadInput, match="No such file"):
        with_earlier(file, [tmp_path / "nowhere"])
    (tmp_path / "qwen" / "figures.json").write_text("{}")
    with pytest.raises(BadInput, match=r"figures\.json"):
        with_earlier(file, [tmp_path / "qwen"])


def test_figures_compared_with_other_people_are_not_put_beside(town: Town, tmp_path: Path) -> None:
    targets = targets_of(town, "films")
    file = asyncio.run(measured_figures({RULE: RuleMind()}, town, targets, rounds=1, seed=1))
    keep_figures(file, tmp_path)
    other = {**targets, STARRED: targets[PLACED]}
    changed = asyncio.run(measured_figures({RULE: RuleMind()}, town, other, rounds=1, seed=1))
    with pytest.raises(BadInput, match="compared with other people"):
        with_earlier(changed, [tmp_path])


def test_stars_are_those_of_people_who_are_not_played(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id,title,tags\n" + "".join(
        f"i{n},Film {n},Drama\n" for n in range(30)))  # fmt: skip
    people = [f"p{n}" for n in range(20)]
    (tmp_path / "people.csv").write_text("id\n" + "\n".join(people) + "\n")
    rows = [
        f"p{who},i{(who + step) % 30},2020-01-{step + 1:02d},{2 if who % 2 else 5}"
        for who in range(20)
        for step in range(6)
    ]
    (tmp_path / "interactions.csv").write_text("person,item,at,stars\n" + "\n".join(rows) + "\n")
    some = town_of(str(tmp_path), 5, 1)
    target = targets_of(some, str(tmp_path))[STARRED]
    played = {profile.key for profile in some.genesis.profiles}
    others = [key for key in people if key not in played]
    fives = sum(int(key[1:]) % 2 == 0 for key in others) / len(others)
    assert len(others) == 15
    assert target.shares[4] == pytest.approx(fives)
    assert "15 other people" in target.source


def test_kinds_are_checked() -> None:
    assert figure_kinds("tuned, llm,tuned") == ("tuned", "llm")
    for text in ("", "tunes"):
        with pytest.raises(BadInput, match="--mind"):
            figure_kinds(text)


def test_a_life_needs_a_round(town: Town) -> None:
    with pytest.raises(BadInput, match="--rounds 0"):
        asyncio.run(measured_figures({}, town, targets_of(town, "films"), rounds=0, seed=1))
