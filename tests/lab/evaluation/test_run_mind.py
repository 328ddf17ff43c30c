"""The mind of a run as contestant: it sees a page and picks by place."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audience.agents.language.reply_schema import OPINIONS
from audience.lab.evaluation import Case, Real
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import lives_of
from audience.lab.evaluation.run_mind import RunMind
from audience.llm.fake import Fake
from audience.parts import ChoiceEvidence
from audience.scenario import Models, SpendingOptions, door_of
from audience.world import Domain, Floats, Profile

Serving = Callable[..., AbstractContextManager[Fake]]
FILMS = Domain("film", "films", "watched")
CASE = Case(3, (10, 11, 12), (40, 21, 62), (False, True, False))
OTHER = Case(4, (40, 41), (21, 62, 40), (True, False, False))


class Told:
    """Evidence that knows one item."""

    def log_odds(
        self, histories: Sequence[Sequence[int]], candidates: Sequence[Sequence[int]]
    ) -> list[Floats]:
        del histories
        return [np.array([2.0 if item == 21 else 0.0 for item in one]) for one in candidates]

    def words(self, history: Sequence[int], candidates: Sequence[int]) -> list[str]:
        return [f"after {len(history)}" if item == 21 else "" for item in candidates]


class Asked:
    """A contestant at the door of a fake server, and what it was asked."""

    def __init__(self, scores: list[Floats], prompts: list[str], mind: RunMind) -> None:
        self.scores, self.prompts, self.mind = scores, prompts, mind


@pytest.fixture
def asked(serving: Serving, tmp_path: Path, ring: Real) -> Callable[..., Asked]:
    def run(
        says: dict[str, str],
        profiles: tuple[Profile, ...] = (),
        grounds: ChoiceEvidence | None = None,
    ) -> Asked:
        ground = Ground(lives_of(ring, np.arange(len(ring))), 1)

        async def score(url: str) -> tuple[list[Floats], RunMind, list[str]]:
            door = door_of(Models(url=url, model="fake"), SpendingOptions(), tmp_path)
            mind = RunMind(
                "llm", door, ground, domain=FILMS, profiles=profiles, grounds=grounds, model="fake"
            )
            async with door:
                scores = await mind.score([CASE, OTHER])
            prompts = [mind.mind.messages(mind.seen(case), (), "page")[1].content for case in CASES]
            return list(scores), mind, prompts

        with serving(says=says) as fake:
            scores, mind, prompts = asyncio.run(score(fake.url))
        return Asked(scores, prompts, mind)

    return run


CASES = (CASE, OTHER)


def taking(*places: tuple[int, int], fits: str = "well") -> dict[str, str]:
    words = {stars: said for said, stars in OPINIONS.items()}
    picks = [{"place": place, "watched": "all", "opinion": words[stars]} for place, stars in places]
    reply: dict[str, Any] = {"fits": fits, "picks": picks, "next": "leave", "search": ""}
    return {"": json.dumps({**reply, "satisfaction": 5})}


def test_who_always_takes_the_first_place_scores_there(asked: Callable[..., Asked]) -> None:
    found = asked(taking((1, 4)))
    assert [scores.tolist() for scores in found.scores] == [[1.4, 0.0, 0.0]] * 2
    assert found.mind.spent.calls == 2


def test_stars_order_what_was_taken(asked: Callable[..., Asked]) -> None:
    found = asked(taking((3, 0), (2, 5)))
    assert found.scores[0].tolist() == [0.0, 1.5, 1.0]


def test_nothing_may_be_taken(asked: Callable[..., Asked]) -> None:
    assert asked(taking()).scores[0].tolist() == [0.0, 0.0, 0.0]


def test_who_finds_nothing_fitting_takes_nothing(asked: Callable[..., Asked]) -> None:
    assert asked(taking((1, 5), fits="not at all")).scores[0].tolist() == [0.0, 0.0, 0.0]


def test_a_reply_that_cannot_be_read_twice_is_no_answer(asked: Callable[..., Asked]) -> None:
    found = asked({"": "The second one."})
    assert all(math.isnan(score) for scores in found.scores for score in scores)
    assert found.mind.spent.calls == 4


def test_a_case_is_the_page_of_a_run_with_interests_from_the_history(
    asked: Callable[..., Asked], ring: Real
) -> None:
    people = tuple(Profile(n, f"Person {n}", age=20 + n) for n in range(ring.people))
    first, second = asked(taking((1, 3)), people).prompts
    assert first.startswith("You are Person 3, 23.")
    assert "You like these films: Drama" in first
    assert "You like these films: War" in second
    assert "[1] <Film 40> (1980; War)\n[2] <Film 21> (1981; Comedy)\n[3] <Film 62>" in first
    assert "- <Film 12>" in first
    assert "feeling" not in first


def test_evidence_stands_on_the_page_and_the_history_replaces_the_interests(
    asked: Callable[..., Asked],
) -> None:
    found = asked(taking((1, 3)), grounds=Told())
    first, second = found.prompts
    assert "[2] <Film 21> (1981; Comedy) (after 3)\n" in first
    assert "[1] <Film 21> (1981; Comedy) (after 2)\n" in second
    assert "You like these" not in first + second


def test_with_evidence_only_what_is_likely_is_considered_and_the_rest_is_ordered(
    asked: Callable[..., Asked],
) -> None:
    found = asked(taking((1, 3)), grounds=Told())
    assert found.mind.mind.considered(found.mind.seen(CASE)).me.situation.slate == (21,)
    odd = 1.0 / (1.0 + math.exp(-2.0))
    assert found.scores[0].tolist() == pytest.approx([0.5, 1.3 + odd, 0.5])
