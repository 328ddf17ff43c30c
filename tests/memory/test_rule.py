from __future__ import annotations

import asyncio
import re

import pytest
from hypothesis import given, strategies as st

from audience.memory import Life, observations, tokens
from audience.memory.consolidation import Due, Taken
from audience.memory.rule_consolidation import RuleWay, insight_of, reflection_of
from audience.memory.sentences import SENTENCE
from audience.world import (
    Agent,
    Catalogue,
    Domain,
    Item,
    Lived,
    Profile,
    Thought,
    dice,
    events as e,
)

CATALOGUE = Catalogue(
    (
        Item(0, "Heat", tags=("Crime", "Drama")),
        Item(1, "Casino", tags=("Crime",)),
        Item(2, "Up", tags=("Family",)),
        Item(3, "The " + "Very " * 60 + "Long Title", tags=("Crime",)),
    )
)
DICE = dice(1, "memory", 0, 1)


def life(*lived: e.AnyEvent, history: tuple[Lived, ...] = ()) -> Life:
    me = Agent(Profile(0, interests=("Crime",)), b"", history=history)
    return Life(me, lived, CATALOGUE, Domain(), {1: "Ann"}, 900)


def thought(number: int, text: str, *items: int, weight: float = 0.7) -> Thought:
    return Thought(number, text, weight, 1, items=items)


def take(lived: Life, due: Due | None = None) -> Taken:
    return asyncio.run(RuleWay().take_in(lived, observations(lived), due or Due(), DICE))


HEAT = "I watched <Heat> (crime, drama), gave it 5 stars and loved it."
CASINO = "I watched <Casino> (crime) to the end."


def test_every_observation_is_sensed_by_its_short_sentence() -> None:
    lived = life(e.Entered(0, "recommender"), e.Watched(0, 0, 1.0), e.Rated(0, 0, 5))
    taken = take(lived)
    assert [one.text for one in taken.sensed] == ["I opened the recommendations.", HEAT]
    assert taken.sensed[0].importance < taken.sensed[1].importance
    assert not taken.calls
    assert not taken.problems
    assert not taken.insights
    assert not taken.reflections


def test_what_is_due_is_thought_of() -> None:
    about = (thought(4, HEAT, 0), thought(5, CASINO, 1), thought(6, HEAT, 0))
    taken = take(life(), Due((about,), about))
    assert set(taken.insights) == {4}
    assert taken.insights[4].sources == (4, 5, 6)
    assert [one.sources for one in taken.reflections] == [(4, 5, 6)]
    late = asyncio.run(RuleWay().insight(life(), about, DICE))
    assert late.insights == taken.insights


@pytest.mark.parametrize(
    ("stars", "text"),
    [
        (0, "I keep coming back to crime films such as <Heat> and <Casino>."),
        (5, "I keep enjoying crime films such as <Heat> and <Casino>."),
        (1, "I keep being disappointed by crime films such as <Heat> and <Casino>."),
    ],
)
def test_an_insight_into_a_tag_says_what_was_made_of_it(stars: int, text: str) -> None:
    about = [thought(1, HEAT, 0), thought(2, CASINO, 1)]
    history = (Lived(0, 1, 1.0, stars), Lived(1, 1, 1.0, stars)) if stars else ()
    assert insight_of(life(history=history), about).text == text


def test_an_insight_into_one_item() -> None:
    about = [thought(1, HEAT, 0), thought(2, 'I searched for "Heat" and found <Heat>.', 0)]
    assert insight_of(life(), about).text == "<Heat> keeps coming up for me."
    loved = life(history=(Lived(0, 1, 1.0, 5),))
    assert insight_of(loved, about).text == "I keep coming back to <Heat>, which I like."
    dropped = life(history=(Lived(0, 1, 0.1),))
    assert insight_of(dropped, about).text == "<Heat> keeps coming up, though I do not like it."


