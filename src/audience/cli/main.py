"""The `audience` command: finds commands, and turns errors into messages and exit codes."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version

import click

from audience.cli.lazy import LazyGroup
from audience.errors import AudienceError, Interrupted
from audience.plugins import known

COMMANDS = {
    "init": "Write a scenario and a recommender of your own to start from.",
    "run": "Run a scenario: one run, or arms x seeds, with a report.",
    "resume": "Take up a run or an experiment where it was committed last.",
    "replay": "Fold a log again, and check that it can be reproduced.",
    "branch": "Copy a run up to a round, to go on in another way.",
    "runs": "List what there is: state, size, cost.",
    "show": "Tell the story of a run, or of one person in it.",
    "ask": "Interview people of a run.",
    "play": "Take a person's place, or join as somebody new.",
    "compare": "Compare runs with paired differences; a gate for CI.",
    "report": "Write the report of a run or an experiment.",
    "export": "Write interactions, events or messages for other programs.",
    "digest": "Print the hash of a run's log.",
    "eval": "Evaluate memories and other parts, with intervals and baselines.",
    "study": "Study cocoons, conformity, spreading and more, with controls and intervals.",
    "data": "List datasets, check your own files.",
    "model": "List and get models that run on this machine.",
    "serve": "Open the page: watch, steer, ask, play, change, branch, compare.",
    "doctor": "Check this machine, a run file or a recommender.",
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
    files="audience.cli.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(version("audience"), prog_name="audience")
def audience() -> None:
    """Try a recommender before real users meet it: a simulated audience."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a gate failed, 2 bad input, 130 stopped.

    141, as of any program in a pipe, when what reads the output goes away.
    """
    if "_AUDIENCE_COMPLETE" in os.environ:
        audience(prog_name="audience")  # click answers the shell and exits
    try:
        # Not through click's own `main`: it leaves with 1, our code of a gate, when a pipe breaks.
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
    except SystemExit as done:
        broken = isinstance(done.__context__, BrokenPipeError)  # rich, too, leaves with 1
        sys.exit(UNREAD if broken else done.code)
    sys.exit(OK)


def _told(error: OSError) -> int:
    """Say what the system refused and return the exit code for it."""
    if isinstance(error, BrokenPipeError):
        # Nobody reads any more: what Python still wants to flush at exit goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    click.echo(
        f"audience: {error.filename or 'a file'} cannot be used: {error.strerror or error}; "
        "look whether it exists, is yours to use and has room",
        err=True,
    )
    return BAD
