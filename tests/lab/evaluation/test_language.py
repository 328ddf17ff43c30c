from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

from audience.errors import BadInput
from audience.lab.evaluation import Case, Real, language as a
from audience.lab.evaluation.cases import lives_of
from audience.lab.evaluation.language import LanguageContestant, read, schema_of
from audience.llm import Reply
from audience.llm.fake import Fake
from audience.scenario import Models, SpendingOptions, door_of
from audience.world import Domain, Floats

CASE = Case(3, (10, 11, 12), (20, 21, 22, 23), (False, True, False, False))
Serving = Callable[..., AbstractContextManager[Fake]]
FILMS = Domain("film", "films", "watched")


def said(text: str, form: str = a.CHOOSE, scores: tuple[float, ...] = ()) -> Floats:
    return read(form, Reply("k", "reply", texts=(text,), scores=scores), CASE)


def test_what_was_chosen_scores_one() -> None:
    assert said('{"chosen": [2]}').tolist() == [0, 1, 0, 0]
    assert said('```json\n{"chosen": [4]}\n```').tolist() == [0, 0, 0, 1]
    assert said('{"yes": [1, 4]}', a.TASTE).tolist() == [1, 0, 0, 1]
    assert said('{"yes": []}', a.TASTE).tolist() == [0, 0, 0, 0]
    assert said('{"stars": [1, 2.5, 5, 4]}', a.RATINGS).tolist() == [1, 2.5, 5, 4]
    assert said("B", a.SCORE, (-3.0, -0.1, -2.0, -5.0)).tolist() == [-3.0, -0.1, -2.0, -5.0]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (a.CHOOSE, "I would choose the second film."),
        (a.CHOOSE, '{"chosen": [5]}'),
        (a.CHOOSE, '{"chosen": [0]}'),
        (a.CHOOSE, '{"chosen": []}'),
        (a.CHOOSE, '{"chosen": [1, 2]}'),
        (a.CHOOSE, '{"chosen": ["Heat"]}'),
        (a.CHOOSE, '{"chosen": [2'),
        (a.CHOOSE, '{"picked": [2]}'),
        (a.CHOOSE, '{"chosen": [true]}'),
        (a.TASTE, '{"yes": [1, 1]}'),
        (a.RATINGS, '{"stars": [1, 2, 3]}'),
        (a.RATINGS, '{"stars": [1, 2, 3, 6]}'),
        (a.RATINGS, '{"stars": [1, 2, 3, "4"]}'),
        (a.SCORE, "B"),
    ],
)
def test_what_cannot_be_read_is_no_answer_and_never_repaired(form: str, text: str) -> None:
    assert np.isnan(said(text, form)).all()


def test_a_call_that_failed_is_no_answer() -> None:
    for outcome in ("refusal", "timeout", "error", "unreadable"):
        reply = Reply("k", outcome, texts=('{"chosen": [1]}',))
        assert np.isnan(read(a.CHOOSE, reply, CASE)).all()


def asked(real: Real, form: str, door: object, **more: object) -> LanguageContestant:
    lives = lives_of(real, np.arange(len(real)))
    return LanguageContestant("llm", form, door, lives, domain=FILMS, **more)  # type: ignore[arg-type]


def test_a_prompt_holds_the_rated_history_and_numbered_candidates(ring: Real) -> None:
    rows = np.flatnonzero(ring.users == 3)
    history = tuple(ring.items[rows][:4].tolist())
    case = Case(3, history, (1, 2, 3), (False, True, False))
    request = asked(ring, a.CHOOSE, None).request(case, ("", "very popular", ""))
    text = request.messages[-1].content
    stars = int(ring.stars[rows][0])
    assert f"<Film {history[0]}> ({1980 + history[0] % 20}; " in text
    assert f"{stars} stars" in text
    assert "[2] <Film 2> (1982; Drama) (very popular)" in text
    assert "[1] <Film 1> (1981; Drama)\n" in text
    assert "exactly 1" in text
    assert request.temperature == 0.0
    assert request.schema == schema_of(a.CHOOSE, case)
    other = Case(3, history, (1, 2, 3), (True, False, False))
    again = asked(ring, a.CHOOSE, None).request(other, ("", "very popular", ""))
    assert again.key == request.key, "the truth is not in the prompt"


