"""`audience run`: one run, or arms x seeds."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from audience.cli import options as o
from audience.errors import BadInput


@click.command("run")
@click.argument("scenario", type=o.RUN, required=False)
@click.option(
    "--data", default=None, metavar="PATH", help="A dataset by name, or a folder of yours."
)
@click.option("--agents", type=int, default=None, help="How many people.")
@click.option("--rounds", type=int, default=None, help="How many rounds.")
@click.option("--seed", type=int, default=None, help="The first seed.")
@click.option("--seeds", type=int, default=None, help="How many seeds.")
@click.option("--mind", default=None, metavar="KIND", help="How people decide.")
@click.option("--memory", default=None, metavar="KIND", help="How people remember.")
@click.option("--order", default=None, metavar="ORDER", help="together or one-by-one.")
@click.option(
    "--recommender",
    multiple=True,
    metavar="KIND|FILE.py:CLASS",
    help="What serves; give it twice or more to compare.",
)
@o.out_option
@click.option("--overwrite", is_flag=True, help="Replace the run that lies in --out.")
@o.json_option
def command(
    scenario: Path | None,
    recommender: tuple[str, ...],
    out: Path | None,
    as_json: bool,
    **given: Any,  # noqa: ANN401
) -> None:
    """Run a scenario, or the embedded one: two recommenders before a thousand people."""
    from audience.cli.conducting import conduct_on_screen
    from audience.experiments import embedded_scenario, load

    overwrite = bool(given.pop("overwrite"))
    wanted = load(scenario) if scenario else embedded_scenario()
    wanted = changed_by(wanted, recommender, given)
    folder = out or o.free_folder(scenario.stem if scenario else "two-recommenders")
    if overwrite:
        remove_ours(folder)
    elif _occupied(folder):
        raise BadInput(
            f"--out {folder} holds a run already; go on with `audience resume {folder}`, "
            "choose another folder, or replace it with --overwrite"
        )
    conduct_on_screen(wanted, folder, as_json=as_json)


def changed_by(scenario: Any, recommenders: tuple[str, ...], given: dict[str, Any]) -> Any:  # noqa: ANN401
    """Return the scenario with what the command line says laid over it."""
    from audience.experiments import changed

    changes = {key: value for key, value in given.items() if value is not None}
    data = changes.pop("data", None)
    if data is not None:
        changes["dataset"] = (
            {"kind": "folder", "path": data} if Path(data).exists() or "/" in data else data
        )
    if len(recommenders) == 1:
        changes |= {"recommender": _kind(recommenders[0]), "arms": {}}
        changes.setdefault("seeds", 1)
    elif recommenders:
        changes["arms"] = {_label(kind): {"recommender": _kind(kind)} for kind in recommenders}
    return changed(scenario, **changes) if changes else scenario


def _kind(kind: str) -> dict[str, Any]:
    return {"kind": kind, "options": {}}


def _label(kind: str) -> str:
    return kind.rpartition(":")[2] if kind.rpartition(":")[0].endswith(".py") else kind


def _occupied(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def remove_ours(folder: Path) -> None:
    """Remove a run or an experiment; anything else is left alone."""
    from audience.experiments import is_experiment

    if not _occupied(folder):
        return
    if not is_experiment(folder) and not (folder / "run.db").is_file():
        raise BadInput(
            f"--overwrite: {folder} holds no run of ours; empty it yourself or choose another"
        )
    shutil.rmtree(folder)
