"""The documentation says what is true: examples run, links lead somewhere, nothing is left out."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import sqlite3
import tomllib
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import click
import pytest
from msgspec.structs import replace

from audience.agents.language import LLMMind, holes_of
from audience.agents.rule import RuleParameters
from audience.agents.voiced import VoicedMind
from audience.cli.commands import audience
from audience.datasets import Films
from audience.engine import Activation, Rules, Timetable
from audience.llm import CallStore, Endpoint, load_prices
from audience.llm.fake_model import KINDS
from audience.metrics import LABELS, MEANINGS
from audience.plugins import GROUPS
from audience.scenario import DEEDS, Models, Scenario, changes_of, parse
from audience.scenario.models import MODES
from audience.scenario.schema import PageSettings
from audience.world import AnyEvent, Clock, Genesis, Situation, World, observe

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("design/*.md"))
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w[^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
SHELL = re.compile(r"(?:^|\$ |&& |: )(?:\.venv/bin/)?audience (\w[^\n]*)$", re.MULTILINE)
TABLE_ROW = re.compile(r"^\| (`[^|]*) \|", re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks(page: str, kind: str) -> list[str]:
    return [body for name, body in FENCE.findall(text_of(page)) if name == kind]


def described(page: str) -> set[str]:
    """Return the names in the first column of a page's tables."""
    return {name for cell in TABLE_ROW.findall(text_of(page)) for name in SPAN.findall(cell)}


def fields(*kinds: Any) -> set[str]:
    return {field for kind in kinds for field in kind.__struct_fields__}


@lru_cache(maxsize=1)
def films() -> Genesis:
    return Films().genesis(60, 1, Clock())


def having(kind: str) -> list[Any]:
    found = [(page, place) for page in PAGES for place in range(len(blocks(page, kind)))]
    return [pytest.param(page, place, id=f"{page}-{place + 1}") for page, place in found]


def test_all_pages_are_there() -> None:
    parts = {"tutorial": 4, "how-to": 15, "reference": 12, "explanation": 4}
    for part, fewest in parts.items():
        assert len([page for page in PAGES if page.startswith(f"docs/{part}/")]) >= fewest
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/index.md"} <= set(PAGES)
    assert {"design/001-core.md", "design/002-models.md", "design/dependencies.md"} <= set(PAGES)


@pytest.mark.parametrize(("page", "place"), having("toml"))
def test_every_toml_example_is_a_scenario(page: str, place: int) -> None:
    body = blocks(page, "toml")[place]
    scenario = parse(body, page)
    assert tomllib.loads(body), "an empty example shows nothing"
    changes = changes_of(scenario.interventions, films())
    assert sum(map(len, changes.values())) == len(scenario.interventions)


@pytest.mark.parametrize("page", PAGES)
def test_every_relative_link_leads_somewhere(page: str) -> None:
    for target in LINK.findall(FENCE.sub("", text_of(page))):
        if "://" not in target and not target.startswith("#"):
            path, _, anchor = target.partition("#")
            there = (ROOT / page).parent / path
            assert there.exists(), f"{page} links to {target}, which does not exist"
            assert not anchor or anchor in anchors(there.read_text("utf-8")), f"{page}: {target}"


