"""Language models as contestants: history and shuffled candidates in one prompt."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase

import numpy as np

from audience.agents.language import TITLE
from audience.errors import BadInput
from audience.grounding import Lives
from audience.lab.evaluation.cases import Case, stars_given
from audience.llm import (
    ChatMessage,
    Counts,
    GatewayStack,
    Prompts,
    Reply,
    Request,
    Schema,
    Unreadable,
    ask_for,
    bounded,
    list_of,
    loose_json,
    object_of,
    one_of,
    plain,
    spent_on,
    together,
)
from audience.world import Domain, Floats

HISTORY = 900
"""Token limit of the history; the oldest lines are dropped."""
AT_ONCE = 256
CHOOSE, TASTE, RATINGS, SCORE, STEP = "choose", "taste", "ratings", "score", "step"
RULES = {SCORE: "eval_score_rules"}
"""Forms with their own rules: told to write JSON, a model begins with a brace, not a letter."""
FIRST = 8
"""After this many answers without log-probabilities, an endpoint has none."""
Words = Callable[[Sequence[Case]], Sequence[Sequence[str]]]
"""Puts the evidence about each candidate of each case into plain words."""


def evaluation_prompts(model: str = "") -> Prompts:
    """Return the prompt files of evaluations."""
    return Prompts(Path(__file__).parent / "prompts", model=model)


class LanguageContestant:
    """Asks a model about each case once. An unreadable answer is NaN throughout."""

    def __init__(
        self,
        name: str,
        form: str,
        door: GatewayStack,
        lives: Lives,
        *,
        domain: Domain,
        model: str = "",
        seed: int = 1,
        words: Words | None = None,
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        """`form`: the prompt and how its answer is read: choose, taste, ratings or score."""
        self.name = name
        self.form = form
        self.spent = Counts()
        self.door = door
        self.lives = lives
        self.domain = domain
        self.model = model
        self.seed = seed
        self.words = words
        self.progress = progress
        self.pack = evaluation_prompts(model)
        self._stars = stars_given(lives)
        self._replies = self._scored = 0

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        """Return 1 for what the model chose and 0 for the rest; stars, or log-probabilities."""
        answers: list[Floats] = []
        first = FIRST if self.form == SCORE else 0
        for start, end in _pieces(len(cases), first):
            part = cases[start:end]
            notes = self.words(part) if self.words else [()] * len(part)
            pairs = zip(part, notes, strict=True)
            answers += await together(self._score(case, lines) for case, lines in pairs)
            # An evaluation that is killed resumes here without paying again.
            self.door.flush()
            self._check_scores()
            self.progress(len(answers))
        return answers

    def _check_scores(self) -> None:
        """Raise if no answer had log-probabilities: none of them is a wrong answer."""
        if self.form == SCORE and self._replies and not self._scored:
            raise BadInput(
                f"--mind {self.name}: {self.model or 'the endpoint'} gives no log-probabilities "
                "of letters; leave it out or use llm. The answers so far are kept"
            )

    async def _score(self, case: Case, notes: Sequence[str]) -> Floats:
        request = self.request(case, notes)
        answer = await ask_for(self.door, request, lambda reply: read(self.form, reply, case))
        reply = answer.replies[0]
        self._replies += reply.outcome == "reply"
        self._scored += bool(reply.scores)
        self.spent = self.spent.plus(spent_on(reply, self.door.meter.prices))
        return answer.value

    def request(self, case: Case, notes: Sequence[str] = ()) -> Request:
        """Return the request about a case."""
        holes = self._holes(case, notes)
        messages = (
            ChatMessage("system", self.pack.fill(RULES.get(self.form, "eval_rules"), holes)),
            ChatMessage("user", self.pack.fill(f"eval_{self.form}", holes)),
        )
        scored = self.form == SCORE
        return Request(
            f"eval {self.form}",
            messages,
            self.model,
            schema=None if scored else schema_of(self.form, case),
            options=tuple(ascii_uppercase[: len(case.candidates)]) if scored else (),
            max_tokens=8 if scored else 400,
            temperature=0.0,
            salt=f"{self.seed}/eval/{case.user}",
        )

    def _holes(self, case: Case, notes: Sequence[str]) -> dict[str, str]:
        count, choose = len(case.candidates), wanted_in(self.form, case)
        if count > len(ascii_uppercase) and self.form == SCORE:
            raise BadInput(f"{count} candidates are more than there are letters; score at most 26")
        lines = [self._lived(case.user, item) for item in case.history]
        letters = self.form == SCORE
        marks = [f"{ascii_uppercase[n]})" if letters else f"[{n + 1}]" for n in range(count)]
        title = f"What this person {self.domain.past}, newest last:"
        return {
            "noun": self.domain.noun,
            "plural": self.domain.plural,
            "past": self.domain.past,
            "history": bounded(title, lines, HISTORY),
            "candidates": "\n".join(
                f"{marks[place]} {self._line(item)}"
                + (f" ({notes[place]})" if place < len(notes) and notes[place] else "")
                for place, item in enumerate(case.candidates)
            ),
            "count": str(count),
            "wanted": str(choose),
            "some": "One" if choose == 1 else str(choose),
        }

    def _line(self, item: int) -> str:
        entry = self.lives.catalogue[item]
        facts = [str(entry.year)] if entry.year else []
        facts += [plain(", ".join(entry.tags), TITLE)] if entry.tags else []
        return f"<{plain(entry.title, TITLE)}>" + (f" ({'; '.join(facts)})" if facts else "")

    def _lived(self, user: int, item: int) -> str:
        stars = self._stars.get((user, item), 0.0)
        return self._line(item) + (f", {stars:g} stars" if stars else "")


def _pieces(cases: int, first: int) -> list[tuple[int, int]]:
    """Return the ranges of cases asked at once, with a smaller first one if `first` is set."""
    starts = [*([0] if first else []), *range(first, cases, AT_ONCE)]
    return list(zip(starts, [*starts[1:], cases], strict=True)) if cases else []


def wanted_in(form: str, case: Case) -> int:
    """Return how many are to be chosen: one per step, else as many as were consumed."""
    return 1 if form == STEP else sum(case.truth)


def schema_of(form: str, case: Case) -> Schema:
    """Return the schema of an answer: only numbers of candidates."""
    count, choose = len(case.candidates), wanted_in(form, case)
    number = one_of(range(1, count + 1))
    least, most, field = 0, count, "yes"
    if form in (CHOOSE, STEP):
        least, most, field = choose, choose, "chosen"
    elif form == RATINGS:
        least, most, field = count, count, "stars"
        number = {"type": "number", "minimum": 1, "maximum": 5}
    return object_of(**{field: list_of(number, least, most, unique=form != RATINGS)})


def read(form: str, reply: Reply, case: Case) -> Floats:
    """Return what an answer says about each candidate; NaN throughout if unreadable."""
    nothing = np.full(len(case.candidates), math.nan)
    if reply.outcome != "reply":
        return nothing
    if form == SCORE:
        return np.array(reply.scores) if len(reply.scores) == len(nothing) else nothing
    answer = loose_json(reply.text)
    if isinstance(answer, Unreadable) or not isinstance(answer, Mapping):
        return nothing
    if form == RATINGS:
        return _rated(answer.get("stars"), nothing)
    return _marked(answer.get("yes" if form == TASTE else "chosen"), form, case, nothing)


def _marked(marks: object, form: str, case: Case, nothing: Floats) -> Floats:
    if not isinstance(marks, list) or not all(_is_whole(mark) for mark in marks):
        return nothing
    places = {int(mark) for mark in marks}
    inside = all(1 <= place <= len(nothing) for place in places)
    exact = form == TASTE or len(places) == wanted_in(form, case)
    if not inside or not exact or len(places) != len(marks):
        return nothing
    return np.array([float(place + 1 in places) for place in range(len(nothing))])


def _rated(values: object, nothing: Floats) -> Floats:
    if not isinstance(values, list) or len(values) != len(nothing):
        return nothing
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        return nothing
    stars = np.array(values, np.float64)
    return stars if bool(((stars >= 1.0) & (stars <= 5.0)).all()) else nothing


def _is_whole(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and int(value) == value
