from __future__ import annotations

import numpy as np
import pytest

from audience.agents import RecSimMind
from audience.agents.recsim import budget, step
from audience.engine import Platform, Rules
from audience.recommenders import Random
from audience.testing import check_batch_mind, simulate, tiny_genesis
from audience.world import Dice, dice, events as e, rng

USERS, TOPICS, SLATE = 400, 6, 4


def slow_step(interests: list[float], topics: list[int], die: Dice) -> tuple[int, int, float]:
    """RecSim's formulas for one user, written out."""
    scores = [interests[topic] + 1.0 for topic in topics]
    chances = [score / (sum(scores) + 2.0) for score in scores]
    draw, place, reached = float(die.uniform("click")[0]), -1, 0.0
    for number, chance in enumerate(chances):
        reached += chance
        if draw < reached:
            place = number
            break
    topic = topics[place]
    interest = interests[topic]
    size = (0.3 - 0.3 * abs(interest)) * (1.0 - interest)
    towards = float(die.uniform("flip")[0]) < (interest + 1.0) / 2.0
    return place, topic, size if towards else -size


def test_a_step_is_that_of_the_slow_reference() -> None:
    draw = rng(2, "recsim")
    interests = draw.uniform(-1.0, 1.0, (USERS, TOPICS))
    topics = draw.integers(0, TOPICS, (USERS, SLATE))
    place, topic, move = step(interests, topics, dice(3, "step", np.arange(USERS)))
    clicked = 0
    for user in range(USERS):
        one = slow_step(interests[user].tolist(), topics[user].tolist(), dice(3, "step", user))
        assert place[user] == one[0]
        if one[0] >= 0:
            clicked += 1
            assert topic[user] == one[1]
            assert move[user] == pytest.approx(one[2], abs=1e-12)
    assert 0.5 * USERS < clicked < 0.9 * USERS


def test_clicks_come_as_often_as_the_formula_says() -> None:
    many = 40_000
    interests = np.tile([0.5, -0.5, 1.0], (many, 1))
    topics = np.tile([0, 1, 2], (many, 1))
    place, _, _ = step(interests, topics, dice(5, "often", np.arange(many)))
    shares = np.bincount(place + 1, minlength=4) / many
    # scores 1.5, 0.5, 2 and 2 for no click
    assert shares == pytest.approx(np.array([2.0, 1.5, 0.5, 2.0]) / 6.0, abs=0.01)


def test_extreme_interests_do_not_move() -> None:
    interests = np.array([[1.0, 1.0], [-1.0, -1.0]])
    _, _, move = step(interests, np.array([[0, 1], [0, 1]]), dice(1, "x", np.arange(2)))
    assert np.abs(move).tolist() == [0.0, 0.0]


def slow_budget(answers: list[float | None]) -> float:
    """Play a visit: each page was answered with an item's quality (0 to 1), or without a click."""
    left = 200.0
    for quality in answers:
        if quality is None:
            left -= 0.5
        else:
            left = left - 4.0 + 0.9 / 3.4 * (6.0 * quality - 3.0) * 4.0
    return left


@pytest.mark.parametrize(
    "answers", [[], [None], [0.5], [1.0, None, 0.0], [0.9, 0.9, None, None, 0.1, 0.3]]
)
def test_the_budget_is_that_of_the_slow_reference(answers: list[float | None]) -> None:
    picked = [quality for quality in answers if quality is not None]
    pages = np.array([len(answers) + 1])
    left = budget(pages, np.array([len(picked)]), np.array([sum(picked)], np.float64))
    assert left[0] == pytest.approx(slow_budget(answers))


def test_it_keeps_to_the_protocol() -> None:
    check_batch_mind(RecSimMind())


def test_a_visit_lasts_as_long_as_its_budget() -> None:
    genesis = tiny_genesis(12, 2_000)
    _, keeper = simulate(
        genesis,
        mind=RecSimMind(),
        recommender=Random(),
        platform=Platform(page_size=3, max_pages=10_000),
        rules=Rules(rounds=1, max_turns=10_000, drift=0.0),
    )
    assert not [event for event in keeper.events() if isinstance(event, e.Refused)]
    for chapter in keeper.ordered():
        if chapter.phase != e.VISITS:
            continue
        events = [entry.event for entry in chapter.entries]
        answers: list[float | None] = []
        for event in events:
            if isinstance(event, e.SlateShown):
                answers.append(None)
            elif isinstance(event, e.Picked):
                answers[-1] = genesis.catalogue[event.item].quality
        assert events[-1] == e.Left(chapter.agent, None, "out of time")
        assert slow_budget(answers) <= 1e-9
        assert slow_budget(answers[:-1]) > -1e-9


def test_every_click_moves_the_interest_in_its_topic() -> None:
    genesis = tiny_genesis(5, 40)
    rules = Rules(rounds=1, drift=0.0)
    _, keeper = simulate(genesis, mind=RecSimMind(), rules=rules)
    events = keeper.events()
    weights = genesis.catalogue.weights.argmax(axis=1)
    pairs = list(zip(events, events[1:], events[2:], strict=False))
    moves = [
        (p.item, m.tag)
        for p, _, m in pairs
        if isinstance(p, e.Picked) and isinstance(m, e.TasteShifted)
    ]
    assert len(moves) == sum(isinstance(event, e.Picked) for event in events) > 0
    assert all(weights[item] == tag for item, tag in moves)