def test_log_probabilities_are_asked_by_letters(ring: Real) -> None:
    request = asked(ring, a.SCORE, None).request(CASE)
    assert request.options == ("A", "B", "C", "D")
    assert "\nD) <Film 23>" in request.messages[-1].content
    assert "JSON" not in request.messages[0].content, "who writes JSON begins with a brace"
    assert "JSON" in asked(ring, a.CHOOSE, None).request(CASE).messages[0].content
    many = Case(0, (1,), tuple(range(30)), (False,) * 30)
    with pytest.raises(BadInput, match="at most 26"):
        asked(ring, a.SCORE, None).request(many)


def test_a_long_history_loses_its_oldest_lines(ring: Real) -> None:
    case = Case(0, tuple(n % 80 for n in range(400)), (1, 2), (True, False))
    text = asked(ring, a.CHOOSE, None).request(case).messages[-1].content
    assert len(text) < 4 * a.HISTORY + 1_000
    assert f"- <Film {399 % 80}>" in text


def play(
    real: Real, fake: Fake, folder: Path, form: str, cases: list[Case]
) -> tuple[LanguageContestant, list[Floats]]:
    models = Models(url=fake.url, model="fake", price="free")

    async def whole() -> tuple[LanguageContestant, list[Floats]]:
        async with door_of(models, SpendingOptions(), folder) as door:
            contestant = asked(real, form, door, model="fake")
            return contestant, list(await contestant.score(cases))

    return asyncio.run(whole())


def test_a_server_is_asked_once_and_a_second_time_nothing_is_paid(
    ring: Real, serving: Serving, tmp_path: Path
) -> None:
    cases = [
        Case(user, (1, 2, 3), (20, 21, 22, 23, 24), (True,) + (False,) * 4) for user in range(9)
    ]
    with serving() as fake:
        first, one = play(ring, fake, tmp_path, a.CHOOSE, cases)
        second, two = play(ring, fake, tmp_path, a.CHOOSE, cases)
    assert all(scores.sum() == 1.0 for scores in one)
    assert [scores.tolist() for scores in one] == [scores.tolist() for scores in two]
    assert (first.spent.calls, first.spent.reused) == (9, 0)
    assert (second.spent.calls, second.spent.reused) == (9, 9)
    assert first.spent.tokens == second.spent.tokens > 0


def test_answers_without_form_are_counted_as_none(
    ring: Real, serving: Serving, tmp_path: Path
) -> None:
    with serving(says={"Film": "The second one, I think."}) as fake:
        _, found = play(ring, fake, tmp_path, a.CHOOSE, [CASE, CASE])
    assert all(np.isnan(scores).all() for scores in found)


def test_log_probabilities_where_the_endpoint_offers_them(
    ring: Real, serving: Serving, tmp_path: Path
) -> None:
    for offered in ("echo", "top"):
        with serving(scores=offered) as fake:
            _, found = play(ring, fake, tmp_path / offered, a.SCORE, [CASE])
        assert len(found[0]) == 4
        assert len(set(found[0].tolist())) == 4
        assert all(math.isfinite(score) and score < 0 for score in found[0])


def test_an_endpoint_without_log_probabilities_is_refused_after_a_few_answers(
    ring: Real, serving: Serving, tmp_path: Path
) -> None:
    cases = [Case(user, (1, 2, 3), (20, 21), (True, False)) for user in range(60)]
    with serving(scores="none") as fake:
        with pytest.raises(BadInput, match="no log-probabilities of letters; leave it out"):
            play(ring, fake, tmp_path, a.SCORE, cases)
        assert fake.outcomes["ok"] == a.FIRST


def test_schemas_allow_only_numbers_that_stand_there() -> None:
    schema = schema_of(a.CHOOSE, CASE)
    listed = schema["properties"]["chosen"]
    assert listed["items"]["enum"] == [1, 2, 3, 4]
    assert (listed["minItems"], listed["maxItems"]) == (1, 1)
    assert schema_of(a.TASTE, CASE)["properties"]["yes"]["minItems"] == 0
    assert schema_of(a.RATINGS, CASE)["properties"]["stars"]["minItems"] == 4
    assert json.dumps(schema)
