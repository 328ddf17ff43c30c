"""The page in a browser: a person with the prompts behind it, interviews, playing, changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from tests.browsers import browser
from tests.web.conftest import Site, Sites
from tests.web.looking import find_person, looking, run_path, settled, until

from audience.llm.fake import Fake
from audience.web.graph import DRAWN

Serving = Callable[..., AbstractContextManager[Fake]]
STORES = ("sensory", "short", "long")
HOSTILE = "<img src=x onerror=alert(1)> & </script>"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def name_of(site: Site, run: str, who: int) -> str:
    return str(site.ok(f"/runs/{run}/names")["people"][who])


def memory_of(site: Site, run: str, who: int) -> Any:
    return site.ok(f"/runs/{run}/people/{who}")["memory"]


def test_a_decision_shows_the_exact_prompt_and_reply(
    chromium: Any, site: Site, serving: Serving
) -> None:
    with serving() as fake:
        toml = 'agents = 6\nrounds = 3\nmind = "llm"\nmemory = "recagent"\n'
        toml += f'[llm]\nurl = "{fake.url}"\n'
        run = site.begin(toml=toml)
        site.until(run, "finished")
    people = site.ok(f"/runs/{run}/people")
    found = [site.ok(f"/runs/{run}/people/{one['id']}") for one in people]
    who, decisions = next(
        (one["profile"]["id"], one["decisions"])
        for one in found
        if any(one["memory"][store] for store in STORES)
        and any(each["calls"] for each in one["decisions"])
    )
    key = next(call for one in decisions for call in one["calls"])
    call = site.ok(f"/runs/{run}/calls/{key}")
    with looking(chromium, site.address, run_path(run)) as page:
        find_person(page, name_of(site, run, who))
        drawer = page.get_by_role("complementary", name="Person")
        drawer.get_by_text("Satisfaction").wait_for()
        drawer.get_by_role("tab", name="Memory").click()
        drawer.get_by_role("heading", name="Long-term").wait_for()
        drawer.get_by_text("importance").first.wait_for()
        drawer.get_by_role("tab", name="Decisions").click()
        drawer.get_by_role("button", name="prompt").last.click()
        sheet = page.get_by_role("dialog", name="Prompt and reply")
        sheet.locator(".reply pre").wait_for()
        shown = [one.rstrip() for one in sheet.locator("pre").all_text_contents()]
        assert shown[0] == call["messages"][0]["content"].rstrip()
        page.keyboard.press("Escape")
        sheet.wait_for(state="detached")
        page.keyboard.press("Escape")
        drawer.wait_for(state="detached")


def test_an_interview_is_tabulated_and_what_models_say_is_only_text(
    chromium: Any, site: Site, serving: Serving
) -> None:
    with serving(says={"Who are you?": '{"answer": "' + HOSTILE + '"}'}) as fake:
        run = site.begin(toml=f'agents = 8\nrounds = 1\n[llm]\nurl = "{fake.url}"\n')
        site.until(run, "finished")
        with looking(chromium, site.address, run_path(run, "ask")) as page:
            page.get_by_label("Selected people").check()
            find_person(page, name_of(site, run, 2), "ask-person")
            find_person(page, name_of(site, run, 5), "ask-person")
            page.get_by_label("Question").fill("Who are you?")
            page.get_by_role("button", name="Ask", exact=True).click()
            rows = page.locator(".answers tbody tr")
            rows.nth(1).wait_for()
            assert rows.count() == 2
            assert HOSTILE in rows.first.inner_text()
            assert page.locator(".answers img").count() == 0
            page.get_by_label("Everybody").check()
            page.get_by_role("button", name="Ask", exact=True).click()
            rows.nth(7).wait_for()


def test_a_profile_is_edited_and_the_change_is_written_down(chromium: Any, site: Site) -> None:
    run = site.begin(paused=True)
    with looking(chromium, site.address, run_path(run, "change")) as page:
        page.get_by_role("tab", name="Edit a profile").click()
        find_person(page, name_of(site, run, 3), "change-who")
        page.get_by_label("Career").fill("lighthouse keeper")
        page.get_by_role("button", name="Change the profile").click()
        page.get_by_text("It applies at the start of round 1").wait_for()
        page.locator(".changes").get_by_text("pending").wait_for()
        page.get_by_role("tab", name="Announce").click()
        page.get_by_label("Text").fill(HOSTILE)
        page.locator("form").get_by_role("button", name="Announce").click()
        page.locator(".changes li").nth(1).wait_for()
        page.get_by_role("button", name="+ round").click()
        page.locator(".changes .tag.done").nth(1).wait_for()
        page.get_by_role("link", name="Watch").click()
        page.get_by_role("tab", name="Posts").click()
        page.locator(".post").get_by_text(HOSTILE).wait_for()
    assert site.ok(f"/runs/{run}/people/3")["profile"]["career"] == "lighthouse keeper"


def test_a_topic_is_raised_and_what_people_make_of_it_is_told(chromium: Any, site: Site) -> None:
    run = site.begin(paused=True)
    with looking(chromium, site.address, run_path(run, "change")) as page:
        page.get_by_role("tab", name="Raise a topic").click()
        page.get_by_label("Name", exact=True).fill("free trams")
        page.get_by_label("First message").fill(HOSTILE)
        raised = page.get_by_role("button", name="Raise this topic")
        assert raised.is_disabled(), "nobody would hear of it"
        for who in (1, 2, 3):
            find_person(page, name_of(site, run, who), "topic-seeds")
        chosen = page.get_by_role("list", name="First to hear of it")
        chosen.get_by_role("button").nth(2).click()
        chosen.get_by_text(name_of(site, run, 3)).wait_for(state="detached")
        raised.click()
        page.get_by_text("It applies at the start of round 1").wait_for()
        page.get_by_role("button", name="+ round").click()
        page.locator(".changes .tag.done").first.wait_for()
        page.get_by_role("button", name="Play", exact=True).click()
        until(page, "Finished")
        page.get_by_role("link", name="Watch").click()
        page.get_by_label("Kind of event").select_option("MoodShifted")
        page.locator(".lines li").get_by_text("free trams").first.wait_for()
        page.get_by_label("Colour by").select_option("attitude")
    (told,) = site.ok(f"/runs/{run}/interventions")
    assert (told["do"], told["name"], told["seeds"]) == ("raise", "free trams", [1, 2])


def test_a_community_of_many_opens_and_one_of_its_people_too(chromium: Any, sites: Sites) -> None:
    site = sites()
    toml = f"agents = {DRAWN + 50}\nrounds = 1\n[activation]\nmethod = 'random'\nshare = 0.02\n"
    run = site.begin(toml=toml)
    site.until(run, "finished")
    with looking(chromium, site.address, run_path(run, "watch?view=graph")) as page:
        page.get_by_role("heading", name="People, by community").wait_for()
        page.locator("canvas").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        sheet = page.get_by_role("dialog", name="Community")
        sheet.locator("tbody tr").first.wait_for()
        name = sheet.locator("tbody button").first.inner_text()
        sheet.locator("tbody button").first.click()
        drawer = page.get_by_role("complementary", name="Person")
        drawer.get_by_role("heading", name=name).wait_for()
        page.get_by_label("Colour by").select_option("satisfaction")
        legend = page.locator(".legend")
        legend.get_by_text("very high").wait_for()
        settled(page, lambda: _whole(legend), lambda seen: seen == DRAWN + 50)


def _whole(legend: Any) -> int:
    """Return how many people the legend counts."""
    return sum(int(one.replace(",", "")) for one in legend.locator("b").all_inner_texts())


def test_somebody_plays_a_person(chromium: Any, site: Site) -> None:
    toml = "agents = 12\nrounds = 3\n[activation]\nmethod = 'random'\nshare = 1.0\nloyalty = 0.0\n"
    run = site.begin(paused=True, toml=toml)
    with looking(chromium, site.address, run_path(run, "play")) as page:
        find_person(page, name_of(site, run, 4), "play-person")
        page.get_by_role("button", name="Take this place").click()
        page.get_by_role("heading", name=f"You are {name_of(site, run, 4)}").wait_for()
        page.get_by_role("button", name="Play", exact=True).click()
        page.get_by_role("button", name="See recommendations").click()
        until(page, "Waiting for a person")
        first = page.locator(".shelf-card").first
        title = first.locator("cite").inner_text()
        first.get_by_role("button", name="Pick").click()
        first.get_by_text("4 of 5").locator("..").click()
        first.get_by_label("What you felt").fill("A calm evening.")
        first.get_by_role("button", name="Rate").click()
        first.get_by_text("picked and rated").wait_for()
        page.get_by_role("button", name="Go to friends and posts").click()
        page.get_by_label("Post to your followers").fill("Go and see it.")
        page.get_by_role("button", name="Post", exact=True).click()
        page.get_by_text("a post").wait_for()
        page.get_by_role("button", name="Leave").click()
        page.get_by_text("Not your turn").or_(
            page.get_by_text("You open the platform")
        ).first.wait_for()
        page.get_by_role("button", name="Give the place back").click()
        page.get_by_role("heading", name="Take part").wait_for()
    site.until(run, "finished")
    lived = site.ok(f"/runs/{run}/people/4")["history"]
    mine = [one for one in lived if one["feeling"] == "A calm evening."]
    assert [(one["title"], one["stars"]) for one in mine] == [(title, 4)]
    told = site.ok(f"/runs/{run}/story?agent=4&kind=Posted")
    assert "Go and see it." in told[0]["text"]


def test_two_browsers_play_and_watch_the_same_run(chromium: Any, sites: Sites) -> None:
    site = sites()
    toml = "agents = 12\nrounds = 2\n[activation]\nmethod = 'random'\nshare = 1.0\nloyalty = 0.0\n"
    run = site.begin(paused=True, toml=toml)
    with (
        looking(chromium, site.address, run_path(run, "play")) as one,
        looking(chromium, site.address, run_path(run, "play")) as two,
    ):
        for page, who in ((one, 1), (two, 2)):
            find_person(page, name_of(site, run, who), "play-person")
            page.get_by_role("button", name="Take this place").click()
            page.get_by_role("button", name="Give the place back").wait_for()
        one.get_by_role("button", name="Play", exact=True).click()
        until(two, "Waiting for a person")
        for page in (one, two):
            page.get_by_role("button", name="Not today").click()
        for page in (one, two):
            page.get_by_text("Round 2").first.wait_for()
            page.get_by_role("button", name="Give the place back").click()
        for page in (one, two):
            until(page, "Finished")
            page.get_by_role("link", name="Watch").click()
            page.get_by_text("Round 2 is over").wait_for()
