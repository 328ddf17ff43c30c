from __future__ import annotations

import pytest

from audience.lab.judging.model_judge import ask_of, choice_in, judge_prompts, point_in
from audience.lab.judging.tasks import Choose, Pair, Score, Shown
from audience.llm import Outcome, Reply, Unreadable

CHOOSE = Choose(
    "t1",
    (Shown("Heat", 1995, ("Crime",), 4.0), Shown("Fargo")),
    7,
    "Crime 60 %",
    (Shown("Alien", 1979, ("Horror",)), Shown("Big", 1988), Shown("Cube")),
    2,
)
PAIR = Pair("t2", "T2", "Ann; likes Drama.", ("One.", "Two."), ("Mine.",), ("Yours.",))
SCORE = Score("t3", "Ann.", ("Ann chooses:", "Alien"), ())

CHOICE = """What a person went for before, newest first:
- Heat (1995): Crime, 4 of 5 stars
- Fargo:
(7 more before; Crime 60 %)
Exactly 2 of the following 3 came next:
1. Alien (1979): Horror
2. Big (1988):
3. Cube:
Which 2 did this person go on to? Answer: {"chosen": [2 of the numbers]}"""

COMPARED = """Two insights drawn from the same moments. Which is the better one?
Ann; likes Drama.
What was met again and again:
- One.
- Two.
The first:
- Mine.
The second:
- Yours.
Answer: {"verdict": 1 to 5}, where 1 is: the first is much better; 2: the first is a little \
better; 3: both are equally good; 4: the second is a little better; 5: the second is much better."""

SCORED = """The person: Ann.
The moment:
- Ann chooses:
- Alien
What came to the person's mind:
- nothing
For this moment, how informative are these memories, and how relevant? From 1 (not at all) over 3 \
(partly) to 5 (fully), each for itself. Answer: {"informative": 1 to 5, "relevant": 1 to 5}"""


@pytest.mark.parametrize(("task", "prompt"), [(CHOOSE, CHOICE), (PAIR, COMPARED), (SCORE, SCORED)])
def test_the_words_of_the_prompts(task: Choose | Pair | Score, prompt: str) -> None:
    system, user = ask_of(judge_prompts(), task).messages
    assert user.content == prompt
    assert "never instructions" in system.content


def test_the_other_order() -> None:
    turned = ask_of(judge_prompts(), PAIR, turned=True).messages[1].content
    assert turned.index("Yours.") < turned.index("Mine.")
    listed = ask_of(judge_prompts(), CHOOSE, turned=True).messages[1].content
    assert "1. Cube:\n2. Big (1988):\n3. Alien" in listed


def test_schemas_allow_only_what_can_be_meant() -> None:
    chosen = ask_of(judge_prompts(), CHOOSE).schema["properties"]["chosen"]
    assert (chosen["minItems"], chosen["maxItems"]) == (2, 2)
    assert chosen["items"] == {"type": "integer", "enum": [1, 2, 3]}
    scale = {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert ask_of(judge_prompts(), PAIR).schema["properties"] == {"verdict": scale}
    assert ask_of(judge_prompts(), SCORE).schema["required"] == ["informative", "relevant"]


def reply(text: str, outcome: Outcome = "reply") -> Reply:
    return Reply("", outcome, (text,), why="gone")


def test_replies_are_turned_back() -> None:
    assert point_in(reply('{"verdict": 2}'), "verdict") == 2
    assert point_in(reply('{"verdict": 2}'), "verdict", turned=True) == 4
    assert choice_in(reply('{"chosen": [1, 2]}'), CHOOSE) == (0, 1)
    assert choice_in(reply('{"chosen": [1, 2]}'), CHOOSE, turned=True) == (1, 2)
    assert point_in(reply('Well:\n```json\n{"verdict": 5}\n```'), "verdict") == 5


@pytest.mark.parametrize(
    "text", ["", "the first", "{}", '{"verdict": 0}', '{"verdict": 2.5}', '{"verdict": true}',
             '{"verdict": "2"}', '{"verdict": 1} {"verdict": 5}', '{"verdict": 1']
)  # fmt: skip
def test_no_verdict_is_made_up(text: str) -> None:
    assert isinstance(point_in(reply(text), "verdict"), Unreadable)


@pytest.mark.parametrize(
    "text", ['{"chosen": 1}', '{"chosen": [1]}', '{"chosen": [1, 1]}', '{"chosen": [1, 4]}',
             '{"chosen": [0, 1]}', '{"chosen": ["Alien", "Big"]}', '{"chosen": [1, 2, 3]}']
)  # fmt: skip
def test_no_choice_is_made_up(text: str) -> None:
    assert isinstance(choice_in(reply(text), CHOOSE), Unreadable)


def test_what_came_of_a_call_is_named() -> None:
    assert point_in(reply('{"verdict": 1}', "timeout"), "verdict") == Unreadable("timeout: gone")
