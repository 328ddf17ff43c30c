"""The package as a whole: importing it does nothing but import, and its doors open."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

import audience
from audience import experiments
from audience.errors import BadInput
from audience.lab.studies import Study
from audience.plugins import GROUPS, find, known


def modules_after(statement: str, folder: Path) -> set[str]:
    """Return what a fresh interpreter has imported after a statement, run in an empty folder."""
    told = subprocess.run(
        [sys.executable, "-c", f"{statement}\nimport sys; print(*sys.modules)"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=150,
    )
    assert told.stderr == ""
    assert list(folder.iterdir()) == []
    return set(told.stdout.split())


def test_importing_audience_imports_little_and_does_nothing(tmp_path: Path) -> None:
    imported = modules_after("import audience", tmp_path)
    heavy = {"matplotlib", "rich", "click", "numpy", "msgspec", "sqlite3", "asyncio"}
    assert not heavy & imported
    assert {name for name in imported if name.startswith("audience")} == {"audience"}


def test_runs_draw_nothing_until_asked(tmp_path: Path) -> None:
    imported = modules_after("import audience; audience.run", tmp_path)
    assert "audience.runs" in imported
    assert not {"matplotlib", "rich", "click"} & imported


def test_help_is_not_kept_waiting_by_the_simulation(tmp_path: Path) -> None:
    imported = modules_after(
        "import audience.cli as c\ntry: c.main(['--version'])\nexcept SystemExit: pass", tmp_path
    )
    assert not {"matplotlib", "numpy", "rich.progress"} & imported


def test_every_public_name_can_be_had() -> None:
    for name in audience.__all__:
        assert getattr(audience, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = audience.nothing


def test_the_version_says_what_was_installed() -> None:
    assert version("audience").count(".") == 2


@pytest.mark.parametrize("group", GROUPS)
def test_every_entry_point_resolves(group: str) -> None:
    for kind in known(group):
        part = find(group, kind)
        assert isinstance(part, Study) if group == "studies" else callable(part), kind


def test_what_lay_in_experiments_can_still_be_had_from_there() -> None:
    with pytest.deprecated_call(match=r"audience\.runs\.branch"):
        assert experiments.branch is audience.branch
    with pytest.deprecated_call(match=r"audience\.runs\.CostEstimate"):
        assert experiments.Estimate.__name__ == "CostEstimate"
    with pytest.raises(AttributeError):
        _ = experiments.nothing


def test_the_command_is_installed() -> None:
    (script,) = entry_points(group="console_scripts", name="audience")
    assert script.load() is audience.cli.main


def test_types_are_shipped() -> None:
    assert (Path(audience.__file__).parent / "py.typed").is_file()


ROOMS = sorted(path.parent.name for path in Path(audience.__file__).parent.glob("*/__init__.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_everything_of_a_room_can_be_imported_at_once(room: str) -> None:
    names: dict[str, object] = {}
    exec(f"from audience.{room} import *", names)
    public = {name for name in vars(import_module(f"audience.{room}")) if name[0] != "_"}
    assert public <= names.keys() | {"annotations"}


@pytest.mark.parametrize(("group", "kind"), [("recommenders", "BPR"), ("minds", "Rule")])
def test_a_kind_is_found_in_any_case(group: str, kind: str) -> None:
    assert find(group, kind) is find(group, kind.lower())


def test_a_kind_in_another_case_is_told_its_neighbour() -> None:
    with pytest.raises(BadInput, match=r"did you mean 'lightgcn'\?"):
        find("recommenders", "LightGNC")
