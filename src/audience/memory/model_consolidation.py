"""Consolidating by a language model: fused in one call a round, or faithfully in many."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from audience.errors import BadInput, unknown
from audience.llm import (
    ChatMessage,
    Embedder,
    Gateway,
    Questioner,
    Reply,
    Unreadable,
    object_of,
    open_embedder,
    together,
)
from audience.memory.consolidation import Due, Insight, Observed, Sensed, Taken, Way
from audience.memory.memory import Life
from audience.memory.prompts import (
    TEMPERATURE,
    Prompt,
    cited,
    degree,
    fused_prompt,
    grouped,
    holes_of,
    listed,
    memory_prompts,
    newest,
    observed,
    schema_of,
    text,
)
from audience.memory.replies import (
    MemoryReply,
    conclusion_in,
    importance_in,
    problem_of,
    read,
    sentence_in,
    value_of,
)
from audience.memory.rule_consolidation import RuleWay
from audience.memory.sentences import REACHED
from audience.world import Dice, Thought

PURPOSE = "memory"


class FusedWay:
    """Asks for everything at once, and again only if nothing in the reply was usable.

    prompts: a folder whose files override ours.
    max_tokens: of a reply; 0: enough for what is asked for.
    """

    foresees = True

    def __init__(
        self,
        gateway: Gateway,
        *,
        model: str = "",
        prompts: str = "",
        temperature: float = TEMPERATURE,
        max_tokens: int = 0,
    ) -> None:
        self.max_tokens = max_tokens
        self.questions = Questioner(
            gateway,
            memory_prompts(prompts, model),
            temperature=temperature,
            repair="memory_repair",
            shown=1000,
        )

    async def take_in(self, life: Life, seen: Sequence[Observed], due: Due, dice: Dice) -> Taken:
        """Return the result of one call for a round and for what is due."""
        if not seen and due == Due():
            return Taken()
        prompt = fused_prompt(self.questions.prompts, life, seen, due)
        wanted, attempts = prompt.wanted, list[MemoryReply]()

        def understood(reply: Reply) -> MemoryReply | Unreadable:
            content = read(reply, wanted)
            attempts.append(content)
            return content if content.usable else Unreadable(content.why)

        size = self.max_tokens or wanted.size
        answer = await self.questions.ask_for(
            PURPOSE, prompt.messages, int(dice.keys[0]), understood, schema_of(wanted), size=size
        )
        problems = tuple(problem for attempt in attempts for problem in attempt.problems)
        return _taken(prompt, replace(attempts[-1], problems=problems), answer.calls)

    async def insight(self, life: Life, about: Sequence[Thought], dice: Dice) -> Taken:
        """Return nothing: the insight waits for the next round's call."""
        del life, about, dice
        return Taken()


def _taken(prompt: Prompt, told: MemoryReply, calls: tuple[str, ...]) -> Taken:
    sensed = tuple(
        Sensed(observation, *told.memories[number])
        for number, observation in enumerate(prompt.seen, 1)
        if number in told.memories
    )
    insights = {
        some[0].id: Insight(told.insights[letter], tuple(thought.id for thought in some))
        for letter, some in zip(prompt.wanted.insights, prompt.groups, strict=True)
        if letter in told.insights
    }
    reflections = (told.reflection,) if told.reflection else ()
    return Taken(sensed, insights, reflections, calls, (*prompt.problems, *told.problems))


SIZE = 120
"""The default limit of tokens of a reply."""


