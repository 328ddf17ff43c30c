from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

from audience.agents import LLMMind
from audience.errors import BadInput
from audience.lab.evaluation import Case, Ground, Real, RunMind
from audience.lab.evaluation.cases import lives_of
from audience.lab.probing.option_orders import (
    OrderedAnswers,
    option_order_rows,
    order_answers,
    relisted,
)
from audience.llm import ChatMessage, Reply, Request
from audience.llm.fake import Fake
from audience.scenario import Models, SpendingOptions, door_of
from audience.world import Catalogue, Domain, Item

Serving = Callable[..., AbstractContextManager[Fake]]
TITLES = ("Delta", "Alpha", "Echo", "Bravo", "Charlie", "Foxtrot", "Golf", "Hotel")
CASES = [Case(0, (6, 7), (0, 1, 2, 3, 4), (False, True, False, False, False))]


@pytest.fixture
def mind(tmp_path: Path) -> RunMind:
    items = tuple(Item(n, title, "", ("Drama",)) for n, title in enumerate(TITLES))
    column = np.array([6, 7])
    real = Real("x", Catalogue(items), 1, np.zeros(2, np.int64), column, np.arange(2), np.zeros(2))
    ground = Ground(lives_of(real, np.arange(2)), 1)
    door = door_of(Models(url="http://127.0.0.1:9/v1", model="audience-135m"), SpendingOptions(),
                   tmp_path)  # fmt: skip
    domain = Domain("film", "films", "watched")
    return RunMind("tuned", door, ground, domain=domain, deciding="score", model="audience-135m")


def listed(request: Request) -> list[str]:
    """Return the titles of the options in the order in which a prompt lists them."""
    lines = request.messages[-1].content.split("\n")
    return [
        line[2:].partition(" (")[0] for line in lines if line[1:2] == " " and line[0] in "ABCDE"
    ]


class Answering:
    """Gives most to one title, or to one place of the list."""

    def __init__(self, title: str = "", place: int | None = None) -> None:
        self.title, self.place = title, place
        self.asked: list[list[str]] = []

    async def ask(self, request: Request) -> Reply:
        titles = listed(request)
        self.asked.append(titles)
        best = titles.index(self.title) if self.title else self.place
        scores = [-3.0, *(-0.5 if n == best else -2.0 for n in range(len(titles)))]
        return Reply(request.key, "reply", ("A",), scores=tuple(scores))

    async def close(self) -> None: ...


def asked(mind: RunMind, gateway: Answering) -> OrderedAnswers:
    mind.mind.questions.gateway = gateway
    [answers] = asyncio.run(order_answers(mind, CASES, 1))
    return answers


def test_who_goes_by_the_title_chooses_the_same_in_all_orders(mind: RunMind) -> None:
    gateway = Answering("Alpha")
    found = asked(mind, gateway)
    assert found.tops == (1,) * 5
    assert found.right == (1.0,) * 5
    assert len({tuple(titles) for titles in gateway.asked}) > 1
    assert all(sorted(titles) == sorted(TITLES[:5]) for titles in gateway.asked)
    rows = {row.what: row.value for row in option_order_rows([found], 1)}
    assert rows["options in 5 orders: the same choice in all"] == 1.0
    assert rows["options in two orders: the same choice"] == 1.0


def test_who_goes_by_the_place_does_not(mind: RunMind) -> None:
    found = asked(mind, Answering(place=0))
    rows = {row.what: row for row in option_order_rows([found], 1)}
    assert len(set(found.tops)) > 1
    assert rows["options in 5 orders: the same choice in all"].value == 0.0
    assert rows["the option listed first is the choice"].value == 1.0
    assert rows["the option listed first is the choice"].chance == pytest.approx(0.2)


def test_a_run_asks_the_same_whatever_the_order_of_the_page(mind: RunMind) -> None:
    assert asked(mind, Answering("Alpha")).same_prompt


def test_a_prompt_that_lists_the_page_as_it_is_shown_is_not_the_same(
    mind: RunMind, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "page_choice.md").write_text("$titles\nYou see them as:\n$page\n")
    folder = str(tmp_path / "mine")
    mind.mind = LLMMind(mind.door, model="audience-135m", deciding="score", prompts=folder)
    found = asked(mind, Answering("Alpha"))
    assert not found.same_prompt
    what = "page in 5 orders, as a run asks: the same question"
    assert {row.what: row.value for row in option_order_rows([found], 1)}[what] == 0.0


def test_options_move_and_letters_stay() -> None:
    text = "A Person, 30\nYou see:\nA one\nB two (x)\nC three\nYou take:"
    (message,), marks = relisted((ChatMessage("user", text),), [2, 0, 1])
    assert message.content == "A Person, 30\nYou see:\nA three\nB one\nC two (x)\nYou take:"
    assert marks == ("A", "B", "C")
    (message,), _ = relisted((ChatMessage("user", "[A] <one>\n[B] <two>"),), [1, 0])
    assert message.content == "[A] <two>\n[B] <one>"
    with pytest.raises(BadInput, match="lists no 4 lettered options"):
        relisted((ChatMessage("user", text),), [2, 0, 1, 3])


def test_lists_are_asked_over_http_and_unreadable_ones_are_counted(
    mind: RunMind, serving: Serving, tmp_path: Path
) -> None:
    async def answers(url: str) -> list[OrderedAnswers]:
        spending = SpendingOptions(calls="fresh")
        async with door_of(
            Models(url=url, model="audience-135m"), spending, tmp_path / "o"
        ) as door:
            mind.mind.questions.gateway = door
            return await order_answers(mind, CASES, 1)

    (tmp_path / "o").mkdir()
    with serving() as fake:
        [good] = asyncio.run(answers(fake.url))
    assert None not in good.tops
    with serving(says={"": "I cannot say"}, scores="none") as fake:
        [bad] = asyncio.run(answers(fake.url))
    assert bad.tops == (None,) * 5
    rows = {row.what: row for row in option_order_rows([bad], 1)}
    assert rows["options in 5 orders: the same choice in all"].unreadable == 1


def test_a_mind_that_writes_has_no_options(mind: RunMind) -> None:
    mind.mind.scored = None
    with pytest.raises(BadInput, match="decides by writing"):
        asyncio.run(order_answers(mind, CASES, 1))
