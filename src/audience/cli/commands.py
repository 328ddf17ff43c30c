"""The list of commands, loaded when they are called, and the exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from traceback import extract_tb
from typing import Any

import click

from audience.errors import AudienceError, Interrupted, unknown
from audience.plain_text import plain_output
from audience.plugins import known


class LazyGroup(click.Group):
    """A group that knows its commands as `module:attribute` and a line of help."""

    def __init__(
        self,
        name: str | None = None,
        *,
        listed: Mapping[str, tuple[str, str]],
        **flags: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(name, **flags)
        self.listed = listed

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.listed)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.listed:
            return None
        module, _, attribute = self.listed[name][0].partition(":")
        command: click.Command = getattr(import_module(f"audience.cli.{module}"), attribute)
        return command

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
            formatter.write_dl([(name, about) for name, (_, about) in self.listed.items()])


COMMANDS = {
    "init": ("init:init_command", "Write a scenario and a recommender to start from."),
    "run": ("run:run_command", "Run a scenario: one run, or arms x seeds, with a report."),
    "resume": ("run:resume_command", "Resume a run or an experiment from its last commit."),
    "replay": ("branch:replay_command", "Fold a log again, and check that it can be reproduced."),
    "branch": ("branch:branch_command", "Copy a run up to a round, to continue in another way."),
    "runs": ("runs:runs_command", "List runs: state, size, cost."),
    "show": ("show:show_command", "Tell the story of a run, or of one person in it."),
    "ask": ("interview:ask_command", "Interview people of a run."),
    "play": ("interview:play_command", "Take a person's place, or join as somebody new."),
    "compare": ("runs:compare_command", "Compare runs with paired differences; a gate for CI."),
    "report": ("runs:report_command", "Write the report of a run or an experiment."),
    "export": ("runs:export_command", "Write interactions, events or messages for other programs."),
    "digest": ("runs:digest_command", "Print the hash of a run's log."),
    "eval": ("eval:eval_group", "Evaluate memories and other parts, with intervals and baselines."),
    "sweep": ("sweep:sweep_command", "Vary keys of a scenario over a grid or at random."),
    "study": (
        "study:study_command",
        "Study cocoons, conformity, spreading and more, with controls and intervals.",
    ),
    "data": ("data:datasets_command", "List datasets, check your own files."),
    "model": ("doctor:model_command", "List and download models that run on this machine."),
    "serve": (
        "serve:serve_command",
        "Open the page: watch, steer, ask, play, change, branch, compare.",
    ),
    "doctor": ("doctor:doctor_command", "Check this machine, a run file or a recommender."),
}
OK, GATE, BAD, STOPPED, UNREAD = 0, 1, 2, 130, 141


class _Commands(LazyGroup):
    """Our commands, and those of plugins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *sorted(known("commands"))]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        foreign = None if name in self.listed else known("commands").get(name)
        return foreign.load() if foreign else super().get_command(ctx, name)


@click.group(
    cls=_Commands,
    listed=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(version("audience"), prog_name="audience")
def audience() -> None:
    """Test a recommender on a simulated audience before real users meet it."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a gate failed, 2 bad input, 130 stopped.

    141, as for any program in a pipe, if the reader of the output goes away.
    """
    _open_standard_streams()
    if "_AUDIENCE_COMPLETE" in os.environ:
        audience(prog_name="audience")  # click answers the shell and exits
    with plain_output():
        _main(arguments)


def _main(arguments: list[str] | None) -> None:
    try:
        # Not through click's own `main`: it exits with 1, our code of a gate, if a pipe breaks.
        with audience.make_context(
            "audience", sys.argv[1:] if arguments is None else arguments
        ) as c:
            audience.invoke(c)
        sys.stdout.flush()
    except Interrupted as stopped:
        click.echo(f"\n{stopped}", err=True)
        sys.exit(STOPPED)
    except AudienceError as error:
        click.echo(f"audience: {error}", err=True)
        sys.exit(BAD)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(BAD)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(STOPPED)
    except OSError as error:
        sys.exit(_told(error))
    except MemoryError as error:
        click.echo(
            f"audience: there is not enough memory ({error}); use fewer agents or less data, "
            "or a machine with more",
            err=True,
        )
        sys.exit(BAD)
    except SystemExit as done:
        broken = isinstance(done.__context__, BrokenPipeError)  # rich, too, exits with 1
        sys.exit(UNREAD if broken else _ended(done))
    sys.exit(OK)


def _open_standard_streams() -> None:
    """Put nothing in the place of standard streams that are closed.

    Otherwise the next file that is opened would be taken for one of them.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115


def _ended(done: SystemExit) -> int:
    """Return the exit code if something within a command ended the program; never success."""
    place = extract_tb(done.__traceback__)[-1]
    click.echo(
        f"audience: {place.filename}, line {place.lineno} ended the program with "
        f"sys.exit({done.code!r}) before it was done; take that out",
        err=True,
    )
    return BAD


def _told(error: OSError) -> int:
    """Print what the system refused and return the exit code for it."""
    # What Python flushes at exit goes nowhere: the reader is gone, or the disk is full.
    if isinstance(error, BrokenPipeError) or not error.filename:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return UNREAD
    click.echo(
        f"audience: {error.filename or 'a file'} cannot be used: {error.strerror or error}; "
        "check that it exists, that you may use it and that there is room",
        err=True,
    )
    return BAD
