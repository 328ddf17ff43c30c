from __future__ import annotations

import re

import pytest

from audience.agents.voiced import voice as v
from audience.agents.voiced.checks import fault
from audience.agents.voiced.lexicon import mood_of
from audience.testing import tiny_genesis
from audience.world import Item, Lived, Profile

ABOUT = "A stubborn girl of fourteen hires a one-eyed marshal to track her father's killer."
WHO = Profile(3, "Ann Lee", age=67, traits=("shy", "curious"), career="accountant")
GRIT = Item(0, "True Grit", ABOUT, ("Western", "Drama"))


def facts(kind: v.Kind = "feeling", **known: object) -> v.Facts:
    return v.facts_about(kind, GRIT, WHO, **known)


def test_the_whole_prompt_of_a_feeling() -> None:
    request = v.speech(facts(stars=5, draw=0.0), "7/3/1")
    assert request is not None
    told = "\n".join(f"[{one.role}] {one.content}" for one in request.messages)
    assert told == (
        "[system] Finish the sentence with a few words from the story.\n"
        "[user] Story: A retired gunman rides out one last time to free a valley from cattle "
        "thieves.\n"
        "Sentence: I loved <The Last Valley>, above all\n"
        "[assistant] the old gunman and the cattle thieves.\n"
        "[user] Story: Two sisters open a bakery in a seaside town and fall for the same baker.\n"
        "Sentence: I gave up on <Flour and Sugar>, I could not stand\n"
        "[assistant] the two sisters and the baker.\n"
        "[user] Story: While her village sleeps, a shy girl builds a raft to look for her father.\n"
        "Sentence: <The Raft> was fine, though I wanted more of\n"
        "[assistant] the shy girl on the raft.\n"
        "[user] Story: After the flood, a stubborn beekeeper carries his last hive across the "
        "mountains.\n"
        "Sentence: <Honey Road> sounds right for me, I like the idea of\n"
        "[assistant] the stubborn beekeeper and the hive.\n"
        f"[user] Story: {ABOUT}\n"
        "Sentence: I loved <True Grit>, above all"
    )
    assert (request.purpose, request.candidates, request.stop) == ("feeling", 4, ("\n",))
    assert request.salt == "7/3/1"


def test_the_prompt_of_what_happens_is_another_with_the_same_stories() -> None:
    request = v.speech(facts(stars=1, dropped=True, draw=0.5))
    assert request is not None
    assert (
        request.messages[-1].content == f"Story: {ABOUT}\nSentence: I gave up on <True Grit> when"
    )
    assert request.messages[0].content == "Finish the sentence with what happens in the story."
    assert request.messages[2].content == "the old gunman rides out one last time."
    assert request.messages[6].content == "the shy girl builds her raft."


def test_all_lines_share_one_of_two_prefixes() -> None:
    kinds: tuple[v.Kind, ...] = ("feeling", "post", "opening", "reply", "interview")
    prefixes = set()
    for kind in kinds:
        for step in range(20):
            request = v.speech(facts(kind, stars=1 + step % 5, friend="Bo", draw=step / 20))
            assert request is not None
            prefixes.add(request.messages[:-1])
    assert len(prefixes) == 2


@pytest.mark.parametrize("mood", ["good", "mixed", "bad"])
@pytest.mark.parametrize("kind", ["feeling", "post", "opening", "reply", "interview"])
def test_there_are_beginnings_for_every_kind_and_mood(kind: v.Kind, mood: v.Mood) -> None:
    assert len(v.beginnings()[kind, mood]) >= 2


def test_every_beginning_names_the_item_once_and_has_its_mood() -> None:
    for (part, mood), texts in v.beginnings().items():
        for text in texts:
            assert text.count("<{title}>") == 1, text
            assert not re.search(r"[.!?]$", text), text
            score = mood_of(text.replace("<{title}>", " "))
            if mood == "mixed":
                assert abs(score) <= 2, (part, text, score)
            else:
                assert score > 0 if mood == "good" else score < 0, (part, text, score)


@pytest.mark.parametrize(
    ("known", "begun"),
    [
        ({"stars": 5}, "I loved <True Grit>, above all"),
        ({"stars": 3}, "<True Grit> was all right, though I wanted more of"),
        ({"stars": 2}, "<True Grit> bored me, I did not care about"),
        ({"stars": 2, "dropped": True}, "I gave up on <True Grit>, I could not stand"),
        ({"stars": 5, "dropped": True}, "I loved <True Grit>, above all"),
        ({"stance": -0.5}, "<True Grit> bored me, I did not care about"),
        ({"stars": 5, "draw": 0.75}, "Call me curious, but I loved <True Grit>, above all"),
        (
            {"stars": 5, "draw": 0.85},
            "As an accountant I was touched by <True Grit>, most of all by",
        ),
        (
            {"stars": 5, "draw": 0.999},
            "At 67 I am hard to please, but <True Grit> won me over with",
        ),
    ],
)
def test_a_beginning_follows_from_the_facts(known: dict[str, object], begun: str) -> None:
    assert v.beginning(facts("feeling", **known)) == begun


def test_a_person_without_a_trade_or_traits_has_no_beginning_that_needs_them() -> None:
    nobody = Profile(0, career="unemployed")
    for step in range(50):
        begun = v.beginning(v.facts_about("feeling", GRIT, nobody, stars=5, draw=step / 50))
        assert "unemployed" not in begun
        assert not re.search(r"Call me|As an? |At \d", begun)


