"""The page in a real browser: by mouse, by keyboard, offline, in both colour schemes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.browsers import browser
from tests.lab.judging.sheets import choices_of, key_of, memories_of, pairs_of, texts_of

from audience.lab.judging import Key, page_of, read_answers

KINDS = {"choose": 1, "write": 3, "pair": 4, "score": 6}
"""The first task of each kind."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def key() -> Key:
    return key_of(choices_of(2), texts_of(1), pairs_of("T1", 2), memories_of(1))


@pytest.fixture
def page(chromium: Any, key: Key, tmp_path: Path) -> Iterator[Any]:
    """The page opened from a file; every request, error and dialogue is a failure."""
    (tmp_path / "page.html").write_text(page_of(key.sheet), "utf-8")
    context = chromium.new_context(accept_downloads=True)
    found = context.new_page()
    address = (tmp_path / "page.html").as_uri()
    bad: list[str] = []
    found.on("request", lambda one: bad.append(one.url) if one.url != address else None)
    found.on("pageerror", lambda error: bad.append(str(error)))
    found.on("console", lambda said: bad.append(said.text))
    found.on("dialog", lambda dialog: bad.append(dialog.message))
    found.goto(address)
    yield found
    context.close()
    assert [one for one in bad if not one.startswith("blob:")] == []


def saved(page: Any, folder: Path) -> Path:
    with page.expect_download() as download:
        page.click("#save")
    path = folder / str(download.value.suggested_filename)
    download.value.save_as(path)
    return path


def test_answers_by_mouse_end_in_a_file_that_can_be_imported(
    page: Any, key: Key, tmp_path: Path
) -> None:
    page.fill("#judge", "Zoë, 2")
    page.click("#next")
    for _ in range(2):
        page.click("label.option >> nth=1")
        page.click("label.option >> nth=2")
        page.click("#next")
    page.fill("#text", "I saw it.\nAnd again.")
    page.click("#next")
    for place in (0, 4):
        page.click(f"label.option >> nth={place}")
        page.click("#next")
    page.click("label.option >> nth=3")
    page.click("label.option >> nth=5")
    assert page.text_content("#count") == "6 of 9 answered"
    path = saved(page, tmp_path)
    assert path.name == "answers-Zoë-2.json"
    (one,), problems = read_answers([path], key)
    assert not problems
    assert one.judge == "Zoë, 2"
    given = {id_: msgspec.to_builtins(answer) for id_, answer in one.answers.items()}
    assert given == {
        "t1": {"chosen": (1, 2)},
        "t2": {"chosen": (1, 2)},
        "t3": {"text": "I saw it.\nAnd again."},
        "t4": {"verdict": 1},
        "t5": {"verdict": 5},
        "t6": {"informative": 4, "relevant": 1},
    }


def test_by_keyboard_alone(page: Any, key: Key, tmp_path: Path) -> None:
    reach(page, "judge")
    page.keyboard.type("key")
    page.keyboard.press("Control+Enter")
    assert page.evaluate("document.activeElement.tagName") == "H2"
    page.keyboard.press("Tab")  # the history can be scrolled
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("I wrote this.")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+Enter")
    assert page.text_content("#count") == "3 of 9 answered"
    reach(page, "save")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    download.value.save_as(tmp_path / "a.json")
    (one,), _ = read_answers([tmp_path / "a.json"], key)
    assert set(one.answers) == {"t1", "t3", "t4"}
    assert one.answers["t1"].chosen == (0, 1)


def reach(page: Any, id_: str) -> None:
    """Press Tab until the focus is where it should be."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == id_:
            return
    raise AssertionError(f"{id_} cannot be reached with the Tab key")


def reloaded(page: Any, count: str) -> None:
    """Reload the page until it counts so many answers.

    A busy browser may open it before it knows what the page itself kept a moment ago.
    """
    for _ in range(20):
        page.reload()
        if page.text_content("#count") == count:
            return
        page.wait_for_timeout(250)
    raise AssertionError(f"not {count}, but {page.text_content('#count')}")


def test_a_draft_outlives_the_page(page: Any) -> None:
    page.fill("#judge", "ann")
    page.select_option("#jump", "4")
    page.click("label.option >> nth=2")
    assert page.text_content("#status") == "Kept as a draft in this browser."
    reloaded(page, "1 of 9 answered")
    assert page.is_checked("label.option >> nth=2 >> input")
    page.select_option("#jump", "0")
    assert page.input_value("#judge") == "ann"


def test_nothing_is_saved_without_a_name(page: Any) -> None:
    page.select_option("#jump", "4")
    page.click("#save")
    assert page.evaluate("document.activeElement.id") == "judge"
    assert page.text_content("#status").startswith("Give a name or a code first")


def test_one_too_many_is_said_and_does_not_count(page: Any) -> None:
    page.select_option("#jump", "1")
    for place in range(3):
        page.click(f"label.option >> nth={place}")
    assert page.text_content(".note") == "3 of 2 chosen: take 1 back"
    assert page.text_content("#count") == "0 of 9 answered"


def test_going_on_from_a_saved_file(page: Any, key: Key, tmp_path: Path) -> None:
    page.fill("#judge", "ann")
    page.select_option("#jump", "4")
    page.click("label.option >> nth=0")
    path = saved(page, tmp_path)
    page.evaluate("localStorage.clear()")
    reloaded(page, "0 of 9 answered")
    page.set_input_files("#earlier", str(path))
    page.locator("#status", has_text=re.compile("^Took")).wait_for()
    assert page.text_content("#count") == "1 of 9 answered"
    (tmp_path / "other.json").write_text(json.dumps({"format": "audience-answers", "page": "x"}))
    page.set_input_files("#earlier", str(tmp_path / "other.json"))
    page.locator("#status", has_text=re.compile("^That")).wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_of_accessibility_is_broken(chromium: Any, page: Any, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.emulate_media(color_scheme=scheme)
    for place in (0, *KINDS.values(), 10):
        page.select_option("#jump", str(place))
        if page.query_selector(".option"):
            page.click(".option >> nth=0")
        found = axe.Axe().run(page)
        broken = [f"{one['id']}: {one['help']}" for one in found.response["violations"]]
        assert not broken, f"task {place}, {scheme}"


@pytest.mark.parametrize("width", [320, 800, 1400])
def test_nothing_sticks_out(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    for place in (0, *KINDS.values(), 10):
        page.select_option("#jump", str(place))
        inside = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert page.evaluate(inside), f"task {place} at {width}"


def test_odd_titles_stay_text(page: Any) -> None:
    page.select_option("#jump", "1")
    assert "<img src=x onerror=alert(1)>" in page.text_content("fieldset")
    assert page.query_selector("img") is None
