"""Consolidating by one call a round: sentences, importances, and what else is due."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from audience.llm.kinds import Gateway, Reply
from audience.llm.loose import Unreadable
from audience.llm.structured import Questioner
from audience.memory.kinds import Life
from audience.memory.prompting import TEMPERATURE, Prompt, fused_prompt, memory_prompts
from audience.memory.reading import Told, read
from audience.memory.replies import schema_of
from audience.memory.ways import Due, Insight, Observed, Sensed, Taken
from audience.world.rng import Dice
from audience.world.thoughts import Thought

PURPOSE = "memory"


class FusedWay:
    """Asks for everything at once. A reply is asked for again only when nothing in it was usable.

    prompts: a folder whose files are laid over ours.
    max_tokens: of a reply; 0: as many as what is asked for may take.
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
        """Return what one call made of a round and of what is due."""
        if not seen and due == Due():
            return Taken()
        prompt = fused_prompt(self.questions.prompts, life, seen, due)
        wanted, attempts = prompt.wanted, list[Told]()

        def understood(reply: Reply) -> Told | Unreadable:
            told = read(reply, wanted)
            attempts.append(told)
            return told if told.usable else Unreadable(told.why)

        size = self.max_tokens or wanted.size
        answer = await self.questions.ask_for(
            PURPOSE, prompt.messages, int(dice.keys[0]), understood, schema_of(wanted), size=size
        )
        problems = tuple(problem for told in attempts for problem in told.problems)
        return _taken(prompt, replace(attempts[-1], problems=problems), answer.calls)

    async def insight(self, life: Life, about: Sequence[Thought], dice: Dice) -> Taken:
        """Return nothing: it waits for the next round's call."""
        del life, about, dice
        return Taken()


def _taken(prompt: Prompt, told: Told, calls: tuple[str, ...]) -> Taken:
    sensed = tuple(
        Sensed(one, *told.memories[number])
        for number, one in enumerate(prompt.seen, 1)
        if number in told.memories
    )
    insights = {
        some[0].id: Insight(told.insights[letter], tuple(one.id for one in some))
        for letter, some in zip(prompt.wanted.insights, prompt.groups, strict=True)
        if letter in told.insights
    }
    reflections = (told.reflection,) if told.reflection else ()
    return Taken(sensed, insights, reflections, calls, (*prompt.problems, *told.problems))
