from __future__ import annotations

import pytest

from audience.agents.rule import RuleParameters, social as words, stance_on
from audience.agents.rule.social import converse, socialise
from audience.testing import tiny_genesis
from audience.world import (
    MENUS,
    Agent,
    Domain,
    Friend,
    Habits,
    Heard,
    Lived,
    Message,
    Observation,
    Profile,
    Situation,
    actions as a,
    events as e,
    taste_of,
)

CATALOGUE = tiny_genesis(2, 10).catalogue
FRIENDS = (Friend(4, "Ann", "friend", 0.9), Friend(5, "Bob", "friend", 0.1))
ALWAYS, NEVER = [0.0] * 6, [0.999] * 6
P = RuleParameters(talkative=1.0)


def among_friends(
    habits: Habits,
    history: tuple[Lived, ...] = (),
    inbox: tuple[Message, ...] = (),
    lines: tuple[e.Said, ...] = (),
    pages: int = 1,
    picks: int = 0,
    heard: tuple[Heard, ...] = (),
) -> Observation:
    profile = Profile(0, "Me", habits=habits, interests=("Comedy",))
    here = Situation(0, "social", pages=pages, picks=picks)
    taste = taste_of(profile, CATALOGUE.tag_ids)
    me = Agent(profile, taste, here, history, inbox=inbox, heard=heard)
    domain = Domain("book", "books", "read")
    return Observation(me, 1, 1, "social", MENUS["social"], CATALOGUE, domain, FRIENDS, lines)


def test_posters_post_of_what_they_lived_last() -> None:
    seen = among_friends(Habits(poster=1.0), (Lived(2, 0, 1.0), Lived(3, 0, 1.0, 5)))
    post = socialise(P, seen, ALWAYS).actions[0]
    assert isinstance(post, a.Post)
    assert (post.items, post.stance) == ((3,), 1.0)
    assert f"<{CATALOGUE[3].title}>" in post.text
    assert "read" in post.text


def test_those_without_the_habit_or_without_a_story_stay_silent() -> None:
    lived = (Lived(3, 0, 1.0),)
    for seen in (among_friends(Habits(), lived), among_friends(Habits(poster=1.0, chatter=1.0))):
        assert [type(one) for one in socialise(P, seen, NEVER).actions] == [a.Leave]


def test_posters_pass_on_the_newest_message() -> None:
    inbox = (Message("1.4.0", 4, "Old"), Message("1.5.0", 5, "New"))
    seen = among_friends(Habits(poster=1.0), inbox=inbox)
    assert socialise(P, seen, ALWAYS).actions[0] == a.Forward("1.5.0")


def test_chatters_talk_to_the_closer_friend_more() -> None:
    seen = among_friends(Habits(chatter=1.0), (Lived(3, 0, 0.1, 1),))
    told = [socialise(P, seen, [0.9, 0.9, 0.0, d / 100, 0.9, 0.5]).actions[0] for d in range(100)]
    to = [one.to for one in told if isinstance(one, a.Say)]
    assert to.count(4) == 90
    assert to.count(5) == 10
    assert isinstance(told[0], a.Say)
    assert told[0].stance == -1.0


def test_who_came_for_friends_may_go_on_to_the_recommender() -> None:
    fresh = among_friends(Habits(), pages=0)
    assert socialise(P, fresh, ALWAYS).actions[-2:] == (a.Enter("recommender"), a.Browse())
    assert isinstance(socialise(P, fresh, NEVER).actions[-1], a.Leave)
    assert isinstance(socialise(P, among_friends(Habits()), ALWAYS).actions[-1], a.Leave)


def test_hearsay_draws_to_the_recommender() -> None:
    draws = [0.9, 0.9, 0.9, 0.9, 0.6, 0.9]
    told = among_friends(Habits(), pages=0, heard=(Heard(2, 4, 1.0),))
    assert isinstance(socialise(P, told, draws).actions[-1], a.Browse)
    assert isinstance(socialise(P, among_friends(Habits(), pages=0), draws).actions[-1], a.Leave)


