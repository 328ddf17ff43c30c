"""The command line: one file a command."""

from audience.cli.commands import main as main
