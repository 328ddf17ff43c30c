"""`audience ask` and `audience play`: interview people of a run, or take a person's place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from audience.cli import options as o
from audience.errors import BadInput, shell_command
from audience.plain_text import without_controls


@click.command("ask")
@o.run_argument
@click.argument("words", nargs=-1, required=True, metavar="[ID]... QUESTION")
@o.at_option
@click.option("--everyone", is_flag=True, help="Ask everybody.")
@click.option("--remember", is_flag=True, help="Let them remember it from the next round on.")
@o.spending_options
@o.json_option
def ask_command(
    run: Path,
    words: tuple[str, ...],
    at: int | None,
    everyone: bool,
    remember: bool,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Ask people a question; they answer from their profile and what they experienced."""
    import msgspec
    from rich.table import Table
    from rich.text import Text

    from audience.runs import ask, remember_answers
    from audience.terminal import Console

    *ids, question = words
    with o.open_run(run) as log:
        at = o.round_within(at, log.complete_rounds(), run)
        people = None if everyone else _people(log, ids)
    with Console(stderr=True).status("Asking …"):
        answers = ask(run, people, question, at, spending=o.spending_of(flags))
    if remember:
        remember_answers(run, question, answers)
    if as_json:
        o.print_json({"question": question, "answers": msgspec.to_builtins(answers)})
        return
    table = Table("person", "answer", show_edge=False)
    for answer in answers:
        who, words_ = f"{answer.name} [{answer.agent}]", answer.text or f"({answer.failure})"
        table.add_row(Text(who), Text(words_), end_section=True)
    Console().print(table)


def _people(log: Any, ids: list[str]) -> list[int]:  # noqa: ANN401
    if not ids:
        raise BadInput('name a person to ask, as in: audience ask RUN 7 "What did you like?"')
    return [o.person_of(log, one) for one in ids]


@click.command("play")
@o.run_argument
@click.argument("agent", required=False, metavar="[ID]")
@click.option("--new", default="", metavar="NAME", help="Join as somebody new instead.")
@click.option("--interest", multiple=True, help="What the new person likes; may be repeated.")
@click.option(
    "--friend", multiple=True, metavar="ID", help="A friend of the new person; may be repeated."
)
@click.option("--rounds", type=int, default=1, help="How many rounds to play.")
def play_command(
    run: Path,
    agent: str | None,
    new: str,
    interest: tuple[str, ...],
    friend: tuple[str, ...],
    rounds: int,
) -> None:
    """Play a person: browse, search, pick, rate, chat, post; the others act as usual."""
    from audience.errors import BadInput
    from audience.runs import play_person as play

    if (agent is None) == (not new):
        raise BadInput("name the person to play by id, or join with --new NAME")
    if friend and not new:
        raise BadInput("--friend names friends of somebody new; give --new NAME too")
    with o.open_run(run) as log:
        who = None if agent is None else o.person_of(log, agent)
        friends = tuple(o.person_of(log, each) for each in friend)
    click.echo("Type one of the moves in brackets; Ctrl-D ends the game.")
    who, done = play(run, who, _typed, rounds=rounds, name=new, interests=interest, friends=friends)
    click.echo(
        f"\nRound {done.rounds} is over. Your story: {shell_command('show', run, '--agent', who)}"
    )


def _typed(words: str) -> str | None:
    try:
        return input(without_controls(words))
    except EOFError:
        return None
