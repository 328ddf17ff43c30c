"""Consolidating by one call a round: sentences, importances, and what else is due."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from audience.llm.kinds import Gateway, Message, Reply
from audience.memory.asking import TEMPERATURE, Asking
from audience.memory.kinds import Life
from audience.memory.prompting import Prompt, fused_prompt
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
    """What will be due at the end of the round is asked for at its one call."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        model: str = "",
        prompts: str = "",
        temperature: float = TEMPERATURE,
        max_tokens: int = 0,
    ) -> None:
        self.asking = Asking(
            gateway, model=model, prompts=prompts, temperature=temperature, max_tokens=max_tokens
        )

    async def take_in(self, life: Life, seen: Sequence[Observed], due: Due, dice: Dice) -> Taken:
        """Return what one call made of a round and of what is due."""
        if not seen and due == Due():
            return Taken()
        prompt = fused_prompt(self.asking.pack, life, seen, due)
        reply = await self._ask(prompt, prompt.messages, dice)
        told = read(reply, prompt.wanted)
        calls: tuple[str, ...] = (reply.key,)
        if not told.usable and reply.outcome == "reply":
            repaired = await self._ask(prompt, self._again(prompt, reply, told), dice, attempt=1)
            again, calls = read(repaired, prompt.wanted), (*calls, repaired.key)
            told = replace(again, problems=(*told.problems, *again.problems))
        return _taken(prompt, told, calls)

    async def insight(self, life: Life, about: Sequence[Thought], dice: Dice) -> Taken:
        """Return nothing: it waits for the next round's call."""
        del life, about, dice
        return Taken()

    async def _ask(
        self, prompt: Prompt, messages: tuple[Message, ...], dice: Dice, attempt: int = 0
    ) -> Reply:
        wanted = prompt.wanted
        return await self.asking.ask(
            PURPOSE, messages, schema_of(wanted), dice, size=wanted.size, attempt=attempt
        )

    def _again(self, prompt: Prompt, reply: Reply, told: Told) -> tuple[Message, ...]:
        return (
            *prompt.messages,
            Message("assistant", reply.text[:1000]),
            Message("user", self.asking.pack.fill("memory_repair", {"why": told.why})),
        )


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
