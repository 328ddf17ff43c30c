"""The page in a browser: interviews that are counted and kept, chats."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import browser
from tests.web.conftest import Site
from tests.web.looking import find_person, looking, run_path, settled
from tests.web.test_page_access import barriers

from audience.llm.fake import Fake

Serving = Callable[..., AbstractContextManager[Fake]]
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def spoken(site: Site, fake: Fake, people: int = 60, more: str = "") -> str:
    """Return a finished run whose people speak through the fake server."""
    run = site.begin(toml=f'agents = {people}\nrounds = 2\n{more}[llm]\nurl = "{fake.url}"\n')
    site.until(run, "finished")
    return run


def saved(page: Any, name: str) -> str:
    """Return what a link saves."""
    with page.expect_download() as download:
        page.get_by_role("link", name=name).click()
    return Path(download.value.path()).read_text("utf-8")


def wide(page: Any) -> int:
    """Return how many pixels the page needs."""
    widths = "document.scrollingElement.scrollWidth, document.querySelector('main').scrollWidth"
    return int(page.evaluate(f"Math.max({widths})"))


def test_fifty_people_are_interviewed_and_their_answers_are_a_table(
    chromium: Any, site: Site, serving: Serving
) -> None:
    with serving() as fake:
        run = spoken(site, fake)
        with looking(chromium, site.address, run_path(run, "ask"), bypass_csp=True) as page:
            page.get_by_label("Question").fill("Would you recommend this service?")
            page.get_by_label("Kind of answer").select_option("yes")
            page.get_by_label("A random sample").check()
            page.get_by_label("How many").fill("50")
            page.get_by_role("button", name="Ask", exact=True).click()
            counted = page.locator(".counts tbody tr")
            page.get_by_text("50 answered").first.wait_for()
            assert counted.locator("th").all_inner_texts() == ["yes", "no", "not sure"]
            counts = [int(one) for one in counted.locator("td.number").all_inner_texts()]
            assert sum(counts) == 50
            page.locator(".by-segment tbody tr").first.wait_for()
            page.get_by_label("By", exact=False).first.select_option("gender")
            words = page.locator(".answers .table-box").last.locator("tbody tr")
            page.get_by_label("Show only").select_option("yes")
            settled(page, words.count, lambda many: many == counts[0])
            assert barriers(page) == []
            rows = list(csv.DictReader(io.StringIO(saved(page, "Save answers as CSV"))))
            assert [row["choice"] for row in rows].count("yes") == counts[0]
            assert len(rows) == 50
            assert "share" in saved(page, "Save table as CSV")
            page.reload()
            page.get_by_text("50 answered").first.wait_for()
            assert "interview=1" in page.url, "it can be sent as a link"
            page.set_viewport_size(PHONE)
            assert wide(page) <= PHONE["width"]


def test_an_interview_is_cancelled_and_keeps_what_was_answered(
    chromium: Any, site: Site, serving: Serving
) -> None:
    with serving(silent_after=5) as fake:
        run = spoken(site, fake, 12, "")
        with looking(chromium, site.address, run_path(run, "ask")) as page:
            page.get_by_label("Question").fill("Why?")
            page.get_by_role("button", name="Ask", exact=True).click()
            rows = page.locator(".answers tbody tr")
            settled(page, rows.count, lambda many: many >= 3)
            page.get_by_role("button", name="Cancel, and keep what was answered").click()
            page.get_by_text("cancelled after").first.wait_for()
            assert 3 <= rows.count() < 12


def test_somebody_talks_with_one_person(chromium: Any, site: Site, serving: Serving) -> None:
    with serving() as fake:
        run = spoken(site, fake, 8)
        name = str(site.ok(f"/runs/{run}/names")["people"][3])
        path = f"{run_path(run, 'ask')}?view=chat"
        with looking(chromium, site.address, path, bypass_csp=True) as page:
            find_person(page, name, "chat-person")
            for words, lines in (("What did you watch?", 2), ("And why?", 4)):
                page.get_by_label(f"Say to {name}").fill(words)
                page.get_by_role("button", name="Say", exact=True).click()
                page.locator(".bubble").nth(lines - 1).wait_for()
                page.get_by_text("is answering").wait_for(state="detached")
            assert barriers(page) == []
            assert saved(page, "Save as CSV").count(name) == 2
            page.reload()
            page.locator(".bubble").nth(3).wait_for()
            page.get_by_role("button", name="prompt").last.click()
            page.get_by_role("dialog", name="Prompt and reply").wait_for()
            page.keyboard.press("Escape")
            page.set_viewport_size(PHONE)
            assert wide(page) <= PHONE["width"]


def test_a_prompt_is_edited_and_asked_again(chromium: Any, site: Site, serving: Serving) -> None:
    with serving(says={"Think of the sea": '{"fits": "well", "why": "waves"}'}) as fake:
        run = spoken(site, fake, 4, 'mind = "llm"\n')
        calls = site.ok(f"/runs/{run}/calls")
        path = f"{run_path(run, 'calls')}?call={calls['lines'][-1]['key']}"
        with looking(chromium, site.address, path, bypass_csp=True) as page:
            sheet = page.get_by_role("dialog", name="Prompt and reply")
            sheet.get_by_role("button", name="Copy the reply").wait_for()
            before = sheet.locator(".reply pre").inner_text()
            assert before.startswith("{\n  "), "JSON is indented"
            assert barriers(page) == []
            sheet.get_by_role("button", name="Ask this again").click()
            prompt = sheet.locator("textarea").last
            prompt.fill(prompt.input_value() + "\nThink of the sea.")
            sheet.get_by_role("button", name="Ask the model").click()
            now = sheet.locator(".then-now .reply pre").last
            now.get_by_text("waves").wait_for()
            assert sheet.locator(".then-now .reply pre").first.inner_text() == before
            sheet.get_by_text("more possible").wait_for()
            assert barriers(page) == []
            page.set_viewport_size(PHONE)
            assert wide(page) <= PHONE["width"]
        assert site.ok(f"/runs/{run}/calls") == calls


def test_twenty_decisions_are_scored_and_exported(chromium: Any, site: Site) -> None:
    run = site.begin()
    site.until(run, "finished")
    with looking(chromium, site.address, run_path(run, "notes"), bypass_csp=True) as page:
        page.get_by_label("Your name").fill("Ann")
        page.get_by_role("heading", name="Score decisions").click()
        for place in range(20):
            page.get_by_text(f"decision {place + 1} of 20").wait_for()
            page.keyboard.press(str(1 + place % 5))
        page.get_by_text("20 of 20 scored").wait_for()
        page.keyboard.press("ArrowLeft")
        page.get_by_text("decision 19 of 20").wait_for()
        page.get_by_role("radio", name="1").check()
        page.get_by_label("Note on this decision").fill("Hardly, so late.")
        page.get_by_role("button", name="Keep the note").click()
        settled(page, lambda: site.ok(f"/runs/{run}/notes")[0]["text"], bool)
        assert barriers(page) == []
        rows = list(csv.DictReader(io.StringIO(saved(page, "Save scores as CSV"))))
        assert len(rows) == 20
        assert {row["author"] for row in rows} == {"Ann"}
        scores = sorted("12345" * 4)
        scores.remove("4")
        assert sorted(row["score"] for row in rows) == sorted([*scores, "1"])
        page.get_by_role("tab", name="All notes").click()
        page.locator("tbody tr").nth(19).wait_for()
        assert barriers(page) == []
        page.get_by_role("button", name="Open the note of Ann").first.click()
        sheet = page.get_by_role("dialog", name="Notes and scores")
        sheet.get_by_label("Note", exact=True).wait_for()
        assert "note=decision." in page.url
        assert barriers(page) == []
        page.keyboard.press("Escape")
        page.set_viewport_size(PHONE)
        assert wide(page) <= PHONE["width"]


def test_a_person_and_a_decision_are_noted_from_where_they_are_read(
    chromium: Any, site: Site
) -> None:
    run = site.begin()
    site.until(run, "finished")
    path = f"{run_path(run, 'people')}?person=3"
    with looking(chromium, site.address, path) as page:
        drawer = page.get_by_role("complementary", name="Person")
        drawer.get_by_role("button", name="Note", exact=True).click()
        sheet = page.get_by_role("dialog", name="Notes and scores")
        sheet.get_by_label("Your name").fill("Bo")
        sheet.get_by_label("Note", exact=True).fill("Watches late.")
        sheet.get_by_role("button", name="Keep", exact=True).click()
        sheet.get_by_text("Kept.").wait_for()
        page.keyboard.press("Escape")
        drawer.get_by_role("tab", name="Decisions").click()
        drawer.get_by_role("button", name="Score this decision").first.click()
        sheet.get_by_role("radio", name="4").check()
        sheet.get_by_role("button", name="Keep", exact=True).click()
        sheet.get_by_text("Kept.").wait_for()
    rows = site.ok(f"/runs/{run}/notes")
    assert [(one["subject"]["kind"], one["score"]) for one in rows] == [
        ("decision", 4),
        ("person", None),
    ]


def test_texts_are_judged_in_the_page_or_it_says_what_is_missing(chromium: Any, site: Site) -> None:
    toml = "agents = 12\n[memory]\nkind = 'recagent'\nkeep = 0.4\nenhancements = 2\n"
    run = site.begin(toml=f"{toml}reflect_at = 3.0\n[run]\nrounds = 20\n")
    site.until(run, "finished")
    path = f"{run_path(run, 'notes')}?view=judge"
    with looking(chromium, site.address, path, bypass_csp=True) as page:
        page.get_by_label("Your name").fill("Cy")
        page.get_by_role("button", name="Begin").click()
        page.get_by_label("Your sentence").fill("They like slow films.")
        page.get_by_role("button", name="Next").click()
        page.get_by_text("1 answered").wait_for()
        assert barriers(page) == []
        sheet = site.ok(f"/runs/{run}/judging?judge=Cy")
        assert len(sheet["answers"]) == 1
        place = next(at for at, task in enumerate(sheet["tasks"]) if task["type"] == "score")
        page.goto(f"{site.address}/{path}&at={place}")
        page.get_by_role("group", name="How informative").get_by_role("radio").nth(3).check()
        page.get_by_role("group", name="How relevant").get_by_role("radio").nth(1).check()
        page.get_by_text("2 answered").wait_for()
        page.get_by_text("What all judges say so far").click()
        page.locator("tbody tr").first.wait_for()
        assert barriers(page) == []
    plain = site.begin(toml="agents = 5\nrounds = 1\n", name="plain")
    site.until(plain, "finished")
    with looking(chromium, site.address, f"{run_path(plain, 'notes')}?view=judge") as page:
        page.get_by_text("Nothing to judge in this run").wait_for()
        page.get_by_text("start a run with memory").wait_for()


def test_somebody_takes_part_for_two_rounds_and_comes_back(chromium: Any, site: Site) -> None:
    toml = "agents = 12\nrounds = 3\n[activation]\nmethod = 'random'\nshare = 1.0\nloyalty = 0.0\n"
    run = site.begin(paused=True, toml=toml)
    name = str(site.ok(f"/runs/{run}/names")["people"][4])
    with looking(chromium, site.address, run_path(run, "play"), bypass_csp=True) as page:
        find_person(page, name, "play-person")
        page.get_by_role("button", name="Take this place").click()
        page.get_by_role("heading", name=f"You are {name}").wait_for()
        page.get_by_role("region", name="Who you are").get_by_text("You like").wait_for()
        page.get_by_role("region", name="Your friends").wait_for()
        page.get_by_role("button", name="Play", exact=True).click()
        titles = []
        for number in (1, 2):
            page.get_by_text(f"Round {number} ·").wait_for()
            page.get_by_text("when you are done").or_(
                page.get_by_text("it ends when you are")
            ).first.wait_for()
            page.get_by_role("button", name="See recommendations").click()
            first = page.locator(".shelf-card").first
            titles.append(first.locator("cite").inner_text())
            first.get_by_role("button", name="Pick").click()
            first.get_by_text("4 of 5").locator("..").click()
            first.get_by_role("button", name="Rate").click()
            first.get_by_text("picked and rated").wait_for()
            assert barriers(page) == []
            if number == 1:
                page.get_by_role("link", name="Watch").click()
                page.get_by_role("link", name="Take part").click()
                page.locator(".shelf-card").first.get_by_text("picked and rated").wait_for()
            page.get_by_role("button", name="Leave").click()
        page.get_by_text("Round 3 ·").wait_for()
        mine = page.get_by_role("region", name="Your history")
        for title in titles:
            mine.get_by_text(title).first.wait_for()
        page.set_viewport_size(PHONE)
        assert wide(page) <= PHONE["width"]
        page.get_by_role("button", name="Give the place back").click()
        page.get_by_role("heading", name="Take part").wait_for()
    site.until(run, "finished")
    lived = site.ok(f"/runs/{run}/people/4")["history"]
    assert [one["title"] for one in lived if one["title"] in titles]
