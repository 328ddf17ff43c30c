"""Asking a model on behalf of a memory."""

from __future__ import annotations

from typing import Any

from audience.llm.kinds import Gateway, Message, Reply, Request
from audience.memory.prompting import Pack
from audience.world.rng import Dice

TEMPERATURE = 0.3


class Asking:
    """A door, a model and the prompts to ask it with."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        model: str = "",
        prompts: str = "",
        temperature: float = TEMPERATURE,
        max_tokens: int = 0,
    ) -> None:
        self.gateway = gateway
        self.model = model
        self.pack = Pack(prompts, model)
        self.temperature = temperature
        self.max_tokens = max_tokens
        """Of a reply; 0: as many as what is asked for may take."""

    async def ask(
        self,
        purpose: str,
        messages: tuple[Message, ...],
        schema: dict[str, Any],
        dice: Dice,
        *,
        size: int,
        attempt: int = 0,
    ) -> Reply:
        """Ask once; the salt is the round's own key, so an equal branch asks nothing anew."""
        request = Request(
            purpose,
            messages,
            self.model,
            schema=schema,
            max_tokens=self.max_tokens or size,
            temperature=self.temperature,
            salt=f"{int(dice.keys[0]):016x}.{purpose}.{attempt}",
        )
        return await self.gateway.ask(request)
