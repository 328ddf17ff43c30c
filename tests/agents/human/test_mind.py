"""Somebody at a terminal: what is shown, what is typed, what is made of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from audience.agents import Decision
from audience.agents.human import HumanMind, MixedMind
from audience.agents.rule import RuleMind
from audience.llm import CallStore, Person, compose
from audience.memory import NoMemory
from audience.world import Observation, actions as a, dice

Scene = Callable[..., Observation]


class Terminal:
    """Types the given lines and keeps what was shown; then nobody is there any more."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []

    def __call__(self, words: str) -> str | None:
        self.shown.append(words)
        return self.lines.pop(0) if self.lines else None


def played(seen: Observation, *lines: str, store: Path | None = None) -> tuple[Decision, Terminal]:
    terminal = Terminal(lines)

    async def decide() -> Decision:
        async with compose(Person(terminal), store=CallStore(store) if store else None) as door:
            return await HumanMind(door).decide(seen, NoMemory(), dice(7, "human"))

    return asyncio.run(decide()), terminal


@pytest.mark.parametrize(
    ("typed", "actions"),
    [
        ("r", (a.Enter("recommender"), a.Browse())),
        ("s night bus", (a.Enter("recommender"), a.Search("night bus"))),
        ("f", (a.Enter("social"),)),
        ("n", (a.Nothing(),)),
        ("  r ", (a.Enter("recommender"), a.Browse())),
    ],
)
def test_at_home(scene: Scene, typed: str, actions: tuple[a.AnyAction, ...]) -> None:
    decision, terminal = played(scene("home"), typed)
    assert decision.actions == actions
    assert len(decision.calls) == 1
    assert "You are Mia Stone." in terminal.shown[0]
    assert "Do not miss <Night Bus>!" in terminal.shown[0]


def test_picks_are_lived_rated_and_felt_before_the_next_page(scene: Scene) -> None:
    decision, terminal = played(
        scene("recommender"), "3", "50", "4", "It was warm.", "1", "", "", "n"
    )
    assert decision.actions == (
        a.Pick(4, 0.5),
        a.Rate(4, 4, "It was warm.", "human"),
        a.Pick(0, 1.0),
        a.NextPage(),
    )
    assert len(decision.calls) == 8
    assert "1. [0] <Quiet Harbour>" in terminal.shown[0]
    assert "How much of Night Bus" in terminal.shown[1]


@pytest.mark.parametrize(
    ("lines", "actions"),
    [
        (("l", "10"), (a.Leave(1.0),)),
        (("l", ""), (a.Leave(None),)),
        (("l", "eleven", "11", "1"), (a.Leave(0.0),)),
        (("f",), (a.Enter("social"),)),
        (("s salt mine",), (a.Search("salt mine"),)),
    ],
)
def test_the_other_ways_from_a_page(
    scene: Scene, lines: tuple[str, ...], actions: tuple[a.AnyAction, ...]
) -> None:
    assert played(scene("recommender"), *lines)[0].actions == actions


@pytest.mark.parametrize("typed", ["9", "0", "²", "hello", "", "s", "s  ", "-1", "{}"])
def test_what_is_unclear_is_asked_again(scene: Scene, typed: str) -> None:
    decision, terminal = played(scene("recommender"), typed, "n")
    assert decision.actions[-1] == a.NextPage()
    assert "[1-9] pick" in terminal.shown[-1]
    if typed == "9":
        assert "There is no number 9 on the page." in terminal.shown[1]


def test_nothing_is_picked_twice(scene: Scene) -> None:
    decision, terminal = played(scene("recommender"), "1", "", "", "1", "n")
    assert decision.actions == (a.Pick(0), a.NextPage())
    assert "You have picked Quiet Harbour already." in terminal.shown[4]


def test_the_last_results_have_no_next_page(scene: Scene) -> None:
    decision, terminal = played(scene("search"), "n", "l", "")
    assert decision.actions == (a.Leave(None),)
    assert "next page" not in terminal.shown[0]
    assert terminal.shown[0].startswith("\nSearch results, page 1:")


def test_among_friends(scene: Scene) -> None:
    decision, terminal = played(
        scene("social"), "p See <The Long Way>", "2 How was <Salt>?", "f1", "f9", "3 hi", "l"
    )
    assert decision.actions == (
        a.Post("See <The Long Way>", (3,), 1.0, "human"),
        a.Say(8, "How was <Salt>?", (5,), 0.0, "human"),
        a.Forward("1.7.0"),
        a.Leave(),
    )
    assert "2. Ada Lund (colleague)" in terminal.shown[0]
    assert "f1. Do not miss <Night Bus>!" in terminal.shown[0]
    assert played(scene("social"), "r")[0].actions == (a.Enter("recommender"), a.Browse())


def test_a_talk(scene: Scene) -> None:
    said, terminal = played(scene("conversation"), "Not yet, is <Night Bus> long?")
    assert said.actions == (a.Say(7, "Not yet, is <Night Bus> long?", (4,), 0.0, "human"),)
    assert "Tom Reed: Have you seen <Night Bus>?" in terminal.shown[0]
    assert played(scene("conversation"), "")[0].actions == (a.Leave(),)


@pytest.mark.parametrize("lines", [(), ("1",), ("1", "50"), ("1", "", "5"), ("nonsense",)])
def test_when_nobody_answers_any_more_nothing_is_attempted(
    scene: Scene, lines: tuple[str, ...]
) -> None:
    decision, _ = played(scene("recommender"), *lines)
    assert (decision.actions, decision.failure) == ((), "nobody answered")
    assert len(decision.calls) > len(lines)


def test_somebody_who_is_never_clear_ends_the_visit(scene: Scene) -> None:
    decision, _ = played(scene("home"), *["what?"] * 100)
    assert (decision.actions, decision.failure) == ((), "no clear answer")


def test_typed_lines_are_kept_and_not_asked_for_again(scene: Scene, tmp_path: Path) -> None:
    store = tmp_path / "human.db"
    first, terminal = played(scene("recommender"), "3", "50", store=store)
    assert first.failure == "nobody answered"
    assert len(terminal.shown) > 2
    second, again = played(scene("recommender"), "5", "Warm.", "l", "", store=store)
    assert second.actions == (a.Pick(4, 0.5), a.Rate(4, 5, "Warm.", "human"), a.Leave(None))
    assert again.shown[0].startswith("Stars, 1 to 5")


def test_only_those_who_are_played_have_another_mind(scene: Scene) -> None:
    terminal = Terminal(["n"])

    async def both() -> tuple[Decision, Decision]:
        async with compose(Person(terminal)) as door:
            mine = MixedMind({0: HumanMind(door)}, RuleMind())
            other = MixedMind({5: HumanMind(door)}, RuleMind())
            seen = scene("home")
            one = await mine.decide(seen, NoMemory(), dice(1, "a"))
            return one, await other.decide(seen, NoMemory(), dice(1, "a"))

    played_, ruled = asyncio.run(both())
    assert played_.actions == (a.Nothing(),)
    assert len(terminal.shown) == 1
    assert ruled == RuleMind().decide_many([scene("home")], dice(1, "a"))[0]
