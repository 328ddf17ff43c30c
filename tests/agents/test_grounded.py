from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from audience.agents import GroundedMind
from audience.agents.language import LLMMind
from audience.agents.rule import RuleMind
from audience.agents.rule.page import read_page
from audience.errors import BadInput
from audience.grounding import Grounds, Lives, fit_grounds, grounds_of
from audience.llm import Gateway
from audience.scenario import Part, context_of, made
from audience.testing import check_batch_mind, tiny_genesis
from audience.testing.minds import observations
from audience.world import Floats, Genesis, Interactions, Observation, Past, dice, rng

Scene = Callable[..., Observation]
ITEMS = 17


class Fixed:
    """Grounds that prefer items of high number, and say so."""

    def log_odds(
        self, histories: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]
    ) -> list[Floats]:
        del histories
        return [np.array(one, np.float64) - 3.0 for one in candidates]

    def words(self, history: Sequence[int], candidates: Sequence[int]) -> list[str]:
        return [f"after {len(history)}" if item == 2 else "" for item in candidates]


class Generous:
    """Five stars for everything."""

    def predict_for(
        self,
        histories: Sequence[Sequence[tuple[int, float]]],
        items: Sequence[Sequence[int]],
    ) -> list[Floats]:
        assert len(histories) == len(items)
        return [np.full(len(one), 5.0) for one in items]


def past(people: int) -> tuple[Past, ...]:
    """Return lives that go round the catalogue from where somebody begins, two by two."""
    rows = []
    for who in range(people):
        draw = rng(3, "past", who)
        begin = int(draw.integers(ITEMS))
        rows += [Past(who, (begin + 2 * step) % ITEMS, 100 * step + who) for step in range(8)]
    return tuple(sorted(rows, key=lambda one: one.at))


@pytest.fixture(scope="module")
def grounds() -> Grounds:
    known = Interactions(tiny_genesis(60, ITEMS).catalogue, 60, past(60))
    return fit_grounds(Lives.of(known))


def on_pages(count: int = 250) -> list[Observation]:
    return [one for one in observations(count) if one.surface == "recommender"]


def test_batches_of_any_size_decide_as_each_does_alone(grounds: Grounds) -> None:
    check_batch_mind(GroundedMind(grounds), sizes=(1, 3, 16, 60))


def test_what_evidence_speaks_for_is_picked_more_often() -> None:
    seen = on_pages()
    throws = dice(5, "page", np.arange(len(seen)))
    picks = {}
    for name, mind in (("grounded", GroundedMind(Fixed())), ("rule", RuleMind())):
        page = read_page(mind.parameters, seen, throws, mind.wishes(seen))
        chosen = [
            one.me.situation.slate[row[0]]
            for one, row in zip(seen, page.picked, strict=True)
            if row[0] >= 0
        ]
        picks[name] = float(np.mean(chosen))
    assert picks["grounded"] > picks["rule"] + 2.0


def test_without_pull_evidence_counts_for_nothing() -> None:
    seen = on_pages()
    wishes = GroundedMind(Fixed(), pull=0.0, usual=0.3).wishes(seen)
    assert wishes is not None
    assert wishes.utility.min() == wishes.utility.max() == 0.3
    assert wishes.enjoyment is None


def test_ratings_take_the_place_of_taste_in_what_is_enjoyed() -> None:
    seen = on_pages()
    throws = dice(5, "page", np.arange(len(seen)))
    stars = []
    for mind in (GroundedMind(Fixed()), GroundedMind(Fixed(), ratings=Generous())):
        page = read_page(mind.parameters, seen, throws, mind.wishes(seen))
        pairs = zip(page.stars, page.picked, strict=True)
        stars.append(np.mean([row[0] for row, picked in pairs if picked[0] >= 0]))
    assert stars[1] > 4.0 > stars[0]


def test_without_a_past_it_is_a_rule_mind() -> None:
    seen = on_pages(60)
    throws = dice(1, "same", np.arange(len(seen)))
    mind = made("minds", Part("grounded"), context_of(tiny_genesis(4, ITEMS)))
    assert mind.grounds is None
    assert mind.decide_many(seen, throws) == RuleMind().decide_many(seen, throws)


def test_the_past_of_a_genesis_grounds_its_minds_with_one_fit() -> None:
    genesis = tiny_genesis(60, ITEMS, past=past(60))
    first, second = (made("minds", Part("grounded"), context_of(genesis)) for _ in range(2))
    assert first.grounds is second.grounds is grounds_of(genesis)
    assert made("minds", Part("rule"), context_of(genesis)).wishes([]) is None


def test_a_mind_may_meet_items_that_came_after_the_fit(grounds: Grounds) -> None:
    (odds,) = grounds.log_odds([[0, 2, ITEMS + 3]], [[4, ITEMS, ITEMS + 1]])
    assert np.isfinite(odds).all()
    assert odds[1] == odds[2]


class Silent:
    async def ask(self, request: Any) -> Any:
        raise AssertionError(request)

    async def close(self) -> None: ...


def prompt(mind: LLMMind, seen: Observation) -> str:
    return mind.messages(seen, (), "page")[1].content


def page(scene: Scene) -> Observation:
    seen = scene("recommender")
    return replace(seen, me=replace(seen.me, situation=replace(seen.me.situation, slate=(0, 2, 4))))


def test_evidence_stands_behind_its_item_and_the_history_is_raw(scene: Scene) -> None:
    gateway: Gateway = Silent()
    seen = page(scene)
    plain = prompt(LLMMind(gateway), seen)
    told = prompt(LLMMind(gateway, evidence=True, grounds=Fixed()), seen)
    lines = {line.split("]")[0]: line for line in told.splitlines() if line.startswith("[")}
    assert lines["[2"].endswith(f"(after {len(seen.me.history)})")
    assert lines["[1"] + "\n" in plain
    assert "You like these films: " in plain
    assert "You like these films: " not in told
    assert "<The Long Way>, 5 stars" in told


def test_grounds_change_no_prompt_unless_evidence_is_asked_for(scene: Scene) -> None:
    gateway: Gateway = Silent()
    seen = page(scene)
    assert prompt(LLMMind(gateway, grounds=Fixed()), seen) == prompt(LLMMind(gateway), seen)


def test_evidence_without_grounds_is_refused() -> None:
    with pytest.raises(BadInput, match="use data that has one"):
        LLMMind(Silent(), evidence=True)
    bare: Genesis = tiny_genesis(4, ITEMS)
    part = Part("llm", {"evidence": True})
    with pytest.raises(BadInput, match="use data that has one"):
        made("minds", part, context_of(bare, Silent()))
    assert made("minds", Part("llm"), context_of(bare, Silent())).grounds is None


def test_a_mind_that_shall_enjoy_by_stars_needs_ratings() -> None:
    with pytest.raises(BadInput, match="use data that has them"):
        GroundedMind(Fixed(), stars=True)
    assert GroundedMind(Fixed(), stars=True, ratings=Generous()).ratings is not None
