"""`audience eval` of language models: behaviour, knowledge, demographics, efficiency and more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from audience.cli import options as o
from audience.errors import BadInput
from audience.files import slug_of

if TYPE_CHECKING:
    from audience.lab.probing import Asker, Probed, ProbeTable, Town, Work

WIDTH = 100


def probe_options(
    agents: int, *, of_run: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the flags of a probe; `agents` is the default number of people that are played.

    `of_run`: its people are those of a run instead of a dataset.
    """
    data = click.option(
        "--data", default="films", metavar="PATH", help="A dataset's path or name; films."
    )
    played = "People of the run, at most." if of_run else "People to be played."
    flags = (
        *(() if of_run else (data,)),
        click.option("--agents", default=agents, show_default=True, help=played),
        click.option("--seed", default=1, show_default=True, help="For all draws."),
        click.option("--prompts", default="", metavar="DIR", help="A folder of your prompt files."),
        o.model_options,
        o.spending_options,
        o.out_option,
        o.json_option,
    )

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for flag in reversed(flags):
            command = flag(command)
        return command

    return add


def conduct(
    name: str, work: Work, dataset: str, people: int, seed: int, flags: dict[str, Any]
) -> None:
    """Ask the model that the flags name, store the table and print it."""
    from rich.progress import Progress

    from audience.cli.screen import progress_lines
    from audience.lab.probing import AT_ONCE, AT_ONCE_EMBEDDED, keep, plain, probe
    from audience.terminal import Console

    models, lines = o.models_of(flags), progress_lines()
    out = flags["out"] or Path("runs") / f"eval-{name}-{_slug(models.address, models.model)}"
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=None)

        def told(done: int, planned: int) -> None:
            bar.update(task, completed=done, total=planned)
            lines(name, done, planned)

        probed = probe(
            name,
            work,
            dataset=dataset,
            people=people,
            models=models,
            spending=o.spending_of(flags),
            out=out,
            seed=seed,
            prompts=flags["prompts"],
            at_once=AT_ONCE if models.address else AT_ONCE_EMBEDDED,
            progress=told,
        )
    written = keep(probed, out)
    if flags["as_json"]:
        o.print_json(plain(probed) | {"written": [str(path) for path in written]})
        return
    show(probed)
    click.echo(f"Stored in {out}; with the same flags again, it costs nothing.")


def _slug(url: str, model: str) -> str:
    """Return a folder's name for a model: its own, else its address."""
    text = Path(model).name if model else url.partition("://")[2] or url or "embedded"
    return slug_of(text)


def show(probed: Probed, width: int = WIDTH) -> None:
    """Print the table of a model and its notes; a part is named once."""
    from audience.lab.probing import table
    from audience.results import print_table

    whole = table(probed)
    parts = [row[0] for row in whole.rows]
    rows = tuple(
        ("" if place and parts[place - 1] == part else part, *row[1:])
        for place, (part, row) in enumerate(zip(parts, whole.rows, strict=True))
    )
    print_table(msgspec.structs.replace(whole, rows=rows), width)


