from __future__ import annotations

import asyncio
import json
from typing import Any

from audience.agents.language import LLMMind
from audience.agents.rule import RuleMind
from audience.lab.probing import prompts, real_visits
from audience.lab.probing.town import Town
from audience.lab.probing.visits import ACTIONS, compared, walk, walked
from audience.llm import Reply, Request

REAL = [("enter", "pick", "rate", "leave")] * 30


def says(request: Request) -> str | None:
    if request.purpose == "home":
        return json.dumps({"do": "browse", "query": ""})
    pick = {"place": 1, "watched": "all", "stars": 4, "feeling": "Fine."}
    reply = {"tempted": "yes", "picks": [pick], "next": "leave", "search": "", "satisfaction": 7}
    return json.dumps(reply)


def test_visits_are_walked_through_the_engine(town: Town) -> None:
    came = asyncio.run(walk(RuleMind(), town))
    assert len(came.visits) == len(town.people)
    for _, steps in came.visits:
        assert set(steps) <= set(ACTIONS)
        assert steps[-1] == "leave"
    assert came == asyncio.run(walk(RuleMind(), town))


def test_a_model_that_does_as_real_people_do_is_like_them(scripted: Any, town: Town) -> None:
    rows = asyncio.run(walked(scripted(says).asker(), town, REAL))
    found = {one.what: one for one in rows}
    assert found["model: go to the recommender"].value == 1.0
    assert found["model: picks in a visit"].value == 1.0
    alike = found["model: similarity to real visits (edits)"]
    assert (alike.value, alike.chance, alike.count) == (1.0, 1.0, len(town.people))
    assert found["model: transitions apart from real ones"].value == 0.0
    rule = found["rule minds: transitions apart from real ones"]
    assert rule.value is not None
    assert rule.value > 0.05


def test_visits_stand_in_the_same_order_whoever_ends_first(scripted: Any, town: Town) -> None:
    class Backwards(scripted):  # type: ignore[misc]
        """Answers the first who ask last."""

        async def ask(self, request: Request) -> Reply:
            for _ in range(max(0, 200 - 10 * len(self.asked))):
                await asyncio.sleep(0)
            answer: Reply = await super().ask(request)
            return answer

    straight = asyncio.run(walk(LLMMind(scripted(says)), town))
    backwards = asyncio.run(walk(LLMMind(Backwards(says)), town))
    assert straight == backwards


def test_a_model_that_cannot_be_read_is_counted_and_compared_with_nothing(
    scripted: Any, town: Town
) -> None:
    rows = asyncio.run(walked(scripted(lambda _: "hm").asker(), town, REAL))
    found = {one.what: one for one in rows}
    gone = found["model: go to the recommender"]
    assert (gone.value, gone.unreadable) == (0.0, len(town.people))
    assert found["model: similarity to real visits"].value is None


def test_without_real_visits_it_is_said_why(scripted: Any, town: Town) -> None:
    real, why_not = real_visits("films", 30.0, 1)
    assert real == []
    notes = asyncio.run(prompts(scripted(lambda _: "hm").asker(), town, real, why_not)).notes
    assert any(why_not in note for note in notes)
    empty = asyncio.run(walk(RuleMind(), town))
    assert compared("x", empty, ([], []), 1)[0].value is None
