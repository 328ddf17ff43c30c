from __future__ import annotations

import json

import msgspec
from tests.lab.judging.sheets import choices_of, key_of, pairs_of, texts_of

from audience.lab.evaluation import PeopleChoices
from audience.lab.judging import Answered, Problem, files_of
from audience.lab.judging.answers import JudgeAnswer
from audience.lab.judging.cases import References
from audience.lab.judging.references import people_choices, references

KEY = key_of(choices_of(2), texts_of(2), pairs_of("T1", 1))
ANN = Answered(
    "ann",
    "person",
    "ann.json",
    {"t1": JudgeAnswer(chosen=(2, 0)), "t3": JudgeAnswer(text=" So\n it was. ")},
    5,
)
MODEL = Answered("gpt", "model", "gpt.json", {"t1": JudgeAnswer(chosen=(0, 1), again=(1, 2))}, 5)


def test_the_human_row_holds_items_and_not_places() -> None:
    found = people_choices(KEY, [ANN, MODEL])
    person, *model = found.choices
    assert (person.judge, person.by, person.a, person.b) == ("ann", "person", 2, 2)
    assert person.chosen == (12, 10)
    assert person.candidates == (10, 11, 12, 13)
    assert [one.chosen for one in model] == [(10, 11), (11, 12)]
    assert {one.by for one in model} == {"model"}


def test_references_are_what_people_wrote() -> None:
    (one,) = references(KEY, [ANN]).cases
    assert one.texts == {"ann": "So it was."}
    assert one.made.what == "T1"
    assert one.made.text.startswith("I saw ")


def test_the_files_can_be_read_by_those_who_go_on() -> None:
    files = files_of(KEY, [ANN, MODEL], [Problem("x.json", "", "is odd")])
    assert set(files) == {"result.json", "people.json", "references.json"}
    assert msgspec.json.decode(files["people.json"], type=PeopleChoices).choices[0].judge == "ann"
    assert msgspec.json.decode(files["references.json"], type=References).cases
    result = json.loads(files["result.json"])
    assert [one["judge"] for one in result["judges"]] == ["ann", "model judge gpt"]
    assert result["left_out"] == [{"path": "x.json", "task": "", "why": "is odd"}]
    assert result["choices"][0]["hit"]["low"] is None


def test_what_is_empty_is_not_written() -> None:
    assert set(files_of(KEY, [], [])) == {"result.json"}
