"""A model that names works which do not exist: flagged, counted and shown, from end to end."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from audience.llm.fake import Fake
from audience.log import Log
from audience.world import Unfounded

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]
SCENARIO = """
agents = 30
rounds = 2
mind = "llm"
[llm]
url = "{url}"
price = "free"
[activation]
method = "random"
share = 1.0
"""


def lived(cli: Cli, here: Path, serving: Serving, share: float) -> tuple[int, dict[str, float]]:
    """Return how many titles were flagged in a run, and its numbers."""
    with serving(invents=share) as fake:
        (here / "some.toml").write_text(SCENARIO.format(url=fake.url), "utf-8")
        told = cli("run", "some.toml", "--out", "run", "--no-report")
    assert told.returncode == 0, told.stderr
    with Log.open(here / "run") as log:
        events = [record.event for record in log.records()]
    flagged = sum(len(one.titles) for one in events if isinstance(one, Unfounded))
    told = cli("report", "run", "--format", "json", "--out", "told")
    assert told.returncode == 0, told.stderr
    (found,) = json.loads(next((here / "told").glob("*.json")).read_text("utf-8"))["arms"]
    totals: dict[str, float] = found["runs"][0]["totals"]
    return flagged, totals


def test_works_that_do_not_exist_are_flagged_counted_and_shown(
    cli: Cli, here: Path, serving: Serving
) -> None:
    flagged, totals = lived(cli, here, serving, 1.0)
    assert flagged > 0
    assert totals["unfounded_mentions"] == flagged
    assert totals["unfounded_share"] == pytest.approx(flagged / totals["mentions"])
    story = cli("show", "run").stdout
    assert "neither saw nor heard of <The " in " ".join(story.split())
    assert cli("report", "run", "--format", "html", "--out", "page").returncode == 0
    page = next((here / "page").glob("*.html")).read_text("utf-8")
    assert "Share of titles named without ground" in page


def test_a_model_that_invents_nothing_is_not_flagged(
    cli: Cli, here: Path, serving: Serving
) -> None:
    flagged, totals = lived(cli, here, serving, 0.0)
    assert flagged == 0
    assert totals["unfounded_mentions"] == 0.0
