"""`audience play`: take a person's place at the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o


@click.command("play")
@o.run_argument
@click.argument("agent", required=False, metavar="[ID]")
@click.option("--new", default="", metavar="NAME", help="Join as somebody new instead.")
@click.option("--interest", multiple=True, help="What the new person likes; may be repeated.")
@click.option("--rounds", type=int, default=1, help="How many rounds to play.")
def command(run: Path, agent: str | None, new: str, interest: tuple[str, ...], rounds: int) -> None:
    """Play one person: browse, search, pick, rate, chat, post; the others go on as ever."""
    from audience.errors import BadInput
    from audience.experiments import play

    if (agent is None) == (not new):
        raise BadInput("name the person to play by id, or join with --new NAME")
    with o.open_run(run) as log:
        who = None if agent is None else o.person_of(log, agent)
    click.echo("Type what the brackets offer; Ctrl-D leaves the table.")
    who, done = play(run, who, _typed, rounds=rounds, name=new, interests=interest)
    click.echo(f"\nRound {done.rounds} is over. Your story: audience show {run} --agent {who}")


def _typed(words: str) -> str | None:
    try:
        return input(words)
    except EOFError:
        return None
