"""`audience eval people`: pages for human judges, import of answers, models as judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from audience.cli import options as o
from audience.errors import BadInput
from audience.lab.judging import (
    MODEL,
    PEOPLE,
    Answered,
    ChoiceTable,
    JudgementTables,
    LabelTables,
    PairVerdicts,
    Problem,
    Scores,
    Turned,
)
from audience.results import Column, Interval, ResultTable, Value, to_rich, wide_console
from audience.terminal import Console

if TYPE_CHECKING:
    from audience.lab.judging import Answered, Key, Problem

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
    tables: JudgementTables,
    models: Sequence[Turned],
    answered: Sequence[Answered],
    problems: Sequence[Problem],
    *,
    seed: int,
    kept: bool,
) -> None:
    """Print the tables of all answers, for people and models separately.

    `seed` is the page's; `kept`: whether the texts were written to a folder.
    """
    console = wide_console(WIDTH)
    _print_judges(console, answered)
    if tables.choices:
        _print_choices(console, tables.choices)
    judges = [
        *(verdict.who for verdict in tables.verdicts),
        *(score.who for score in tables.scores),
    ]
    for who in dict.fromkeys(judges):
        _print_verdicts(
            console, who, [verdict for verdict in tables.verdicts if verdict.who == who]
        )
        _print_scores(console, who, [score for score in tables.scores if score.who == who])
    if tables.texts:
        listed = ", ".join(f"{many} of {what}" for what, many in sorted(tables.texts.items()))
        where = "kept in references.json" if kept else "--out DIR keeps them as references.json"
        console.print(f"\n[bold]Texts written[/]: {listed}; {where}")
    _print_agreement(console, tables)
    for model in models:
        _print_turned(console, model)
    _print_problems(answered, problems, seed)


def _print_judges(console: Console, answered: Sequence[Answered]) -> None:
    people = [one for one in answered if one.by == PEOPLE]
    models = [one for one in answered if one.by == MODEL]
    if people:
        whole = sum(len(person.answers) == person.tasks for person in people)
        console.print(
            f"[bold]{len(people)} {'person' if len(people) == 1 else 'people'}[/] judged, "
            f"{whole} of them all {people[0].tasks} tasks: "
            + escape(", ".join(f"{person.judge} ({len(person.answers)})" for person in people)),
            soft_wrap=True,
        )
    for model in models:
        used = model.usage
        spent = (
            f"{used.get('calls', 0)} calls, {used.get('reused', 0)} reused, "
            f"{used.get('tokens', 0):,} tokens, {used.get('cost', 'cost unknown')}"
        )
        unread = sum(model.unreadable.values())
        console.print(
            f"[bold]{escape(model.name)}[/] (a language model, not a person): {len(model.answers)} "
            f"tasks answered, {unread} replies unreadable, {used.get('not_asked', 0)} texts left "
            f"to people; {spent}",
            soft_wrap=True,
        )
        for why, many in model.unreadable.items():
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


def _print_choices(console: Console, choices: Sequence[ChoiceTable]) -> None:
    cells = list(dict.fromkeys((choice.negatives, choice.a, choice.b) for choice in choices))
    heads = ["who", *(f"({a},{b})" + " matched" * (kind == "matched") for kind, a, b in cells)]

    def rows() -> Iterator[list[Value]]:
        for who in dict.fromkeys(choice.who for choice in choices):
            own = {
                (choice.negatives, choice.a, choice.b): choice
                for choice in choices
                if choice.who == who
            }
            shown = [own[cell].hit if cell in own else None for cell in cells]
            yield [who, *shown]
            many = [
                f"{own[cell].cases} cases, {own[cell].judges} judge(s)" if cell in own else ""
                for cell in cells
            ]
            yield ["", *many]

    _table(console, "Choices: share of the truth among what was chosen (table 3)", heads, rows())


def _print_verdicts(console: Console, who: str, verdicts: Sequence[PairVerdicts]) -> None:
    if not verdicts:
        return
    heads = ["A / B", *_POINTS, "A better", "cases", "verdicts", "judges"]

    def rows() -> Iterator[list[Value]]:
        for verdict in verdicts:
            counts = (str(verdict.cases), str(verdict.verdicts), str(verdict.judges))
            yield [
                f"{verdict.table}: {verdict.a} / {verdict.b}",
                *verdict.shares,
                verdict.better,
                *counts,
            ]

    title = "Blind pairs by {} (tables 1, 4, 5); A better: with half of the ties"
    _table(console, title.format(who), heads, rows())


def _print_scores(console: Console, who: str, scores: Sequence[Scores]) -> None:
    if not scores:
        return
    heads = ["memory", "informative", "relevant", "less informative", "less relevant", "cases",
             "judges"]  # fmt: skip

    def rows() -> Iterator[list[Value]]:
        for score in scores:
            less: tuple[Value, Value] = (score.informative_less, score.relevant_less)
            differences = ("", "") if score.variant == "full" else less
            own = (score.informative, score.relevant)
            counts = (str(score.cases), str(score.judges))
            yield [_VARIANTS[score.variant], *own, *differences, *counts]

    title = "Memories by {}, 1 to 5 (table 2); less: than the full memory, paired"
    _table(console, title.format(who), heads, rows(), 2)


def print_labels(found: LabelTables) -> None:
    """Print mean scores by run and kind, and the agreement on what several people scored."""
    console = wide_console(WIDTH)
    heads = ["run", "on", "mean score, 1 to 5", "things", "scores", "people"]

    def rows() -> Iterator[list[Value]]:
        for row in found.means:
            counts = (str(row.things), str(row.scores), str(row.authors))
            yield [row.run, row.kind, row.mean, *counts]

    _table(console, "Scores of people, averaged over people and then over things", heads, rows(), 2)
    shared = [one for one in found.agreed if one.agreement.things]

    def agreed() -> Iterator[list[Value]]:
        for one in shared:
            it = one.agreement
            alpha = Interval(it.alpha, it.low, it.high)
            yield [one.what, alpha, f"{100 * it.equal:.0f} %", str(it.things), str(it.judges)]

    if shared:
        heads = ["people on", "Krippendorff's alpha", "equal", "scored by two or more", "people"]
        _table(console, "Agreement between people", heads, agreed(), 2)
    else:
        click.echo("\nNo agreement: nothing was scored by two people.")


def _print_agreement(console: Console, tables: JudgementTables) -> None:
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
    files = [problem for problem in problems if not problem.task]
    single = [problem for problem in problems if problem.task]
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


def _many(things: Sequence[object], noun: str) -> str:
    return f"{len(things)} {noun}" + ("" if len(things) == 1 else "s")


_NAMES = {"choose": "choices", "write": "texts", "pair": "pairs", "score": "memories"}
SHAPES = "1:5,3:3,3:7,1:9"
_KEY_OPTION = click.option(
    "--key", type=o.RUN, required=True, metavar="FILE", help="The page's .key.json."
)


@click.group("people")
def people_command() -> None:
    """Let people choose, write and judge on a page; import their answers; ask a model the same."""


@people_command.command("make")
@click.option("--data", type=o.RUN, default=None, metavar="PATH", help="Real interactions (a).")
@click.option("--run", type=o.RUN, default=None, metavar="RUN", help="With memories (b, c).")
@click.option(
    "--sequences", type=o.RUN, default=None, metavar="FILE", help="Of eval generation (c)."
)
@click.option(
    "--references", type=o.RUN, default=None, metavar="FILE", help="What people wrote (c)."
)
@click.option("--tasks", default="a,b,c", help="a: choose, b: write, c: judge.")
@click.option("--cases", type=int, default=20, show_default=True, help="Of each kind.")
@click.option("--behaviours", type=int, default=15, show_default=True, help="To score memories of.")
@click.option("--shapes", default=SHAPES, show_default=True, help="Choices: taken up, not.")
@click.option("--negatives", type=click.Choice(("uniform", "matched")), default="uniform")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--out", type=o.RUN, default=Path("page.html"), metavar="FILE", help="The page.")
@o.json_option
def make(out: Path, tasks: str, shapes: str, as_json: bool, **flags: Any) -> None:  # noqa: ANN401
    """Write a page that opens offline, and its answer key, which judges must not see."""
    import msgspec

    from audience.files import replace_all
    from audience.lab.judging import Sources, make as made, notes, page_of

    sources = {name: flags.pop(name) for name in ("data", "run", "sequences", "references")}
    chosen = _tasks(tasks)
    key = made(Sources(**sources), chosen, shapes=_shapes(shapes), **flags)
    sealed = msgspec.json.format(msgspec.json.encode(key), indent=1) + b"\n"
    apart = out.with_suffix(".key.json")
    replace_all({out: page_of(key.sheet).encode(), apart: sealed})
    counts: dict[str, int] = {}
    for task in key.sheet.tasks:
        kind = type(task).__name__.lower()
        counts[kind] = counts.get(kind, 0) + 1
    thin = notes(key, chosen)
    if as_json:
        places = {"page": str(out), "key": str(apart), "id": key.page}
        o.print_json({**places, "tasks": counts, "notes": thin})
        return
    listed = ", ".join(f"{many} {_NAMES[kind]}" for kind, many in counts.items())
    click.echo(f"{out}: {len(key.sheet.tasks)} tasks ({listed}), seed {key.seed}")
    for note in thin:
        click.echo(f"  {note}")
    click.echo(f"{apart}: which side is which. Keep it from the judges.")
    click.echo(f"Then: audience eval people import answers-*.json --key {quote(str(apart))}")


def _tasks(tasks: str) -> tuple[str, ...]:
    from audience.lab.judging import TASKS

    chosen = tuple(dict.fromkeys(one.strip() for one in tasks.split(",") if one.strip()))
    wrong = [one for one in chosen if one not in TASKS]
    if wrong or not chosen:
        raise BadInput(f"--tasks {tasks!r}: give some of a (choose), b (write), c (judge)")
    return chosen


def _shapes(shapes: str) -> tuple[tuple[int, int], ...]:
    pairs = []
    for one in shapes.split(","):
        a, _, b = one.strip().partition(":")
        if not (a.isdecimal() and b.isdecimal() and int(a) and int(b)):
            raise BadInput(f"--shapes {one!r}: give such as {SHAPES}")
        pairs.append((int(a), int(b)))
    return tuple(dict.fromkeys(pairs))


@people_command.command("import")
@click.argument("answers", type=o.RUN, nargs=-1, required=True)
@_KEY_OPTION
@o.out_option
@o.json_option
def import_(answers: tuple[Path, ...], key: Path, out: Path | None, as_json: bool) -> None:
    """Print the tables that answers give, with intervals and the agreement between judges."""
    from audience.lab.judging import read_answers, read_key

    sealed = read_key(key)
    answered, problems = read_answers(answers, sealed)
    if not answered:
        listed = "\n".join(f"  {problem.path} {problem.why}" for problem in problems)
        raise BadInput(f"none of {len(answers)} files can be used:\n{listed}")
    _tell(sealed, answered, problems, out, as_json)


@people_command.command("judge")
@click.argument("page", type=o.RUN)
@_KEY_OPTION
@click.option("--prompts", default="", metavar="DIR", help="A folder of your prompt files.")
@click.option("--out", type=o.RUN, required=True, metavar="DIR", help="Calls and answers.")
@o.model_options
@o.spending_options
@o.json_option
def judge(page: Path, key: Path, out: Path, as_json: bool, **flags: Any) -> None:  # noqa: ANN401
    """Ask a language model the tasks of a page, each pair and choice in both orders."""
    import json

    from audience.files import replace_all
    from audience.lab.judging import answers_file, read_answers, read_key, sheet_in
    from audience.scenario import check_models, name_of

    sheet, sealed = sheet_in(page), read_key(key)
    if sheet.id != sealed.page:
        raise BadInput(f"--key {key} belongs to another page than {page}; give that beside it")
    spending = o.spending_of(flags)
    models = o.models_of(flags)
    check_models(models, spending)
    judged = _judged(sheet, models, spending, out, flags["prompts"])
    text = json.dumps(answers_file(sheet, judged, name_of(models)), indent=1) + "\n"
    path = out / "answers-model.json"
    replace_all({path: text.encode()})
    answered, problems = read_answers([path], sealed)
    _tell(sealed, answered, problems, out, as_json)


@people_command.command("labels")
@click.argument("runs", type=o.RUN, nargs=-1, required=True)
@click.option("--out", type=o.RUN, default=None, metavar="FILE", help="A CSV file of all scores.")
@o.json_option
def labels(runs: tuple[Path, ...], out: Path | None, as_json: bool) -> None:
    """Print the scores that people gave in the page, and how far they agree."""
    import msgspec

    from audience.files import replace_all
    from audience.lab.judging import labels_csv, labels_of

    for run in runs:
        o.open_run(run).close()
    found = labels_of(runs)
    if out is not None:
        replace_all({out: labels_csv(found).encode()})
    if as_json:
        # What is not a number, such as the agreement of one person, is null in JSON.
        o.print_json(msgspec.json.decode(msgspec.json.encode(found)))
        return
    print_labels(found)
    if out is not None:
        click.echo(str(out))


def _judged(sheet: Any, models: Any, spending: Any, out: Path, prompts: str) -> Any:  # noqa: ANN401
    from rich.progress import Progress

    from audience.lab.judging import judge as judge_
    from audience.scenario import door_of, name_of
    from audience.terminal import Console

    out.mkdir(parents=True, exist_ok=True)
    door = door_of(models, spending, out)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Judging", total=None)
        return judge_(
            sheet,
            door,
            model=name_of(models),
            prompts=prompts,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )


def _tell(
    key: Key, answered: list[Answered], problems: list[Problem], out: Path | None, as_json: bool
) -> None:
    """Write what is to be kept, and print the tables."""
    from audience.lab.judging import tables_of, turned

    tables, models = tables_of(key, answered), turned(key, answered)
    written = _written(key, answered, problems, out) if out else []
    if as_json:
        from audience.lab.judging import plain_result

        result = plain_result(key, answered, problems)
        o.print_json({**result, "written": [str(path) for path in written]})
        return
    print_all(tables, models, answered, problems, seed=key.seed, kept=bool(written))
    for path in written:
        click.echo(str(path))


def _written(key: Key, answered: list[Answered], problems: list[Problem], out: Path) -> list[Path]:
    from audience.files import replace_all
    from audience.lab.judging import files_of

    contents = files_of(key, answered, problems)
    return replace_all({out / name: body for name, body in contents.items()})