def anchors(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_exists_with_the_flags_shown(page: str) -> None:
    text = text_of(page)
    code = [body for _, body in FENCE.findall(text)] + SPAN.findall(FENCE.sub("", text))
    for line in (line for some in code for line in SHELL.findall(some)):
        check_command(page, line)


def check_command(page: str, line: str) -> None:
    words = shlex.split(line.partition("  ")[0], comments=True)
    command: click.Command = audience
    with click.Context(audience, **audience.context_settings) as context:
        while isinstance(command, click.Group) and words:
            found = command.get_command(context, words[0])
            assert found is not None, f"{page}: audience {line}: {words[0]!r} is no command"
            command, words = found, words[1:]
        known = {name for one in command.get_params(context) for name in flags(one)}
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    given |= set(re.findall(r"(--[a-z-]+)", line))
    assert given <= known, f"{page}: audience {line}: {sorted(given - known)} unknown"


def flags(parameter: click.Parameter) -> list[str]:
    return [*parameter.opts, *parameter.secondary_opts]


def test_the_readme_is_short_and_begins_with_the_commands_and_the_quickstart() -> None:
    assert len(text_of("README.md").splitlines()) <= 100
    first_screen = text_of("README.md")[:2500]
    assert "make run" in first_screen
    assert "make test" in first_screen
    assert "```python" in first_screen


def test_the_benchmarks_page_holds_the_measured_section() -> None:
    page = text_of("docs/reference/benchmarks.md")
    assert page.index("<!-- bench:begin -->") < page.index("<!-- bench:end -->")


def test_events_describe_every_event_with_its_fields() -> None:
    page = text_of("docs/reference/events.md")
    for event in get_args(AnyEvent):
        names = ", ".join(f"`{name}`" for name in event.__struct_fields__)
        row = f"| `{event.__name__}` | {names} |"
        assert row in page, row


def test_scenarios_describe_every_key_with_its_default() -> None:
    assert fields(Scenario) <= described("docs/reference/scenario.md")
    for kind in (Rules, Activation, PageSettings, Clock, Models):
        check_defaults("docs/reference/scenario.md", kind())
    assert fields(Timetable) <= described("docs/reference/scenario.md")


def check_defaults(page: str, struct: Any) -> None:
    for key in struct.__struct_fields__:
        row = f"| `{key}` | `{json.dumps(getattr(struct, key))}` |"
        assert row in text_of(page), f"{page} lacks {row}"


def test_models_describe_every_key_mode_and_fault() -> None:
    check_defaults("docs/how-to/models.md", Models())
    assert f"| `weight` | `{Endpoint(url='http://a').weight}` |" in text_of("docs/how-to/models.md")
    assert fields(Endpoint) | set(MODES) <= described("docs/how-to/models.md")
    assert not [fault for fault in KINDS if f"`{fault}`" not in text_of("docs/how-to/models.md")]


def test_the_price_table_of_the_example_is_one(tmp_path: Path) -> None:
    (body,) = blocks("docs/how-to/models.md", "toml prices")
    (tmp_path / "prices.toml").write_text(body, "utf-8")
    assert load_prices(tmp_path / "prices.toml").find("my-model") is not None


def test_every_intervention_has_an_example() -> None:
    trees = [tomllib.loads(body) for body in blocks("docs/reference/scenario.md", "toml")]
    shown = {one["do"] for tree in trees for one in tree.get("interventions", ())}
    assert shown == set(DEEDS)


def test_metrics_describe_every_number() -> None:
    assert set(LABELS) <= described("docs/reference/metrics.md")
    lines = text_of("docs/reference/metrics.md").splitlines()
    for name, (_, _, better) in LABELS.items():
        row = next(line for line in lines if f"`{name}`" in line.split(" | ")[0])
        cells = [cell.strip() for cell in row.replace(r"\|", "").split("|")]
        assert cells[2] == MEANINGS[name][0], f"{name} is told as in the page"
        assert cells[4] == better, f"{name} is better when {better or 'neither'}"


def test_minds_describe_every_parameter_with_its_default() -> None:
    text = text_of("docs/reference/minds.md").replace("−", "-")
    for name in RuleParameters.__struct_fields__:
        default = getattr(RuleParameters(), name)
        assert f"| `{name}` | {default} |" in text, f"{name} has the default {default}"


@pytest.mark.parametrize("mind", [LLMMind, VoicedMind])
def test_minds_describe_every_option_with_its_default(mind: type) -> None:
    asked = inspect.signature(mind).parameters.values()
    for one in asked:
        if one.kind is one.KEYWORD_ONLY and one.name != "model":
            row = f"| `{one.name}` | `{json.dumps(one.default)}` |"
            assert row in text_of("docs/reference/minds.md"), row


def test_minds_describe_every_hole_of_a_prompt() -> None:
    world = World(films())
    seen = observe(world, replace(world.agents[0], situation=Situation(0, "home")), 0)
    holes = holes_of(seen, (), "home")
    assert {f"${name}" for name in holes} <= described("docs/reference/minds.md")


def test_runs_describe_every_column_of_the_call_store(tmp_path: Path) -> None:
    CallStore(tmp_path / "calls.db").close()
    with closing(sqlite3.connect(tmp_path / "calls.db")) as calls:
        columns = {row[1] for row in calls.execute("PRAGMA table_info(calls)")} - {"id"}
    assert columns <= described("docs/reference/run-folder.md")


def test_plugins_name_every_group() -> None:
    assert {f"audience.{group}" for group in GROUPS} <= described("docs/reference/plugins.md")


def test_dependencies_name_every_package() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))
    extras = project["project"]["optional-dependencies"]
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    wanted += [one for some in extras.values() for one in some]
    names = {re.split(r"[<>=!~;\[ ]", one)[0] for one in wanted}
    page = text_of("design/dependencies.md")
    missing = {name for name in names if f"| {name} |" not in page}
    assert not missing - {"audience"}, f"design/dependencies.md says nothing of {missing}"


def test_the_citation_is_valid() -> None:
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load(text_of("CITATION.cff"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    assert str(citation["version"]) == project["version"]
    # The software is cited; the adapter that lies beside it has terms of its own.
    assert citation["license"] == project["license"].split(" AND ")[0]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in project["authors"]
    ]


def test_the_changelog_knows_this_version() -> None:
    version = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    assert f"## [{version}]" in text_of("CHANGELOG.md")
