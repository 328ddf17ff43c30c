"""Runs of grounded minds: the same bytes again, after a stop, and in a model's prompts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.grounding import grounds_of, ratings_of
from audience.grounding.evidence import SAYINGS
from audience.llm import CallStore
from audience.llm.fake import Fake
from audience.runs import prolong, resume, start
from audience.scenario import Scenario, changed, parse, parts_of
from audience.testing import tiny_genesis

Serving = Callable[..., AbstractContextManager[Fake]]
SMALL = parse(
    'agents = 60\nrounds = 4\nmind = "grounded"\nrecommender = "random"\n'
    '[activation]\nmethod = "random"\nshare = 0.5\n'
)

STARS = {"kind": "grounded", "stars": True}


def test_a_run_is_the_same_again_and_when_it_goes_on_later(tmp_path: Path) -> None:
    whole = start(SMALL, 1, tmp_path / "whole")
    # Another process has fitted nothing yet.
    grounds_of.cache_clear()
    begun = start(changed(SMALL, rounds=2), 1, tmp_path / "run")
    assert begun.measured.digest != whole.measured.digest
    grounds_of.cache_clear()
    prolong(tmp_path / "run", 4)
    longer = resume(tmp_path / "run")
    assert longer.measured.digest == whole.measured.digest
    assert whole.measured.totals["picks"] > 0
    assert whole.measured.totals["failed"] == 0


def test_evidence_is_what_makes_it_differ_from_a_rule_mind(tmp_path: Path) -> None:
    rule = changed(SMALL, mind="rule")
    digests = {
        start(one, 1, tmp_path / str(place)).measured.digest
        for place, one in enumerate((SMALL, rule))
    }
    assert len(digests) == 2


def test_a_scenario_lets_grounded_people_enjoy_by_stars(tmp_path: Path) -> None:
    plain, rated = changed(SMALL, rounds=1), changed(SMALL, rounds=1, mind=STARS)
    without = start(plain, 1, tmp_path / "plain")
    one = start(rated, 1, tmp_path / "one")
    ratings_of.cache_clear()
    again = start(rated, 1, tmp_path / "again")
    assert one.measured.digest == again.measured.digest
    assert one.measured.digest != without.measured.digest
    assert one.measured.totals["picks"] > 0
    assert one.measured.totals["failed"] == 0


def test_stars_need_ratings() -> None:
    with pytest.raises(BadInput, match="ratings cannot be learnt from 0 ratings"):
        parts_of(changed(SMALL, mind=STARS), tiny_genesis(4, 12))


def prompts(folder: Path) -> list[str]:
    with closing(CallStore(folder / "calls.db", read_only=True)) as store:
        return [call.request.messages[-1].content for call in store.calls()]


def asking(url: str, evidence: str) -> Scenario:
    return parse(
        'agents = 40\nrounds = 1\nrecommender = "popular"\n'
        f'[mind]\nkind = "llm"\n{evidence}\n[llm]\nurl = "{url}"\nprice = "free"\n'
        '[activation]\nmethod = "random"\nshare = 0.4\n'
    )


def test_a_model_reads_the_evidence_where_it_is_asked_for(serving: Serving, tmp_path: Path) -> None:
    sentences = [words for _, *both in SAYINGS for words in both if words]
    told = {}
    with serving() as fake:
        for name, evidence in (("with", "evidence = true"), ("without", "")):
            start(asking(fake.url, evidence), 1, tmp_path / name)
            found = prompts(tmp_path / name)
            told[name] = sum(any(one in prompt for one in sentences) for prompt in found)
    assert told["with"] > 0
    assert told["without"] == 0


def test_evidence_needs_a_past() -> None:
    wanted = asking("http://127.0.0.1:9/v1", "evidence = true")
    with pytest.raises(BadInput, match="use data that has one"):
        parts_of(wanted, tiny_genesis(4, 12))
