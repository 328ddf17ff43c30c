"""A group of commands, each in a file that is loaded only when it is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from audience.errors import unknown


class LazyGroup(click.Group):
    """Knows its commands by name and by what they do; a name it does not know is told the nearest.

    `files` is where they lie: the module of a command is that with its name behind.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        listed: Mapping[str, str],
        files: str,
        **given: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(name, **given)
        self.listed, self.files = listed, files

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.listed)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.listed:
            return None
        found: click.Command = importlib.import_module(f"{self.files}{name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        is_option = args[0].startswith("-")
        if not is_option and not ctx.resilient_parsing and args[0] not in self.list_commands(ctx):
            group = ctx.command_path.partition(" ")[2]
            what = f"{group}: command" if group else "command"
            raise unknown(what, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.listed.items()))