def test_leaving_tells_how_the_visit_was() -> None:
    seen = among_friends(Habits(), (Lived(1, 0, 1.0, 5), Lived(2, 0, 1.0, 4)), picks=2)
    assert socialise(P, seen, NEVER).actions[-1] == a.Leave(0.8)
    assert socialise(P, among_friends(Habits()), NEVER).actions[-1] == a.Leave(None)


def reply(seen: Observation, draws: list[float]) -> tuple[a.AnyAction, ...]:
    return converse(seen, draws).actions


def test_an_answer_says_what_one_thinks_of_the_item() -> None:
    line = e.Said(4, 0, "Try it", (3,), 1.0)
    (said,) = reply(among_friends(Habits(), (Lived(3, 0, 1.0, 1),), lines=(line,)), ALWAYS)
    assert isinstance(said, a.Say)
    assert (said.to, said.items, said.stance) == (4, (3,), -1.0)


def test_who_lived_it_speaks_as_one_who_did() -> None:
    line = e.Said(4, 0, "Maybe one day", (3,), 0.0)
    title, book = CATALOGUE[3].title, Domain("book", "books", "read")
    for draw in (0.0, 0.99):
        for lived, say in ((Lived(3, 0, 1.0, 5), words.answer), (Lived(2, 0, 1.0, 5), words.reply)):
            (said,) = reply(among_friends(Habits(), (lived,), lines=(line,)), [0.0, draw])
            assert isinstance(said, a.Say)
            assert said.text == say(said.stance, draw, title, book)


def test_praise_makes_an_opinion_friendlier() -> None:
    stances = []
    for told in (-1.0, 1.0):
        line = e.Said(4, 0, "Hm", (3,), told)
        (said,) = reply(among_friends(Habits(), lines=(line,)), ALWAYS)
        assert isinstance(said, a.Say)
        stances.append(said.stance)
    assert stances[1] == pytest.approx(stances[0] + 0.8, abs=0.01)


def test_chatters_answer_more() -> None:
    line = e.Said(4, 0, "Try it", (3,), 1.0)
    for chatter, answers in ((0.0, False), (1.0, True)):
        seen = among_friends(Habits(chatter=chatter), lines=(line,))
        assert isinstance(reply(seen, [0.6, 0.5, 0.5])[0], a.Say) is answers


def test_small_talk_is_not_answered() -> None:
    seen = among_friends(Habits(chatter=1.0), lines=(e.Said(4, 0, "Hello"),))
    assert reply(seen, ALWAYS) == (a.Leave(),)


@pytest.mark.parametrize(
    ("lived", "stance"),
    [
        (Lived(0, 0, 1.0, 1), -1.0),
        (Lived(0, 0, 0.1, 3), 0.0),
        (Lived(0, 0, 0.1, 5), 1.0),
        (Lived(0, 0, 1.0), 0.6),
        (Lived(0, 0, 0.0), -1.0),
    ],
)
def test_stars_speak_before_the_time_spent(lived: Lived, stance: float) -> None:
    assert stance_on(lived) == stance


def test_words_fit_the_stance_and_the_domain() -> None:
    book, draws = Domain("book", "books", "read"), (0.0, 0.5, 0.999)
    assert [words.side(stance) for stance in (-1.0, -0.2, 0.0, 0.2, 0.21)] == [-1, 0, 0, 0, 1]
    for draw in draws:
        for make in (words.post, words.opening, words.reply):
            said = [make(stance, draw, "X {y}", book) for stance in (-1.0, 0.0, 1.0)]
            assert len(set(said)) == 3
            assert all("<X {y}>" in one for one in said)
            assert not any("film" in one or "watched" in one for one in said)
        felt = [words.feeling(stars, draw, "X", book) for stars in (1, 2, 3, 4, 5)]
        assert len(set(felt)) == 5
