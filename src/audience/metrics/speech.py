"""Whose words were said: a model's, a template's where a model's were no use, a person's."""

from __future__ import annotations

from audience.world.events import Felt, Posted, Record, Said
from audience.world.world import View

VOICES = ("model", "template", "human")


class Speech:
    """Counts feelings, posts and lines by their voice; rule minds' own words have none."""

    watches: tuple[type, ...] = (Felt, Posted, Said)

    def __init__(self) -> None:
        self._all = dict.fromkeys(VOICES, 0)
        self._round = dict.fromkeys(VOICES, 0)

    def update(self, record: Record, world: View) -> None:
        del world
        voice = record.event.voice  # type: ignore[union-attr]
        if voice in self._all:
            self._all[voice] += 1
            self._round[voice] += 1

    def value(self) -> dict[str, float]:
        return {f"spoken_{voice}": float(count) for voice, count in self._all.items()}

    def close(self) -> dict[str, float]:
        found = {f"spoken_{voice}": float(count) for voice, count in self._round.items()}
        self._round = dict.fromkeys(VOICES, 0)
        return found
