"""`audience doctor` and `audience model`: checks of this machine, and models on it."""

from __future__ import annotations

import platform
import shutil
import sqlite3
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from audience.cli import options as o
from audience.errors import BadInput, shell_command
from audience.log import Log

if TYPE_CHECKING:
    from audience.llm import ProbeFindings


@click.group("model")
def model_command() -> None:
    """List and download models that run on this machine."""


@model_command.command("list", short_help="List models that are here or can be downloaded.")
def list_() -> None:
    """List the embedded model, models to download, and your GGUF files."""
    from rich.table import Table
    from rich.text import Text

    from audience.llm import list_models
    from audience.terminal import Console

    table = Table("name", "what", "size", show_edge=False)
    table.add_column("where", overflow="fold")
    for list_model in list_models():
        where = str(list_model.path) if list_model.path else list_model.remedy
        table.add_row(
            Text(list_model.name), list_model.about, f"{list_model.size / 1e6:,.0f} MB", Text(where)
        )
    Console().print(table)


@model_command.command("get", short_help="Download a model, or check one that is here.")
@click.argument("name")
def get(name: str) -> None:
    """Download a model, continuing an earlier attempt; or check one that is here."""
    from rich.progress import DownloadColumn, Progress, TransferSpeedColumn

    from audience.llm import TUNED, get_model
    from audience.terminal import Console

    console = Console(stderr=True)
    with Progress(
        *Progress.get_default_columns(), DownloadColumn(), TransferSpeedColumn(), console=console
    ) as bar:
        task = bar.add_task(name, total=None)
        path = get_model(name, lambda done, total: bar.update(task, completed=done, total=total))
    words = ("--mind", "tuned") if name == TUNED else ("--mind", "llm", "--model", path)
    use = shell_command("run", *words)
    click.echo(f"{path}\nUse it with: {use}")


@click.command("doctor")
@click.argument("run", type=o.RUN, required=False)
@click.option(
    "--recommender",
    default=None,
    metavar="KIND|FILE.py:CLASS|URL",
    help="Test a recommender, or a service.",
)
@click.option("--data", default=None, metavar="PATH", help="The dataset it serves.")
@click.option("--header", default="", metavar="NAME", help="The header that carries its key.")
@o.llm_option("Test an endpoint for models; may be repeated.")
@click.option("--model", default="", metavar="NAME", help="Which model there.")
@click.option("--key-env", default="", metavar="NAME", help="The variable that holds its key.")
@o.json_option
def doctor_command(
    run: Path | None,
    recommender: str | None,
    data: str | None,
    header: str,
    llm: str | None,
    model: str,
    key_env: str,
    as_json: bool,
) -> None:
    """Check this machine, and a run file, a recommender or an endpoint if named.

    Exits with 2 if something is wrong, with 1 if only the recommender is.
    """
    checks: list[tuple[str, bool, str]] = _machine()
    if run is not None:
        checks += _run_file(run)
    if llm is not None:
        checks += _endpoints(llm.split(","), model, key_env)
    tried: list[tuple[str, bool, str]] = []
    if recommender is not None:
        tried = _recommender(recommender, data, "" if llm else key_env, header)
    bad = 2 if not all(fine for _, fine, _ in checks) else 1
    checks += tried
    if as_json:
        o.print_json({"checks": [{"what": a, "ok": b, "found": c} for a, b, c in checks]})
    else:
        _print_checks(checks)
    if not all(fine for _, fine, _ in checks):
        raise click.exceptions.Exit(bad)


def _print_checks(checks: list[tuple[str, bool, str]]) -> None:
    from rich.text import Text

    from audience.terminal import Console

    console = Console(highlight=False, soft_wrap=True)
    for what, fine, detail in checks:
        mark = ("ok ", "green") if fine else ("BAD", "red")
        console.print(Text.assemble(mark, f" {what}: {detail}"))


def _machine() -> list[tuple[str, bool, str]]:
    free = shutil.disk_usage(".").free / 1e9
    fine = (3, 11) <= sys.version_info[:2] < (3, 14)
    wal = sqlite3.sqlite_version_info >= (3, 38)
    names = ("audience", "numpy", "msgspec", "matplotlib", "rich", "click")
    return [
        ("python", fine, f"{platform.python_version()} (3.11 to 3.13)"),
        ("sqlite", wal, f"{sqlite3.sqlite_version} (3.38 or newer)"),
        ("packages", True, ", ".join(f"{name} {version(name)}" for name in names)),
        ("disk", free > 1.0, f"{free:.1f} GB free here"),
    ]