class FaithfulWay:
    """Asks for one thing per call; independent calls are made concurrently.

    For each experience a summary and an importance; for what is due an insight; for a reflection a
    topic, and then what follows from it.

    prompts: a folder whose files override ours.
    max_tokens: of a reply; 0: enough for a sentence.
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
        """Return the result of many calls for a round and for what is due."""
        work: list[Awaitable[Taken]] = [
            self._sensed(life, place, observation, dice) for place, observation in enumerate(seen)
        ]
        work += [self.insight(life, about, dice) for about in due.insights]
        if due.reflection:
            work.append(self._reflected(life, due.reflection, dice))
        return _joined(await together(work))

    async def insight(self, life: Life, about: Sequence[Thought], dice: Dice) -> Taken:
        """Return the insight from a thought and its enhancers, asked for immediately."""
        calls = _Calls(self.questions, life, dice)
        value = await calls.ask(
            "memory_insight", object_of(insight=text()), about[0].id, thoughts=grouped(about)
        )
        said = calls.sentence(value, "insight")
        ids = tuple(thought.id for thought in about)
        return calls.taken(insights={about[0].id: Insight(said, ids)} if said else {})

    async def _sensed(self, life: Life, place: int, observation: Observed, dice: Dice) -> Taken:
        calls = _Calls(self.questions, life, dice)
        line = observed(observation.text, calls.problems)
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
        return calls.taken(sensed=(Sensed(observation, said, weight),) if said and weight else ())

    async def _reflected(self, life: Life, thoughts: Sequence[Thought], dice: Dice) -> Taken:
        calls = _Calls(self.questions, life, dice)
        about = newest(thoughts, calls.problems)
        ids = [thought.id for thought in about]
        lines = listed(about)
        value = await calls.ask("memory_topics", object_of(topic=text()), thoughts=lines)
        topic = calls.sentence(value, "topic")
        if not topic:
            return calls.taken()
        form = object_of(sources=cited(len(ids)), insight=text())
        value = await calls.ask("memory_reflection", form, thoughts=lines, topic=topic)
        found = None if value is None else conclusion_in(value, ids, calls.problems)
        return calls.taken(reflections=(found,) if found else ())


class _Calls:
    """The calls for one result, with the problems of their replies."""

    def __init__(self, questions: Questioner, life: Life, dice: Dice) -> None:
        self.questions, self.dice = questions, dice
        self.holes = holes_of(life)
        self.keys: dict[str, str] = {}
        self.problems: list[str] = []

    async def ask(
        self, purpose: str, form: dict[str, Any], nth: int = 0, **holes: str
    ) -> Any | None:  # noqa: ANN401
        """Return the value of a reply, None if it cannot be read."""
        prompt = self.questions.prompts.fill(purpose, {**self.holes, **holes}, pack="faithful")
        messages = (ChatMessage("user", prompt),)
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
        """Return the result, with calls in the order of their purposes."""
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
    for part in parts:
        insights |= part.insights
    return Taken(
        tuple(sensed for part in parts for sensed in part.sensed),
        insights,
        tuple(insight for part in parts for insight in part.reflections),
        tuple(call for part in parts for call in part.calls),
        tuple(problem for part in parts for problem in part.problems),
    )


ROUTINE = frozenset(("entered", "browsed", "left")) | REACHED
"""What a model is not asked about: coming and going, and what others sent.

A post is taken in by rule by everyone it reaches, awake or not, and so costs no calls.
"""
WAYS = ("fused", "faithful", "rule")


def way_of(name: str, gateway: Gateway | None, model: str, prompts: str = "") -> Way:
    """Return the way of consolidation by its name; all but `rule` ask a model."""
    if name not in WAYS:
        raise unknown("consolidation", name, WAYS)
    if name == "rule":
        return RuleWay()
    if gateway is None:
        raise BadInput(f'consolidation "{name}" asks a model; give [llm], or take "rule"')
    if name == "fused":
        return FusedWay(gateway, model=model, prompts=prompts)
    return FaithfulWay(gateway, model=model, prompts=prompts)


async def taken_in(way: Way, life: Life, seen: Sequence[Observed], due: Due, dice: Dice) -> Taken:
    """Return the result of a way for a round; routine observations are left to the rule."""
    worth = [observation for observation in seen if observation.kind not in ROUTINE]
    taken = await way.take_in(life, worth, due, dice)
    if len(worth) == len(seen):
        return taken
    rest = await RuleWay().take_in(
        life, [observation for observation in seen if observation.kind in ROUTINE], Due(), dice
    )
    place = {id(observation): number for number, observation in enumerate(seen)}
    both = sorted((*taken.sensed, *rest.sensed), key=lambda sensed: place[id(sensed.observed)])
    return replace(taken, sensed=tuple(both))


def embedder_of(embedder: str | Embedder, gateway: Gateway | None, model: str) -> Embedder:
    """Return an embedder by its kind, or the given one."""
    if not isinstance(embedder, str):
        return embedder
    return open_embedder(embedder, gateway=gateway if embedder == "openai" else None, model=model)


def needs_gateway(options: Mapping[str, Any], suited: str) -> bool:
    """Return True if a memory with these options asks a model."""
    way = options.get("consolidation") or suited
    return way != "rule" or options.get("embedder") == "openai"
