"""Minds that speak are interviewed at the end of some studies."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from audience.lab.studies import conduct_study, read
from audience.llm.fake import Fake

TEXT = """
agents = 6
rounds = 1
seeds = 1
mind = "llm"
[llm]
url = "{url}"
[study]
kind = "recommender-ab"
question = "Which?"
[arms.popular]
recommender = "popular"
[arms.random]
recommender = "random"
"""


def test_people_of_every_arm_are_asked_and_quoted(
    tmp_path: Path, serving: Callable[..., AbstractContextManager[Fake]]
) -> None:
    with serving() as fake:
        recipe = read(TEXT.replace("{url}", fake.url), "mine.toml")
        studied = conduct_study(recipe, tmp_path / "s", workers=1)
    asked = [one for one in studied.remarks if one.startswith("Asked “What do you think")]
    assert len(asked) == 6
    assert sum("with popular" in one for one in asked) == 3
    assert not any("Rule minds" in one for one in studied.remarks)
    assert all(one.count("“") == 2 for one in asked)