@click.command("knowledge")
@click.option("--items", default=60, show_default=True, help="Items to be asked about.")
@click.option(
    "--cutoff", type=int, default=None, metavar="YEAR", help="The model has seen nothing newer."
)
@probe_options(agents=40)
def knowledge_command(
    items: int,
    cutoff: int | None,
    data: str,
    agents: int,
    seed: int,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Ask a model what it knows by heart, and count titles that it should not name.

    The same questions are asked about real, hidden and invented titles, by period.
    Without --llm the embedded model is asked.
    """
    from audience.lab.probing import knowledge, town_of

    town = town_of(data, agents, seed)

    async def work(asker: Asker) -> ProbeTable:
        return await knowledge(asker, town, items=items, cutoff=cutoff)

    conduct("knowledge", work, town.name, agents, seed, flags)


@click.command("consistency")
@click.option("--rounds", default=3, show_default=True, help="Rounds in which the same is asked.")
@probe_options(agents=40)
def consistency_command(rounds: int, data: str, agents: int, seed: int, **flags: Any) -> None:  # noqa: ANN401
    """Ask the same people again, also rounds later, and let them rate bad and good items.

    Without --llm the embedded model is asked.
    """
    from audience.lab.probing import consistency, town_of

    town = town_of(data, agents, seed)

    async def work(asker: Asker) -> ProbeTable:
        return await consistency(asker, town, rounds=rounds)

    conduct("consistency", work, town.name, agents, seed, flags)


@click.command("prompts")
@click.option("--gap", default=30.0, show_default=True, help="Minutes that end a real visit.")
@probe_options(agents=40)
def prompts_command(gap: float, data: str, agents: int, seed: int, **flags: Any) -> None:  # noqa: ANN401
    """Show the same pages in other orders and ask in other words; walk through whole visits.

    With --data of dated interactions, visits are compared with those of real people. Without --llm
    the embedded model is asked.
    """
    from audience.lab.probing import prompts, real_visits, town_of

    town = town_of(data, agents, seed)
    real, why_not = real_visits(data, gap, seed)

    async def work(asker: Asker) -> ProbeTable:
        return await prompts(asker, town, real, why_not)

    conduct("prompts", work, town.name, agents, seed, flags)


@click.command("behaviour")
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option("--rounds", default=2, show_default=True, help="Rounds of visits.")
@click.option("--words", default="short", show_default=True, help="none, short or full.")
@click.option(
    "--mind",
    default="",
    metavar="KIND[,KIND…]",
    help="tuned, llm, rule: five figures of each, and how far they are from people.",
)
@click.option(
    "--beside",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FOLDER",
    help="With --mind: also the minds of an earlier evaluation; may be repeated.",
)
@probe_options(agents=100)
def behaviour_command(
    run: Path | None,
    rounds: int,
    words: str,
    mind: str,
    beside: tuple[Path, ...],
    data: str,
    agents: int,
    seed: int,
    **flags: Any,  # noqa: ANN401
) -> None:
    """Measure what language-model people do and say beside what is known of people.

    With RUN, the table is made of that run's log. Otherwise people live some rounds, see the same
    pages in other orders, and pages of what they like and hate. With --mind, five figures of each
    mind are compared with those of people. Without --llm the embedded model is asked.
    """
    from audience.lab.probing import behaviour, compared_minds, town_of

    if run is not None:
        _show_run(run, seed, flags)
        return
    if beside and not mind:
        raise BadInput("--beside: compares figures of minds; give --mind tuned, llm or rule")
    town = town_of(data, agents, seed)
    if mind:
        _figures(mind, beside, town, data, rounds, words, flags)
        return

    async def work(asker: Asker) -> ProbeTable:
        mind, others = compared_minds(asker, town, words)
        return await behaviour(asker, mind, others, town, rounds=rounds)

    conduct("behaviour", work, town.name, agents, seed, flags)


def _figures(
    mind: str,
    beside: tuple[Path, ...],
    town: Town,
    data: str,
    rounds: int,
    words: str,
    flags: dict[str, Any],
) -> None:
    """Compare five figures of some minds with those of people; store and print them."""
    from audience.lab.evaluation import check_tuned
    from audience.lab.probing import (
        compared_kinds,
        figure_kinds,
        figures_table,
        keep_figures,
        measured_figures,
        read_figures,
        targets_of,
        with_earlier,
    )

    kinds = figure_kinds(mind)
    check_tuned(kinds, o.models_of(dict(flags)), o.spending_of(dict(flags)))
    for folder in beside:
        read_figures(folder)
    model = _slug(flags["llm"] or "", flags["model"] or "")
    out = flags["out"] or Path("runs") / f"eval-behaviour-{slug_of('-'.join(kinds))}-{model}"
    targets = targets_of(town, data)

    async def work(asker: Asker) -> ProbeTable:
        minds = compared_kinds(kinds, asker, words)
        made = await measured_figures(minds, town, targets, rounds=rounds, seed=town.seed)
        keep_figures(made, out)
        return figures_table(with_earlier(made, beside))

    people = len(town.people)
    conduct("behaviour", work, town.name, people, town.seed, flags | {"out": out})


def _show_run(run: Path, seed: int, flags: dict[str, Any]) -> None:
    """Print and store the table of a run's log."""
    from audience.lab.probing import keep, plain, probed_run

    probed = probed_run(run, seed)
    written = keep(probed, flags["out"] or run)
    if flags["as_json"]:
        o.print_json(plain(probed) | {"written": [str(path) for path in written]})
        return
    show(probed)


@click.command("demographics")
@o.run_argument
@probe_options(agents=200, of_run=True)
def demographics_command(run: Path, agents: int, seed: int, **flags: Any) -> None:  # noqa: ANN401
    """Let a model guess gender, age and occupation from what people wrote in a run.

    Guesses are compared with the profiles, and with always naming the commonest value. Without
    --llm the embedded model is asked.
    """
    from audience.lab.probing import authors_in, demographics

    authors = authors_in(run, agents, seed)

    async def work(asker: Asker) -> ProbeTable:
        return await demographics(asker, authors)

    name = "demographics"
    model = _slug(flags["llm"] or "", flags["model"] or "")
    out = flags["out"] or Path("runs") / f"eval-{name}-{slug_of(run.name)}-{model}"
    conduct(name, work, run.name, len(authors.people), seed, flags | {"out": out})


@click.command("efficiency")
@click.option("--people", default="10,50,100", show_default=True, help="Numbers of people.")
@click.option(
    "--in-flight",
    default="1,8,64",
    show_default=True,
    help="Concurrent calls per endpoint; 0: as many as raise throughput.",
)
@click.option("--endpoints", default="", help="Numbers of endpoints; default: 1 and all.")
@click.option("--rounds", type=click.IntRange(1), default=1, show_default=True, help="Timed.")
@click.option("--seeds", type=click.IntRange(1), default=1, show_default=True, help="Repetitions.")
@click.option("--data", default="films", metavar="PATH", help="A dataset's path or name; films.")
@o.llm_option(required=True)
@click.option("--model", default="", metavar="NAME", help="Which model there.")
@click.option(
    "--key-env", multiple=True, metavar="NAME", help="The variable with a key; may be repeated."
)
@click.option("--price", default="", help="Its entry of the price table; free for your own.")
@o.limit_options
@o.out_option
@o.json_option
def efficiency_command(out: Path | None, as_json: bool, **flags: Any) -> None:  # noqa: ANN401
    """Time rounds of language-model people over a grid: figure 6 of the RecAgent paper.

    Several --llm, or one with several --key-env, are several endpoints. Nothing is reused from
    earlier calls: each combination is paid for.
    """
    from audience.datasets.loaders import options_for
    from audience.lab.probing import (
        EfficiencyGrid,
        efficiency,
        efficiency_table,
        efficiency_values,
        endpoints_by_key,
        write_efficiency,
    )
    from audience.results import print_table
    from audience.scenario import SpendingOptions
    from audience.terminal import Console

    model, urls = flags["model"], flags["llm"].split(",")
    endpoints = endpoints_by_key(urls, flags["key_env"], model, flags["price"])
    counts = flags["endpoints"] or ",".join(map(str, sorted({1, len(endpoints)})))
    grid = EfficiencyGrid(
        _counts("--people", flags["people"], least=1),
        _counts("--in-flight", flags["in_flight"], least=0),
        _counts("--endpoints", counts, least=1),
        flags["rounds"],
        flags["seeds"],
    )
    spending = SpendingOptions(
        budget=flags["budget"], max_calls=flags["max_calls"], max_tokens=flags["max_tokens"]
    )
    folder = out or Path("runs") / f"eval-efficiency-{_slug(urls[0], model)}"
    with Console(stderr=True).status("Timing …") as status:
        timed = efficiency(
            grid,
            endpoints,
            dataset=options_for(flags["data"]),
            spending=spending,
            progress=lambda what: status.update(f"Timing {what} …"),
        )
    written = [str(path) for path in write_efficiency(timed, grid, model, folder)]
    if as_json:
        o.print_json(efficiency_values(timed, grid, model) | {"written": written})
        return
    print_table(efficiency_table(timed, grid, model), WIDTH)
    for path in written:
        click.echo(path)


def _counts(flag: str, text: str, *, least: int) -> tuple[int, ...]:
    """Return the whole numbers of a list such as `1,8,64`."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) >= least for part in parts):
        raise BadInput(f"{flag} {text!r} is not a list of whole numbers from {least} on: 1,8,64")
    return tuple(dict.fromkeys(map(int, parts)))
