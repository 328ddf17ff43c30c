"""`audience doctor`: is everything as it should be?"""

from __future__ import annotations

import platform
import shutil
import sqlite3
import sys
from importlib.metadata import version
from pathlib import Path

import click

from audience.cli import options as o


@click.command("doctor")
@click.argument("run", type=o.RUN, required=False)
@click.option(
    "--recommender", default=None, metavar="KIND|FILE.py:CLASS", help="Test a recommender."
)
@o.json_option
def command(run: Path | None, recommender: str | None, as_json: bool) -> None:
    """Check this machine; with RUN, a run file page by page; with --recommender, a recommender."""
    found: list[tuple[str, bool, str]] = _machine()
    if run is not None:
        found += _run_file(run)
    if recommender is not None:
        found += _recommender(recommender)
    if as_json:
        o.print_json({"checks": [{"what": a, "ok": b, "found": c} for a, b, c in found]})
    else:
        for what, fine, detail in found:
            mark = click.style("ok ", fg="green") if fine else click.style("BAD", fg="red")
            click.echo(f"{mark} {what}: {detail}")
    if not all(fine for _, fine, _ in found):
        raise click.exceptions.Exit(2)


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
    with o.open_run(run) as log:
        wrong = log.verify()
        lineage = log.lineage
        parent = f"branch of {lineage.parent} at round {lineage.at}" if lineage else "no parent"
        return [
            (
                "run file",
                not wrong,
                "; ".join(wrong[:3]) or f"sound, {log.complete_rounds()} complete rounds",
            ),
            ("run", True, f"{log.state}, seed {log.seed}, {parent}, digest {log.digest()}"),
        ]


def _recommender(kind: str) -> list[tuple[str, bool, str]]:
    from audience.errors import AudienceError
    from audience.experiments import try_recommender

    try:
        return [("recommender", True, try_recommender(kind))]
    except AudienceError as error:
        return [("recommender", False, str(error))]
