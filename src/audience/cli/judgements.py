"""Printing what judges said: the tables of the paper, the agreement, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click
from rich.console import Console
from rich.markup import escape

from audience.experiments.judging.answers import MODEL, PEOPLE, Answered, Problem
from audience.experiments.judging.tables import Choices, Scores, Tables, Verdicts
from audience.experiments.judging.turning import Turned
from audience.results import Column, Interval, ResultTable, Value, to_rich, wide_console

WIDTH = 140
_PROBLEMS = 12
_POINTS = ("A >> B", "A > B", "A = B", "B > A", "B >> A")
_VARIANTS = {
    "full": "full memory",
    "no-short": "without short-term",
    "no-long": "without long-term",
    "no-reflection": "without reflection",
}


def print_all(
    tables: Tables,
    models: Sequence[Turned],
    answered: Sequence[Answered],
    problems: Sequence[Problem],
    *,
    seed: int,
    kept: bool,
) -> None:
    """Print everything that answers say, people and models under their own names.

    `seed` is the page's; `kept`: whether the texts were written to a folder.
    """
    console = wide_console(WIDTH)
    _print_judges(console, answered)
    if tables.choices:
        _print_choices(console, tables.choices)
    judges = [*(one.who for one in tables.verdicts), *(one.who for one in tables.scores)]
    for who in dict.fromkeys(judges):
        _print_verdicts(console, who, [one for one in tables.verdicts if one.who == who])
        _print_scores(console, who, [one for one in tables.scores if one.who == who])
    if tables.texts:
        told = ", ".join(f"{many} of {what}" for what, many in sorted(tables.texts.items()))
        where = "kept in references.json" if kept else "--out DIR keeps them as references.json"
        console.print(f"\n[bold]Texts written[/]: {told}; {where}")
    _print_agreement(console, tables)
    for one in models:
        _print_turned(console, one)
    _print_problems(answered, problems, seed)


def _print_judges(console: Console, answered: Sequence[Answered]) -> None:
    people = [one for one in answered if one.by == PEOPLE]
    models = [one for one in answered if one.by == MODEL]
    if people:
        whole = sum(len(one.answers) == one.tasks for one in people)
        console.print(
            f"[bold]{len(people)} {'person' if len(people) == 1 else 'people'}[/] judged, "
            f"{whole} of them all {people[0].tasks} tasks: "
            + escape(", ".join(f"{one.judge} ({len(one.answers)})" for one in people)),
            soft_wrap=True,
        )
    for one in models:
        used = one.usage
        spent = (
            f"{used.get('calls', 0)} calls, {used.get('reused', 0)} reused, "
            f"{used.get('tokens', 0):,} tokens, {used.get('cost', 'cost unknown')}"
        )
        unread = sum(one.unreadable.values())
        console.print(
            f"[bold]{escape(one.name)}[/] (a language model, not a person): {len(one.answers)} "
            f"tasks answered, {unread} replies unreadable, {used.get('not_asked', 0)} texts left "
            f"to people; {spent}",
            soft_wrap=True,
        )
        for why, many in one.unreadable.items():
            console.print(f"[dim]  unreadable: {many} x {escape(why)}[/]")


def _table(
    console: Console,
    title: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[Value]],
    digits: int = 3,
) -> None:
    first, *others = heads
    columns = (Column(first, is_text=True), *(Column(head, digits=digits) for head in others))
    console.print()
    console.print(to_rich(ResultTable(columns, tuple(map(tuple, rows)), title)))


def _print_choices(console: Console, found: Sequence[Choices]) -> None:
    cells = list(dict.fromkeys((one.negatives, one.a, one.b) for one in found))
    heads = ["who", *(f"({a},{b})" + " matched" * (kind == "matched") for kind, a, b in cells)]

    def rows() -> Iterator[list[Value]]:
        for who in dict.fromkeys(one.who for one in found):
            own = {(one.negatives, one.a, one.b): one for one in found if one.who == who}
            shown = [own[cell].hit if cell in own else None for cell in cells]
            yield [who, *shown]
            many = [
                f"{own[cell].cases} cases, {own[cell].judges} judge(s)" if cell in own else ""
                for cell in cells
            ]
            yield ["", *many]

    _table(console, "Choices: share of the truth among what was chosen (table 3)", heads, rows())


def _print_verdicts(console: Console, who: str, found: Sequence[Verdicts]) -> None:
    if not found:
        return
    heads = ["A / B", *_POINTS, "A better", "cases", "verdicts", "judges"]

    def rows() -> Iterator[list[Value]]:
        for one in found:
            counts = (str(one.cases), str(one.verdicts), str(one.judges))
            yield [f"{one.table}: {one.a} / {one.b}", *one.shares, one.better, *counts]

    title = "Blind pairs by {} (tables 1, 4, 5); A better: with half of the ties"
    _table(console, title.format(who), heads, rows())


def _print_scores(console: Console, who: str, found: Sequence[Scores]) -> None:
    if not found:
        return
    heads = ["memory", "informative", "relevant", "less informative", "less relevant", "cases",
             "judges"]  # fmt: skip

    def rows() -> Iterator[list[Value]]:
        for one in found:
            less: tuple[Value, Value] = (one.informative_less, one.relevant_less)
            differences = ("", "") if one.variant == "full" else less
            own = (one.informative, one.relevant)
            counts = (str(one.cases), str(one.judges))
            yield [_VARIANTS[one.variant], *own, *differences, *counts]

    title = "Memories by {}, 1 to 5 (table 2); less: than the full memory, paired"
    _table(console, title.format(who), heads, rows(), 2)


def _print_agreement(console: Console, tables: Tables) -> None:
    shared = [one for one in tables.agreed if one.agreement.things]
    alone = [one.what for one in tables.agreed if not one.agreement.things]
    if shared:
        heads = ["people on", "Krippendorff's alpha", "equal", "judged by two or more", "judges"]

        def rows() -> Iterator[list[Value]]:
            for one in shared:
                it = one.agreement
                alpha = Interval(it.alpha, it.low, it.high)
                equal = f"{100 * it.equal:.0f} %"
                yield [one.what, alpha, equal, str(it.things), str(it.judges)]

        _table(console, "Agreement between people", heads, rows(), 2)
    if alone:
        click.echo(f"\nNo agreement for {', '.join(alone)}: no task was judged by two people.")


def _print_turned(console: Console, one: Turned) -> None:
    console.print(f"\n[bold]{escape(one.who)}[/], asked in both orders; both answers count half")
    if one.pairs:
        first = "–" if one.first_shown is None else f"{100 * one.first_shown:.0f} %"
        console.print(
            f"  pairs: {one.other_side} of {one.pairs} change sides with the order, "
            f"{one.other_point} change the point; the one shown first wins {first}"
        )
    if one.choices:
        console.print(f"  choices: {one.other_choice} of {one.choices} change with the order")
    for what, share in one.like_people.items():
        console.print(f"  as people, {what}: {100 * share:.0f} %")


def _print_problems(answered: Sequence[Answered], problems: Sequence[Problem], seed: int) -> None:
    files = [one for one in problems if not one.task]
    single = [one for one in problems if one.task]
    partial = [one for one in answered if len(one.answers) < one.tasks]
    click.echo(
        f"\nSeed {seed}. 95 % intervals over cases, none where scores are all alike. Left out: "
        f"{_many(files, 'file')}, {_many(single, 'answer')}; partial: {_many(partial, 'file')}."
    )
    for one in [*files, *single][:_PROBLEMS]:
        click.echo(f"  {one.path}{f', task {one.task}' if one.task else ''}: {one.why}")
    if len(problems) > _PROBLEMS:
        click.echo(f"  … {len(problems) - _PROBLEMS} more; all with --json")
    for who in partial:
        click.echo(f"  {who.path}: {len(who.answers)} of {who.tasks} tasks")


def _many(found: Sequence[object], noun: str) -> str:
    return f"{len(found)} {noun}" + ("" if len(found) == 1 else "s")
