from __future__ import annotations

from tests.lab.judging.sheets import choices_of, key_of, memories_of, pairs_of

from audience.lab.judging import Answered, turned
from audience.lab.judging.answers import JudgeAnswer

KEY = key_of(choices_of(2), pairs_of("T1", 4), memories_of(1))


def by(judge: str, answers: dict[str, JudgeAnswer], kind: str = "model") -> Answered:
    return Answered(judge, kind, "file", answers, 10)


def test_a_judge_that_prefers_what_it_sees_first() -> None:
    answers = {f"t{n}": JudgeAnswer(verdict=1, again=5) for n in (3, 4, 5)}
    answers["t6"] = JudgeAnswer(verdict=2, again=1)
    (one,) = turned(KEY, [by("gpt", answers)])
    assert (one.who, one.pairs, one.other_side, one.other_point) == ("model judge gpt", 4, 3, 4)
    assert one.first_shown == 7 / 8


def test_ties_prefer_nothing_and_choices_are_sets() -> None:
    answers = {
        "t1": JudgeAnswer(chosen=(0, 1), again=(1, 0)),
        "t2": JudgeAnswer(chosen=(0, 1), again=(1, 2)),
        "t3": JudgeAnswer(verdict=3, again=3),
    }
    (one,) = turned(KEY, [by("gpt", answers)])
    assert (one.first_shown, one.other_side) == (None, 0)
    assert (one.choices, one.other_choice) == (2, 1)


def test_how_near_to_people() -> None:
    model = {
        "t1": JudgeAnswer(chosen=(0, 1), again=(0, 2)),
        "t3": JudgeAnswer(verdict=1, again=4),
        "t7": JudgeAnswer(informative=5, relevant=1),
    }
    ann = {
        "t1": JudgeAnswer(chosen=(0, 1)),
        "t2": JudgeAnswer(chosen=(0, 1)),
        "t3": JudgeAnswer(verdict=2),
        "t7": JudgeAnswer(informative=4, relevant=3),
    }
    (one,) = turned(KEY, [by("gpt", model), by("ann", ann, "person")])
    assert one.like_people == {
        "choices: the same item": 0.75,
        "pairs: the same side": 0.5,
        "scores: within a point": 0.5,
    }
    assert turned(KEY, [by("ann", ann, "person")]) == []
