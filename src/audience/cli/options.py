"""Options and functions that several commands share: one flag for one idea, everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audience.errors import BadInput
from audience.files import free_path, slug_of
from audience.log import Log

if TYPE_CHECKING:
    from audience.scenario import Models, SpendingOptions

RUN = click.Path(path_type=Path)
run_argument = click.argument("run", type=RUN)
at_option = click.option(
    "--at", type=int, default=None, metavar="ROUND", help="The end of this round."
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object as the last line."
)
report_option = click.option(
    "--report/--no-report", default=True, help="Write report.html and figures/ (some seconds)."
)
sensitivity_option = click.option(
    "--sensitivity/--no-sensitivity",
    default=True,
    help="Try the arms before other audiences too (less than the time of the run).",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(0, 1024),
    default=0,
    metavar="N",
    help="Processes to use; 0: one per core.",
)
cluster_option = click.option(
    "--cluster",
    default="",
    metavar="HOST:PORT|local",
    help="Let a Ray cluster take the runs, or live a single one; local: one started here.",
)
pieces_option = click.option(
    "--workers",
    type=click.IntRange(0, 1024),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes that share the pieces; 0: one per core.",
)
out_option = click.option("--out", type=RUN, default=None, metavar="DIR", help="Where to write.")


def audience_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the flags about who the people are, how many, and for how long."""
    data = "A dataset by name, a folder or an archive."
    flags = (
        click.option("--data", default=None, metavar="PATH", help=data),
        click.option("--agents", type=int, default=None, help="How many people."),
        click.option("--rounds", type=int, default=None, help="How many rounds."),
        click.option("--seed", type=int, default=None, help="The first seed."),
        click.option("--seeds", type=int, default=None, help="How many seeds."),
        click.option("--mind", default=None, metavar="KIND", help="How people decide."),
    )
    for flag in reversed(flags):
        command = flag(command)
    return command


def model_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the flags about asking language models."""
    flags = (
        llm_option(),
        click.option("--model", default=None, metavar="NAME", help="Which model there."),
        click.option("--key-env", default=None, metavar="NAME", help="The variable with its key."),
    )
    for flag in reversed(flags):
        command = flag(command)
    return command


def llm_option(
    about: str = "An OpenAI-compatible endpoint; give several for one model.",
    *,
    required: bool = False,
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return the flag that names endpoints: repeated, with commas, or both.

    Its value is one text with commas, as `models_table` takes it; None if it was not given.
    """

    def joined(ctx: click.Context, flag: click.Parameter, values: tuple[str, ...]) -> str | None:
        del ctx, flag
        urls = [url.strip() for value in values for url in value.split(",")]
        if values and not all(urls):
            raise BadInput("--llm: an address is empty; give such as http://127.0.0.1:8000/v1")
        return ",".join(dict.fromkeys(urls)) or None

    return click.option(
        "--llm", multiple=True, required=required, callback=joined, metavar="URL", help=about
    )


def spending_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the flags about what may be asked and spent."""
    modes = click.Choice(("fresh", "reuse", "stored"))
    flags = (
        click.option("--calls", type=modes, default="reuse", help="Where model answers come from."),
        click.option(
            "--calls-from", type=RUN, default=None, metavar="RUN", help="Read its answers too."
        ),
    )
    command = limit_options(command)
    for flag in reversed(flags):
        command = flag(command)
    return command


def limit_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the flags about how much may be spent."""
    flags = (
        click.option(
            "--budget",
            default="",
            metavar="2usd|TOKENS",
            help="Stop when so much is spent: 2usd, or '500k tokens'.",
        ),
        click.option("--max-calls", type=int, default=None, help="Stop after so many calls."),
        click.option("--max-tokens", type=int, default=None, help="Stop after so many tokens."),
    )
    for flag in reversed(flags):
        command = flag(command)
    return command


def recommender_option(
    about: str, default: str = ""
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return the flag that names recommenders: repeated, with commas, or both."""

    def split(
        ctx: click.Context, flag: click.Parameter, values: tuple[str, ...]
    ) -> tuple[str, ...]:
        del ctx, flag
        kinds = [kind.strip() for value in values for kind in value.split(",")]
        if values and not any(kinds):
            raise BadInput("--recommender: is empty; give kinds such as random,popular,ease")
        return tuple(kind for kind in kinds if kind) or tuple(default.split(",") if default else ())

    return click.option(
        "--recommender",
        multiple=True,
        callback=split,
        metavar="KIND|FILE.py:CLASS|URL",
        help=f"{about} Default: {default}." if default else about,
    )


def scenario_changes(flags: dict[str, Any]) -> dict[str, Any]:
    """Return what the flags of a command change in a scenario."""
    from audience.datasets.loaders import options_for
    from audience.scenario import models_table

    changes = {key: value for key, value in flags.items() if value is not None}
    if models := models_table(changes):
        changes["llm"] = models
    if "data" in changes:
        changes["dataset"] = options_for(changes.pop("data"))
    return changes


def models_of(flags: dict[str, Any]) -> Models:
    """Remove the flags about models from `flags` and return them as a table."""
    import msgspec

    from audience.scenario import Models, models_table

    return msgspec.convert(models_table(flags), Models)


def spending_of(flags: dict[str, Any]) -> SpendingOptions:
    """Remove the flags about spending from `flags` and return them."""
    from audience.scenario import SpendingOptions as Spending

    names = ("calls", "budget", "max_calls", "max_tokens")
    kept = {name: flags.pop(name) for name in names}
    return Spending(**kept, source=flags.pop("calls_from"))


def open_run(folder: Path) -> Log:
    """Open a run for reading; raise if the folder is something else."""
    from audience.runs import is_experiment

    if is_experiment(folder):
        inside = sorted(str(place.parent) for place in folder.glob("*/seed-*/run.db"))
        listed = "\n  ".join(inside[:12])
        raise BadInput(f"{folder} is an experiment; name one of its runs:\n  {listed}")
    return Log.open(folder)


def state_of(log: Log, folder: Path) -> str:
    """Return the state of a run; one marked as running that nobody writes was interrupted."""
    from audience.log import is_held

    return log.state if log.state != "running" or is_held(folder) else "interrupted"


def free_folder(name: str) -> Path:
    """Return the first free folder of runs/NAME-1, runs/NAME-2 and so on."""
    return free_path(Path("runs") / (slug_of(name) or "run")[:40])


def print_json(value: Any) -> None:  # noqa: ANN401
    """Print a JSON object on a line of its own."""
    import json

    click.echo(json.dumps(value, default=str, allow_nan=False))


def person_of(log: Log, name: str) -> int:
    """Return the id of a person given by id or by key."""
    profiles = log.genesis().profiles
    if name.isdecimal():
        return int(name)
    for profile in profiles:
        if profile.key == name:
            return profile.id
    raise BadInput(f"person {name!r} is unknown; give an id from 0 to {len(profiles) - 1}")


def round_within(at: int | None, done: int, run: Path) -> int:
    """Return a complete round, the last one if None; raise if it is not complete."""
    if at is None:
        return done
    if not 0 <= at <= done:
        raise BadInput(
            f"--at {at}: {run} has complete rounds 1 to {done}"
            if done
            else f"--at {at}: {run} has no complete round"
        )
    return at
