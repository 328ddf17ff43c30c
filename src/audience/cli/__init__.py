"""The command line of Audience."""

from audience.cli.commands import main as main
