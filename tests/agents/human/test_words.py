"""What a human's words are about, and which side they take."""

from __future__ import annotations

import pytest

from audience.agents.human import understood
from audience.world import (
    MENUS,
    Agent,
    Catalogue,
    Domain,
    Item,
    Lived,
    Observation,
    Profile,
    Situation,
)

TITLES = ("Heat", "The Long Way", "The Long Way Home", "Up", "Night Bus", "Night Bus", "Salt")
CATALOGUE = Catalogue(tuple(Item(number, title) for number, title in enumerate(TITLES)), ())


def among_friends(*history: Lived) -> Observation:
    me = Agent(Profile(0, "Jo"), b"", Situation(1, "social"), history)
    return Observation(me, 1, 0, "social", MENUS["social"], CATALOGUE, Domain())


@pytest.mark.parametrize(
    ("typed", "stance"),
    [
        ("I loved <Heat>, it is brilliant.", 1.0),
        ("<Heat> was good", 0.6),
        ("<Heat> bored me, a waste of time", -1.0),
        ("I did not like <Heat>", -0.6),
        ("Stay away from <Heat>!", -0.6),
        ("Has anybody seen <Heat>?", 0.0),
        ("+ Has anybody seen <Heat>?", 1.0),
        ("- <Heat>, what can I say", -1.0),
        ("<Perfect Waste> and <Best>", 0.0),
    ],
)
def test_words_or_a_sign_say_which_side_is_taken(typed: str, stance: float) -> None:
    text, _, found = understood(among_friends(), typed)
    assert found == stance
    assert text == typed.removeprefix("+ ").removeprefix("- ")


def test_words_that_take_no_side_stand_for_the_stars_that_were_given() -> None:
    seen = among_friends(Lived(0, 0, 1.0, 1))
    assert understood(seen, "I have seen <Heat>.")[2] == -1.0
    assert understood(seen, "I have seen <Salt>.")[2] == 0.0
    assert understood(seen, "<Heat> is a masterpiece.")[2] == 0.6


@pytest.mark.parametrize(
    ("typed", "items"),
    [
        ("See <Heat> and <salt>!", (0, 6)),
        ("The Long Way is on tonight.", (1,)),
        ("The Long Way Home is on tonight.", (2,)),
        ("Turn up the heat, Up we go", ()),
        ("<Up>", (3,)),
        ("<Night Bus>", ()),
        ("<Nowhere>", ()),
        ("in The Long Wayward", ()),
    ],
)
def test_items_need_not_have_been_seen(typed: str, items: tuple[int, ...]) -> None:
    assert understood(among_friends(), typed)[1] == items
