"""Consolidating by the paper's separate calls, each for one small thing.

It costs several times as many calls as the fused way and is kept to compare cost and behaviour.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Any

from audience.llm.kinds import Gateway, Message
from audience.llm.loose import Unreadable
from audience.llm.structured import Questioner, object_of
from audience.llm.together import together
from audience.memory.kinds import Life
from audience.memory.prompting import (
    TEMPERATURE,
    grouped,
    holes_of,
    listed,
    memory_prompts,
    newest,
    observed,
)
from audience.memory.reading import (
    conclusion_in,
    importance_in,
    problem_of,
    sentence_in,
    value_of,
)
from audience.memory.replies import cited, degree, text
from audience.memory.ways import Due, Insight, Observed, Sensed, Taken
from audience.world.rng import Dice
from audience.world.thoughts import Thought

SIZE = 120
"""Tokens of a reply at most, unless the user says so."""


class FaithfulWay:
    """Asks for one thing a call. Calls that do not need each other are made together.

    For each thing lived a summary and an importance; for what is due an insight; to reflect a
    topic, and then what follows from it.

    prompts: a folder whose files are laid over ours.
    max_tokens: of a reply; 0: as many as a sentence may take.
    """

    foresees = False

    def __init__(
        self,
        gateway: Gateway,
        *,
        model: str = "",
        prompts: str = "",
        temperature: float = TEMPERATURE,
        max_tokens: int = 0,
    ) -> None:
        self.questions = Questioner(
            gateway,
            memory_prompts(prompts, model),
            temperature=temperature,
            max_tokens=max_tokens or SIZE,
        )

    async def take_in(self, life: Life, seen: Sequence[Observed], due: Due, dice: Dice) -> Taken:
        """Return what many calls made of a round and of what is due."""
        work: list[Awaitable[Taken]] = [
            self._sensed(life, place, one, dice) for place, one in enumerate(seen)
        ]
        work += [self.insight(life, about, dice) for about in due.insights]
        if due.reflection:
            work.append(self._reflected(life, due.reflection, dice))
        return _joined(await together(work))

    async def insight(self, life: Life, about: Sequence[Thought], dice: Dice) -> Taken:
        """Return the insight that a thought and its enhancers give, asked for at once."""
        calls = _Calls(self.questions, life, dice)
        value = await calls.ask(
            "memory_insight", object_of(insight=text()), about[0].id, thoughts=grouped(about)
        )
        said = calls.sentence(value, "insight")
        ids = tuple(one.id for one in about)
        return calls.taken(insights={about[0].id: Insight(said, ids)} if said else {})

    async def _sensed(self, life: Life, place: int, one: Observed, dice: Dice) -> Taken:
        calls = _Calls(self.questions, life, dice)
        line = observed(one.text, calls.problems)
        summary, importance = await together(
            [
                calls.ask("memory_summary", object_of(sentence=text()), place, observed=line),
                calls.ask(
                    "memory_importance", object_of(importance=degree()), place, observed=line
                ),
            ]
        )
        said = calls.sentence(summary, "sentence")
        weight = 0 if importance is None else importance_in(importance, calls.problems)
        return calls.taken(sensed=(Sensed(one, said, weight),) if said and weight else ())

    async def _reflected(self, life: Life, thoughts: Sequence[Thought], dice: Dice) -> Taken:
        calls = _Calls(self.questions, life, dice)
        about = newest(thoughts, calls.problems)
        ids = [one.id for one in about]
        lines = listed(about)
        value = await calls.ask("memory_topics", object_of(topic=text()), thoughts=lines)
        topic = calls.sentence(value, "topic")
        if not topic:
            return calls.taken()
        form = object_of(insight=text(), sources=cited(ids))
        value = await calls.ask("memory_reflection", form, thoughts=lines, topic=topic)
        found = None if value is None else conclusion_in(value, ids, calls.problems)
        return calls.taken(reflections=(found,) if found else ())


class _Calls:
    """The calls for one small thing, with what was wrong with their replies."""

    def __init__(self, questions: Questioner, life: Life, dice: Dice) -> None:
        self.questions, self.dice = questions, dice
        self.holes = holes_of(life)
        self.keys: dict[str, str] = {}
        self.problems: list[str] = []

    async def ask(
        self, purpose: str, form: dict[str, Any], nth: int = 0, **holes: str
    ) -> Any | None:  # noqa: ANN401
        """Return the value of a reply, None when it cannot be read."""
        prompt = self.questions.prompts.fill(purpose, {**self.holes, **holes}, pack="faithful")
        messages = (Message("user", prompt),)
        answer = await self.questions.ask_once(
            purpose, messages, int(self.dice.keys[0]), value_of, form, nth=nth
        )
        self.keys[purpose] = answer.replies[0].key
        if isinstance(answer.value, Unreadable):
            self.problems.append(problem_of(answer.value.why))
            return None
        return answer.value

    def sentence(self, value: Any | None, name: str) -> str:  # noqa: ANN401
        return "" if value is None else sentence_in(value, name, self.problems)

    def taken(
        self,
        sensed: tuple[Sensed, ...] = (),
        insights: Mapping[int, Insight] | None = None,
        reflections: tuple[Insight, ...] = (),
    ) -> Taken:
        """Return what came of it; calls in the order of their purposes, whichever came first."""
        keys = tuple(self.keys[purpose] for purpose in _ORDER if purpose in self.keys)
        return Taken(sensed, insights or {}, reflections, keys, tuple(sorted(self.problems)))


_ORDER = (
    "memory_summary",
    "memory_importance",
    "memory_insight",
    "memory_topics",
    "memory_reflection",
)


def _joined(parts: Iterable[Taken]) -> Taken:
    parts = list(parts)
    insights: dict[int, Insight] = {}
    for one in parts:
        insights |= one.insights
    return Taken(
        tuple(sensed for one in parts for sensed in one.sensed),
        insights,
        tuple(insight for one in parts for insight in one.reflections),
        tuple(call for one in parts for call in one.calls),
        tuple(problem for one in parts for problem in one.problems),
    )
