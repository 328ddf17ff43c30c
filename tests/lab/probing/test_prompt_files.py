"""What each probe says, word for word: a change of wording shows in the diff.

After a change that is meant: `AUDIENCE_GOLDENS=write pytest` with the path of this file.
"""

from __future__ import annotations

import os
import re
from importlib.resources import files
from pathlib import Path

import pytest

from audience.agents.language import holes_of
from audience.lab.probing import Asker
from audience.lab.probing.sensitivity import OWN, WORDINGS, page_of
from audience.lab.probing.town import Town

GOLDENS = Path(__file__).parent / "goldens"
OWN_HOLES = {
    "dataset": "MovieLens 1M",
    "key": "2571",
    "lines": "- <Heat> (1995; Crime), 4 stars",
    "title": "<The Matrix>",
    "kinds": "Action, Sci-Fi",
    "year": "1999",
    "tags": "Action, Comedy, Sci-Fi",
    "options": "A) <Heat> (1995; Crime)\nB) <Brazil> (1985; Comedy)",
    "question": "How old are you?",
    "form": "1-120",
    "item": "<The Tin Almanac of Vestby> (Comedy)",
    "repute": "Opinions are divided.",
    "texts": "- I loved <Heat>.\n- My kids slept.",
    "wanted": "gender and age",
}
NAMES = sorted(
    path.name.removesuffix(".md")
    for path in (files("audience.lab.probing") / "prompts" / "default").iterdir()
    if path.name.startswith("probe_")
)


@pytest.mark.parametrize("name", NAMES)
def test_a_probe_says_what_it_said(name: str, town: Town, scripted: type) -> None:
    asker: Asker = scripted(lambda _: "").asker()
    holes = holes_of(town.at(town.person(0), 0, page_of(town, 0)), (), "page") | OWN_HOLES
    said = asker.pack.fill(name, holes) + "\n"
    golden = GOLDENS / f"{name}.txt"
    if os.environ.get("AUDIENCE_GOLDENS") == "write":
        golden.write_text(said, "utf-8")
    assert said == golden.read_text("utf-8")


def test_other_wordings_ask_for_the_same(town: Town, scripted: type) -> None:
    pack = scripted(lambda _: "").asker().pack
    own, *others = (set(re.findall(r"\$(\w+)", pack.text(name))) for name in (OWN, *WORDINGS))
    assert {"you", "history", "page"} <= own
    for wording in others:
        assert wording - {"plural", "past"} == own - {"searched", "pause", "angle", "eye", "likes"}
    for name in (OWN, *WORDINGS):
        assert pack.text(name).strip().endswith("Answer with JSON only.")
