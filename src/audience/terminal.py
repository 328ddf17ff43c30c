"""The door to the terminal: all that is printed passes here, and nothing of others steers it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from rich.console import Console as RichConsole, ConsoleOptions, RenderableType  # noqa: TID251
from rich.segment import Segment

from audience.plain_text import without_controls


class Console(RichConsole):
    """A console whose texts are plain: only its own colours and cursor steer the terminal."""

    @property
    def file(self) -> IO[str]:
        """The stream itself, since what a console writes is plain already."""
        stream = super().file
        inner: IO[str] = getattr(stream, "unguarded", stream)
        return inner

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of anything that is printed, without what steers a terminal."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else without_controls(segment.text)
            yield segment if text == segment.text else Segment(text, segment.style)