def _run_file(run: Path) -> list[tuple[str, bool, str]]:
    from audience.errors import AudienceError

    try:
        with o.open_run(run) as log:
            checks = _log(log, run)
    except BadInput:
        raise
    except AudienceError as error:
        checks = [("run file", False, str(error))]
    return [*checks, *_calls(run)]


def _log(log: Log, run: Path) -> list[tuple[str, bool, str]]:
    if wrong := log.verify():
        return [("run file", False, "; ".join(wrong[:3]))]
    lineage = log.lineage
    parent = f"branch of {lineage.parent} at round {lineage.at}" if lineage else "no parent"
    state, rounds = o.state_of(log, run), log.complete_rounds()
    sums = "all checksums match" if log.has_sums else _UNSUMMED
    return [
        ("run file", True, f"sound, {rounds} complete round{'s' * (rounds != 1)}; {sums}"),
        ("run", True, f"{state}, seed {log.seed}, {parent}, digest {log.digest()}"),
    ]


_UNSUMMED = "an earlier version wrote it without checksums, so small damage may go unnoticed"


def _calls(run: Path) -> list[tuple[str, bool, str]]:
    from contextlib import closing

    from audience.llm import FILE as CALLS, CallStore, verify_calls
    from audience.scenario import FILE as MOVES

    checks = []
    for name in (CALLS, MOVES):
        if not (run / name).is_file():
            continue
        wrong = verify_calls(run / name)
        found = "; ".join(wrong[:3])
        if not wrong:
            with closing(CallStore(run / name, read_only=True)) as store:
                sums = "all checksums match" if store.has_sums else _UNSUMMED
                found = f"sound, {len(store):,} calls; {sums}"
        checks.append((name, not wrong, found))
    return checks


def _recommender(
    kind: str, data: str | None, key_env: str, header: str
) -> list[tuple[str, bool, str]]:
    from audience.datasets.loaders import options_for
    from audience.errors import AudienceError
    from audience.runs import try_recommender

    flags = {"key_env": key_env, "header": header}
    options = {name: value for name, value in flags.items() if value}
    try:
        dataset = None if data is None else options_for(data)
        return try_recommender(kind, options=options, data=dataset)
    except AudienceError as error:
        return [("recommender", False, str(error))]


def _endpoints(urls: list[str], model: str, key_env: str) -> list[tuple[str, bool, str]]:
    """Check each endpoint, and whether all of them answer as the same model."""
    import asyncio

    from audience.llm import Endpoint, probe

    probed = [asyncio.run(probe(Endpoint(url=url, model=model, key_env=key_env))) for url in urls]
    checks = [check for findings in probed for check in _endpoint(findings)]
    names = {findings.model for findings in probed if findings.reachable}
    if len(names) > 1:
        told = f"the endpoints answer as {', '.join(sorted(names))}; name one with --model"
        checks.append(("one model", False, told))
    return checks


def _endpoint(endpoint: ProbeFindings) -> list[tuple[str, bool, str]]:
    if not endpoint.reachable:
        return [("endpoint", False, f"{endpoint.url} did not answer: {endpoint.why}")]
    checks = [
        ("endpoint", True, f"{endpoint.url} answers as {endpoint.model}"),
        ("models", True, ", ".join(endpoint.models[:12]) or "not listed"),
        ("structured output", True, endpoint.form or "by instruction and reading"),
        ("log-probabilities", True, endpoint.scores or "not offered"),
        ("several candidates", True, "in one call" if endpoint.many else "by repeated calls"),
        ("price", True, _price(endpoint.model)),
        ("learnt", True, "; ".join(endpoint.learnt) or "nothing: it takes all that is sent"),
    ]
    for speed in endpoint.speeds:
        checks.append(
            (
                f"speed at {speed.at_once} at once",
                speed.answered > 0,
                f"{speed.tokens_per_second:,.0f} tokens/s, {speed.seconds:.2f} s a call, "
                f"{speed.answered} answered",
            )
        )
    return [*checks, ("scenario", True, f"put this into it:\n{endpoint.snippet}")]


def _price(model: str) -> str:
    from audience.llm import load_prices

    prices = load_prices()
    price = prices.find(model)
    if price is None:
        return 'unknown; add it to a table of yours, or limit tokens: --budget "500k tokens"'
    cost = f"${price.prompt:g} and ${price.completion:g} per million tokens read and written"
    return f"{cost} ({prices.source} of {prices.date})"
