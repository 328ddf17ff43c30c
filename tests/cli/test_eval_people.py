from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import msgspec
import pytest
from tests.lab.judging.sheets import (
    answers_of,
    choices_of,
    key_of,
    memories_of,
    pairs_of,
    texts_of,
    walks,
    write,
)

from audience.lab.judging import Key, page_of
from audience.llm.fake import Fake

Cli = Callable[..., CompletedProcess[str]]
Serving = Callable[..., AbstractContextManager[Fake]]


@pytest.fixture
def key(here: Path) -> Key:
    """A page and its key in the present folder."""
    made = key_of(choices_of(3), texts_of(1), pairs_of("T1", 4), memories_of(2))
    Path("page.html").write_text(page_of(made.sheet), "utf-8")
    Path("page.key.json").write_bytes(msgspec.json.encode(made))
    return made


def all_of(key: Key, shift: int = 0) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    for place, task in enumerate(key.sheet.tasks):
        point = 1 + (place + shift) % 5
        answers[task.id] = {
            "Choose": {"chosen": [1, 2]},
            "Write": {"text": "I saw it."},
            "Pair": {"verdict": point},
            "Score": {"informative": point, "relevant": 5},
        }[type(task).__name__]
    return answers


def test_a_page_with_its_key_apart(cli: Cli, here: Path) -> None:
    write(here, "s.json", walks(3))
    told = cli("eval", "people", "make", "--tasks", "c", "--sequences", "s.json", "--cases", 2)
    assert told.returncode == 0, told.stderr
    assert "page.html: 12 tasks (12 pairs), seed 1" in told.stdout
    assert "page.key.json: which side is which. Keep it from the judges." in told.stdout
    page, key = Path("page.html").read_text("utf-8"), Path("page.key.json").read_text("utf-8")
    assert '"grounded"' in key
    assert '"grounded"' not in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tasks", "a,x"), "--tasks 'a,x': give some of a (choose)"),
        (("--tasks", "a"), "give --data PATH"),
        (("--tasks", "a", "--data", "none"), "none"),
        (("--tasks", "b", "--run", "none"), "none"),
        (("--shapes", "1-5"), "--shapes '1-5': give such as"),
        (("--cases", "0"), "give at least 1"),
    ],
)
def test_what_cannot_be_made(
    cli: Cli, here: Path, arguments: tuple[str, ...], message: str
) -> None:
    refused = cli("eval", "people", "make", *arguments)
    assert refused.returncode == 2
    assert message in refused.stderr
    assert not list(here.glob("*.html"))


def test_importing_prints_the_tables_and_names_what_is_left_out(
    cli: Cli, here: Path, key: Key
) -> None:
    write(here, "ann.json", answers_of(key, "ann", all_of(key)))
    part = {id_: given for id_, given in all_of(key, 1).items() if id_ != "t1"}
    write(here, "cy.json", answers_of(key, "cy", {**part, "t2": {"chosen": [9]}}))
    Path("odd.json").write_text("{")
    files = ("ann.json", "cy.json", "odd.json", "none.json")
    told = cli("eval", "people", "import", *files, "--key", "page.key.json", "--out", "found")
    assert told.returncode == 0, told.stderr
    assert "2 people judged, 1 of them all 16 tasks: ann (16), cy (14)" in told.stdout
    assert "people 1.000 [0.439, 1.000]" in " ".join(told.stdout.split())
    assert "Blind pairs by people" in told.stdout
    assert "T1: agent / person" in told.stdout
    assert "Memories by people" in told.stdout
    assert "without short-term" in told.stdout
    assert "…" not in told.stdout, "a table is cut off"
    assert "Krippendorff's alpha" in told.stdout
    assert "Left out: 2 files, 1 answer; partial: 1 file." in told.stdout
    assert "cy.json, task t2: chooses 1 instead of 2" in told.stdout
    assert "odd.json: is not a file of answers" in told.stdout
    assert "cy.json: 14 of 16 tasks" in told.stdout
    names = {path.name for path in Path("found").iterdir()}
    assert names == {"result.json", "people.json", "references.json"}


def test_references_lead_to_the_next_page(cli: Cli, here: Path, key: Key) -> None:
    write(here, "ann.json", answers_of(key, "ann", all_of(key)))
    cli("eval", "people", "import", "ann.json", "--key", "page.key.json", "--out", "found")
    made = cli("eval", "people", "make", "--tasks", "c", "--references", "found/references.json",
               "--out", "next.html", "--json")  # fmt: skip
    assert json.loads(made.stdout)["tasks"] == {"pair": 1}
    found = json.loads(Path("next.key.json").read_text())
    (seal,) = found["tasks"].values()
    assert seal["author"] == "ann"


def test_no_file_can_be_used(cli: Cli, here: Path, key: Key) -> None:
    refused = cli("eval", "people", "import", "none.json", "--key", "page.key.json")
    assert refused.returncode == 2
    assert "none of 1 files can be used:\n  none.json cannot be read" in refused.stderr


def test_a_model_as_judge_is_called_one_everywhere(
    cli: Cli, here: Path, key: Key, serving: Serving
) -> None:
    with serving() as fake:
        words = ("eval", "people", "judge", "page.html", "--key", "page.key.json", "--llm")
        told = cli(*words, fake.url, "--model", "fake", "--out", "judged")
        assert told.returncode == 0, told.stderr
        assert "model judge fake (a language model, not a person): 15 tasks" in told.stdout
        assert "22 calls, 0 reused" in told.stdout
        assert "1 texts left to people" in told.stdout
        assert "Blind pairs by model judge fake" in told.stdout
        assert "Left out: 0 files, 0 answers; partial: 0 files." in told.stdout
        assert "of 4 change sides with the order" in told.stdout
        assert "of 3 change with the order" in told.stdout
        assert "people judged" not in told.stdout
        again = cli(*words, fake.url, "--model", "fake", "--out", "judged", "--json")
    found = json.loads(again.stdout.splitlines()[-1])
    (judge,) = found["judges"]
    assert (judge["calls"], judge["reused"], judge["by"]) == (0, 22, "model")
    assert {row["who"] for row in found["verdicts"]} == {"model judge fake"}
    write(here, "ann.json", answers_of(key, "ann", all_of(key)))
    files = ("ann.json", "judged/answers-model.json")
    both = cli("eval", "people", "import", *files, "--key", "page.key.json").stdout
    assert "1 person judged" in both
    assert "as people, pairs: the same side:" in both
    stored = cli(*words[:-1], "--calls", "stored", "--model", "fake", "--out", "judged")
    assert "0 calls, 22 reused" in stored.stdout


def test_unreadable_replies_are_counted(cli: Cli, here: Path, key: Key, serving: Serving) -> None:
    with serving(says={"Two summaries": "The first, I think."}) as fake:
        told = cli("eval", "people", "judge", "page.html", "--key", "page.key.json",
                   "--llm", fake.url, "--model", "fake", "--out", "judged")  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert "11 tasks answered, 8 replies unreadable" in told.stdout
    assert "unreadable: 8 x pair: no JSON" in told.stdout


def test_the_key_of_another_page(cli: Cli, here: Path, key: Key) -> None:
    Path("other.html").write_text(page_of(key_of(pairs_of("T2", 1)).sheet), "utf-8")
    refused = cli("eval", "people", "judge", "other.html", "--key", "page.key.json", "--out", "x")
    assert refused.returncode == 2
    assert "belongs to another page" in refused.stderr
    assert not Path("x").exists()
