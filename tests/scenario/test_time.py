"""The time of a scenario: written in words or as a table, and what it does not combine with."""

from __future__ import annotations

import pytest

from audience.engine import OWN, Timetable
from audience.errors import BadInput
from audience.scenario import arm, parse, text_of


def test_time_is_by_rounds_unless_said_otherwise_and_then_not_written_down() -> None:
    plain = parse("agents = 3")
    assert plain.time.kind == "rounds"
    assert "[time]" not in text_of(plain)


@pytest.mark.parametrize("text", ['time = "own"', '[time]\nkind = "own"', "[time]\nwindow = 15"])
def test_own_clocks_may_be_a_word_or_a_table(text: str) -> None:
    scenario = parse(text)
    assert scenario.time == Timetable(OWN)
    assert parse(text_of(scenario)) == scenario


def test_an_arm_may_have_clocks_and_keeps_the_other_keys() -> None:
    text = '[time]\nkind = "rounds"\nwindow = 30\n[arms.a]\n[arms.b]\ntime = "own"'
    scenario = parse(text)
    assert arm(scenario, "a").time.kind == "rounds"
    assert arm(scenario, "b").time == Timetable(OWN, window=30)


def test_a_spread_with_own_clocks_does_not_only_wake_whom_it_reaches() -> None:
    topic = '[[spread.topics]]\nname = "News"\ntext = "News"\nseeds = 1\n'
    assert parse(topic).activation.method == "reached"
    assert parse('time = "own"\n' + topic).activation.method == "sample"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('time = "owm"', "did you mean 'own'"),
        ("time = 3", "time: give a table"),
        ("[time]\nwindows = 3", "did you mean 'window'"),
        ("[time]\nwindow = 0", "window: 0"),
        ("[time]\nalpha = 1.0", "alpha: 1"),
        ("[time]\nhours = [1.0]", "give 24 numbers, not 1"),
        ('time = "own"\nactivation = {method = "marginal"}', "method 'marginal'"),
        ('time = "own"\nactivation = {method = "reached"}', "method 'reached'"),
        ('time = "own"\nactivation = {at_most = 4}', "at_most limits rounds"),
        ('time = "own"\nrun = {order = "one-by-one"}', "order 'one-by-one' is for rounds"),
    ],
)
def test_what_is_wrong_or_does_not_combine_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse(text)
