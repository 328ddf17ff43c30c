"""The command line: one file a command."""

from audience.cli.main import main as main