def test_lines_to_a_friend_name_the_friend_if_there_is_one() -> None:
    assert v.beginning(facts("opening", stars=5, friend="Bo", draw=0.3)).startswith(
        "Bo, you must try"
    )
    assert v.beginning(facts("reply", stars=5)) == "I loved <True Grit> myself, above all"
    new = facts("reply", stance=0.5, lived=False)
    assert v.beginning(new) == "<True Grit> sounds right for me, I like the idea of"


def test_there_is_always_a_beginning_that_needs_nothing_but_the_title() -> None:
    for (part, mood), texts in v.beginnings().items():
        plain = [text for text in texts if not re.search(r"\{(friend|trait|career|age)\}", text)]
        assert plain, (part, mood)
    assert v.beginning(facts("opening", stars=5)) == "You must try <True Grit>, you will love"


def test_an_item_without_a_story_is_told_by_its_tags_or_not_at_all() -> None:
    tagged = v.facts_about("post", Item(0, "X", tags=("War", "Drama")), WHO)
    assert tagged.about == "A story of war and drama."
    assert v.speech(v.facts_about("post", Item(0, "X"), WHO)) is None


def test_braces_in_a_story_are_only_text() -> None:
    request = v.speech(v.facts_about("post", Item(0, "{x}", "A {story}."), WHO))
    assert request is not None
    assert "Story: A {story}." in request.messages[-1].content
    assert "<{x}>" in request.messages[-1].content


def test_an_answer_speaks_of_what_was_asked_about() -> None:
    catalogue = tiny_genesis(2, 10).catalogue
    lived = (Lived(1, 0, 1.0, 5), Lived(2, 0, 0.2, 1), Lived(3, 0, 1.0, 3), Lived(4, 0, 1.0))
    named = catalogue[3].title
    assert v.topic(f"What about {named}?", lived, catalogue) == lived[2]
    assert v.topic("Which did you like best?", lived, catalogue) == lived[0]
    assert v.topic("What disappointed you?", lived, catalogue) == lived[1]
    assert v.topic("Why did you leave?", lived, catalogue) == lived[3]
    assert v.topic("What did you like?", (), catalogue) is None


def test_a_template_of_the_story_passes_its_own_checks_for_every_beginning() -> None:
    rests = ("the stubborn girl and the marshal.", "the girl hires a one-eyed marshal.")
    for kind in ("feeling", "post", "opening", "reply", "interview"):
        for step in range(60):
            told = facts(kind, stars=1 + step % 5, friend="Bo", draw=step / 60)
            begun = v.beginning(told)
            rest = rests[v.wants_clause(begun)]
            assert fault(f"{begun} {rest}", told) == "", begun


@pytest.mark.parametrize(
    ("kind", "known", "told"),
    [
        ("feeling", {"stars": 5}, ("Say how it was for you.", "loved it")),
        ("feeling", {"stars": 4}, ("Say how it was for you.", "liked it")),
        ("feeling", {"stars": 3}, ("Say how it was for you.", "found it all right")),
        (
            "feeling",
            {"stars": 2, "dropped": True},
            ("Say how it was for you.", "disliked it, gave up before the end"),
        ),
        ("post", {"stars": 1}, ("Post about it.", "hated it")),
        ("post", {"stance": 0.5}, ("Post about it.", "liked it")),
        (
            "opening",
            {"stance": 0.0, "friend": "Bo"},
            ("Write to Bo about it.", "is not sure about it"),
        ),
        ("opening", {"stance": -0.5}, ("Write to a friend about it.", "disliked it")),
        (
            "reply",
            {"stance": 0.5, "lived": False, "friend": "Bo"},
            ("Answer Bo about it.", "has not seen it, heard good things"),
        ),
        (
            "reply",
            {"stance": -0.5, "lived": False, "dropped": True},
            ("Answer a friend about it.", "has not seen it, heard bad things"),
        ),
        (
            "interview",
            {"stars": 5, "question": "Which did you\n like  best?"},
            ("Answer: Which did you like best?", "loved it"),
        ),
    ],
)
def test_the_whole_prompt_of_a_line_that_a_trained_model_writes(
    kind: v.Kind, known: dict[str, object], told: tuple[str, str]
) -> None:
    request = v.say(facts(kind, **known), "7/3/1")
    assert [(part.role, part.content) for part in request.messages] == [
        ("system", "You are a person who talks about films."),
        (
            "user",
            f"{told[0]}\n<True Grit>: {ABOUT}\n"
            f"You: 67, accountant, shy, curious\nOpinion: {told[1]}",
        ),
    ]
    assert (request.purpose, request.candidates, request.stop) == (kind, 1, ("\n",))
    assert request.salt == "7/3/1"
    assert (request.temperature, request.top_p) == (v.SAID_TEMPERATURE, v.SAID_TOP_P)


def test_a_person_of_whom_nothing_is_known_is_somebody_and_a_book_is_no_film() -> None:
    unknown = v.facts_about("post", GRIT, Profile(0), stars=5, plural="books")
    system, asked = v.say(unknown).messages
    assert system.content == "You are a person who talks about books."
    assert "\nYou: somebody\n" in asked.content


def test_braces_and_a_long_question_do_not_break_the_prompt_of_a_line() -> None:
    odd = v.facts_about("interview", Item(0, "{x}", "A {story}."), WHO, question="{why} " * 500)
    asked = v.say(odd).messages[-1].content
    assert "<{x}>: A {story}." in asked
    assert asked.startswith("Answer: {why} {why}")
    assert len(asked) < 500