@pytest.mark.parametrize("name", ["Ann", "J. Doe", "Ann-Marie O'Neill", "Person 12"])
def test_an_insight_into_a_person(name: str) -> None:
    talk = thought(1, f"I talked with {name} about <Heat>; we both spoke well of it.", 0)
    again, other = thought(2, f"I talked with {name}."), thought(3, CASINO, 1)
    post = thought(4, f"I read a post by {name}: Hello.")
    assert insight_of(life(), [talk, again, other]).text == (
        f"More than once I talked with {name} about <Heat>."
    )
    assert insight_of(life(), [talk, post]).text == f"I keep hearing from {name} about <Heat>."
    assert insight_of(life(), [post, post]).text == f"I keep reading what comes from {name}."


def test_an_insight_without_items_or_people() -> None:
    festival = [
        thought(1, "I read an announcement: The festival begins."),
        thought(2, "I read an announcement: Come to our festival."),
    ]
    assert insight_of(life(), festival).text == 'Again and again I meet "festival".'
    left = [thought(1, "I left, very satisfied."), thought(2, "I left, satisfied.")]
    assert insight_of(life(), left).text == "More than once: I left, very satisfied."


def test_a_reflection_is_about_what_weighs_most() -> None:
    films = [thought(1, HEAT, 0), thought(2, CASINO, 1), thought(3, "I watched <Up>.", 2)]
    talks = [thought(place, "I talked with Ann.", weight=0.9) for place in (4, 5)]
    found = reflection_of(life(), [*films, talks[0]])
    assert found.text == "Lately crime films have mattered to me: <Heat> and <Casino>."
    assert found.sources == (1, 2)
    found = reflection_of(life(), [*films, *talks])
    assert (found.text, found.sources) == ("Lately Ann has mattered to me.", (4, 5))


def test_a_reflection_on_what_let_one_down() -> None:
    bad = life(history=(Lived(0, 1, 1.0, 1), Lived(1, 1, 0.1)))
    found = reflection_of(bad, [thought(1, HEAT, 0), thought(2, CASINO, 1)])
    assert found.text == "Lately crime films have disappointed me: <Heat> and <Casino>."


def test_a_reflection_on_what_has_no_topic() -> None:
    searches = [thought(place, f'I searched for "{place}" and found nothing.') for place in (1, 2)]
    found = reflection_of(life(), [*searches, thought(3, "Odd.", weight=0.9)])
    assert found.text == "Lately I have searched for things again and again."
    assert found.sources == (1, 2)
    alone = reflection_of(life(), [thought(1, "Odd."), thought(2, "Even.", weight=0.9)])
    assert (alone.text, alone.sources) == ("Lately this has mattered: Even.", (2,))


def test_a_title_that_no_source_names_is_never_named() -> None:
    hidden = [thought(1, "I watched something.", 0), thought(2, CASINO, 1, 2)]
    assert insight_of(life(), hidden).text == "<Casino> keeps coming up for me."


WORDS = st.sampled_from(
    (HEAT, CASINO, "I talked with Ann about <Up>.", "I left.", "I watched <Heat> and <Up>.", "…")
)
THOUGHTS = st.lists(
    st.builds(
        Thought,
        st.integers(0, 50),
        WORDS | st.text(max_size=400),
        st.floats(0, 1),
        st.integers(1, 9),
        items=st.lists(st.integers(0, 3), max_size=3).map(tuple),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda one: one.id,
)


@given(THOUGHTS)
def test_whatever_is_thought_of_it_is_short_and_names_only_what_its_sources_name(
    about: list[Thought],
) -> None:
    ids, texts = {one.id for one in about}, " ".join(one.text for one in about)
    for found in (insight_of(life(), about), reflection_of(life(), about)):
        assert found.text
        assert tokens(found.text) <= SENTENCE
        assert found.sources
        assert set(found.sources) <= ids
        for title in re.findall(r"<(?:Heat|Casino|Up)>", found.text):
            assert title in texts
