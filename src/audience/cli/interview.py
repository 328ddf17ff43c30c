"""`audience ask` and `audience play`: interview people of a run, or take a person's place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.cli import options as o
from audience.errors import BadInput, shell_command

if TYPE_CHECKING:
    from rich.table import Table

    from audience.runs import InterviewRecord, Respondents, Tabulation


@click.command("ask")
@o.run_argument
@click.argument("words", nargs=-1, required=True, metavar="[ID]... QUESTION")
@o.at_option
@click.option("--everyone", is_flag=True, help="Ask everybody.")
@click.option("--segment", multiple=True, metavar="NAME=VALUE", help="Whose profile has this.")
@click.option("--absent", is_flag=True, help="Who came before and stays away.")
@click.option("--sample", type=click.IntRange(1), default=None, help="Only so many of them.")
@click.option("--seed", type=int, default=1, show_default=True, help="Draws the sample.")
@click.option("--options", default="", metavar="LIST", help="Answers to choose: yes,no or 1-5.")
@click.option("--remember", is_flag=True, help="Let them remember it from the next round on.")
@o.spending_options
@o.json_option
def ask_command(
    run: Path,
    words: tuple[str, ...],
    at: int | None,
    remember: bool,
    options: str,
    as_json: bool,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Ask people a question; they answer from their profile and what they experienced."""
    import msgspec

    from audience.runs import hold_interview, open_interview, remember_answers
    from audience.terminal import Console

    *ids, question = words
    spending = o.spending_of(flags)
    with o.open_run(run) as log:
        at = o.round_within(at, log.complete_rounds(), run)
        whom = _whom(log, ids, **flags)
    given = [option.strip() for option in options.split(",") if option.strip()]
    record = open_interview(run, whom, question, at, given)
    with Console(stderr=True).status("Asking …"):
        record = hold_interview(run, record, spending=spending)
    if remember:
        remember_answers(run, question, record.answers)
    if as_json:
        table = {"table": msgspec.to_builtins(record.table)} if record.table else {}
        told = {"question": question, "answers": msgspec.to_builtins(record.answers)}
        o.print_json({**told, "interview": record.id, **table})
        return
    _print_answers(record)


def _whom(log: Any, ids: list[str], **flags: Any) -> Respondents:  # noqa: ANN401
    from audience.runs import Respondents

    everyone, given = flags.pop("everyone"), flags.pop("segment")
    pairs = [pair.partition("=") for pair in given]
    for name, sign, value in pairs:
        if not (name and sign and value):
            raise BadInput(f"--segment {name}: give NAME=VALUE, as in --segment interest=Drama")
    segment = {name: value for name, _, value in pairs}
    if ids and everyone:
        raise BadInput("--everyone asks everybody; leave out the ids, or the flag")
    people = tuple(o.person_of(log, one) for one in ids) or None
    if people is None and not (everyone or segment or flags["absent"] or flags["sample"]):
        raise BadInput('name a person to ask, as in: audience ask RUN 7 "What did you like?"')
    return Respondents(people, segment, **flags)


def _print_answers(record: InterviewRecord) -> None:
    from rich.table import Table
    from rich.text import Text

    from audience.terminal import Console

    console = Console()
    options = record.asked.options
    table = Table("person", *(["choice"] if options else []), "answer", show_edge=False)
    for answer in record.answers:
        who, words = f"{answer.name} [{answer.agent}]", answer.text or f"({answer.failure})"
        choice = [Text(answer.choice or "–")] if options else []
        table.add_row(Text(who), *choice, Text(words), end_section=True)
    console.print(table)
    if record.table:
        console.print(_counted(record.table))
    ruled = sum(answer.by == "rule" for answer in record.answers)
    if ruled == len(record.answers) > 0:
        console.print("Rules answered: this run names no model that could speak freely for people.")
    elif ruled:
        console.print(f"Rules gave {ruled} of {len(record.answers)} answers, by template.")


def _counted(table: Tabulation) -> Table:
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    options = [row.option for row in table.all.options]
    shown = Table("who", "answered", *map(escape, options), show_edge=False)
    for row in (table.all, *table.segments):
        cells = (
            f"{each.count} ({each.share:.0%}, {each.low:.0%} to {each.high:.0%})"
            if each.share is not None and each.low is not None and each.high is not None
            else "–"
            for each in row.options
        )
        who = f"{row.by} {row.name}" if row.by else row.name
        shown.add_row(Text(who), f"{row.answered} of {row.asked}", *cells)
    return shown


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
    who, done = play(run, who, rounds=rounds, name=new, interests=interest, friends=friends)
    click.echo(
        f"\nRound {done.rounds} is over. Your story: {shell_command('show', run, '--agent', who)}"
    )
