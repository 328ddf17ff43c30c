"""The page in a browser: the overview, from a chart to a prompt, words that explain themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from operator import eq
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import browser
from tests.web.conftest import Site, Sites
from tests.web.looking import looking, run_path, settled, until
from tests.web.test_page_access import barriers, barriers_in_both_themes

from audience.llm.fake import Fake

Serving = Callable[..., AbstractContextManager[Fake]]
MANY = "title = 'Many'\nagents = 120\nrounds = 3\n"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


def step(page: Any, place: int, name: str) -> str:
    """Return a step of the funnel of the round, or of the run so far."""
    found = page.locator(".funnel").nth(place).locator("li").filter(has_text=name)
    return str(found.locator("b").inner_text())


def test_watching_opens_on_what_matters_and_follows_the_run(chromium: Any, site: Site) -> None:
    run = site.begin(paused=True, toml=MANY)
    with looking(chromium, site.address, run_path(run)) as page:
        page.get_by_text("Nobody has come yet").wait_for()
        page.get_by_role("button", name="+ round").click()
        page.locator(".funnel").filter(has_text="Round 1").first.wait_for()
        page.get_by_role("button", name="Play", exact=True).click()
        until(page, "Finished")
        page.locator(".funnel").filter(has_text="Round 3").wait_for()
        metrics = site.ok(f"/runs/{run}/metrics")["rounds"]
        last = f"{metrics[-1]['visits']:.0f}"
        settled(page, lambda: step(page, 0, "Came"), lambda seen: seen == last)
        assert step(page, 1, "Came") == f"{sum(one['visits'] for one in metrics):,.0f}"
        assert step(page, 0, "Returned") == "–", "nobody can know yet"
        page.get_by_role("slider", name="Travel to a round").press("ArrowLeft")
        page.get_by_role("heading", name="Round 2").wait_for()
        settled(page, lambda: step(page, 0, "Returned"), lambda seen: seen != "–")
        heat = page.get_by_role("region", name="Item heat")
        heat.get_by_role("tab", name="Items").click()
        top = site.ok(f"/runs/{run}/overview?at=2")["items"][0]["name"]
        heat.locator("tbody th").first.get_by_text(top, exact=True).wait_for()
        page.get_by_role("slider", name="Satisfaction of people after round 2").wait_for()
        page.get_by_role("tab", name="Graph").click()
        page.get_by_text("Two people are near each other if they are tied").wait_for()
        page.go_back()
        page.locator(".funnel").first.wait_for()


def test_few_people_and_spread_news_open_on_the_graph(
    chromium: Any, sites: Sites, lived: Path
) -> None:
    site = sites(lived)
    with looking(chromium, site.address, run_path("done")) as page:
        page.locator("canvas").first.wait_for()
        page.get_by_role("tab", name="Graph", selected=True).wait_for()
        page.get_by_role("tab", name="Overview").click()
        page.locator(".funnel").first.wait_for()


def test_from_a_chart_to_the_prompt_of_one_who_left_in_five_clicks(
    chromium: Any, site: Site, serving: Serving
) -> None:
    with serving() as fake:
        toml = f'agents = 8\nrounds = 4\nmind = "llm"\n[llm]\nurl = "{fake.url}"\n'
        run = site.begin(toml=toml)
        site.until(run, "finished")
    table = f"/runs/{run}/people-table?only=gone&at="
    round_ = next(at for at in (1, 2, 3) if site.ok(f"{table}{at}")["total"])
    with looking(chromium, site.address, run_path(run, "measures")) as page:
        chart = page.get_by_role("slider", name="Visits by round")
        chart.scroll_into_view_if_needed()
        chart.locator("canvas").wait_for()
        over = chart.locator(".u-over").bounding_box()
        share = 0.03 + 0.94 * (round_ - 1) / 3
        page.mouse.click(over["x"] + over["width"] * share, over["y"] + 20)  # 1
        page.get_by_role("heading", name=f"People and round {round_}").wait_for()
        page.get_by_label("Show").select_option("gone")  # 2
        page.get_by_text("came and have not come since").wait_for()
        person = page.locator("tbody .person").first
        name = person.inner_text()
        person.click()  # 3
        drawer = page.get_by_role("complementary", name="Person")
        drawer.get_by_role("heading", name=name).wait_for()
        drawer.get_by_text(f"round {round_} · visits").first.wait_for()
        drawer.get_by_role("button", name="prompt").first.click()  # 4
        sheet = page.get_by_role("dialog", name="Prompt and reply")
        sheet.locator(".reply pre").wait_for()
        assert f"round={round_}" in page.url, "the way there can be sent as a link"
        assert "call=" in page.url


def test_charts_are_read_by_keys_and_open_a_round(chromium: Any, sites: Sites, lived: Path) -> None:
    site = sites(lived)
    visits = [f"{one['visits']:.0f}" for one in site.ok("/runs/done/metrics")["rounds"]]
    with looking(chromium, site.address, run_path("done", "measures")) as page:
        chart = page.get_by_role("slider", name="Visits by round")
        chart.focus()
        chart.locator("canvas").wait_for()
        for key, round_ in (("Home", 1), ("ArrowRight", 2), ("End", 4), ("ArrowLeft", 3)):
            page.keyboard.press(key)
            told = partial(chart.get_attribute, "aria-valuetext")
            settled(page, told, partial(eq, f"round {round_}: {visits[round_ - 1]}"))
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="People and round 3").wait_for()


def test_a_metric_explains_itself_by_keyboard_and_by_touch(
    chromium: Any, sites: Sites, lived: Path
) -> None:
    site = sites(lived)
    path = run_path("done", "measures")
    with looking(chromium, site.address, path, bypass_csp=True, has_touch=True) as page:
        table = page.get_by_role("region", name="Run so far")
        tip = table.get_by_role("button", name="About Gini of picks")
        tip.focus()
        page.keyboard.press("Enter")
        box = table.locator(".tip-box:popover-open")
        box.get_by_text("How unequally picks fall on items").wait_for()
        assert "Formula" in box.inner_text()
        assert "Unit 0 to 1" in box.inner_text()
        assert barriers(page) == []
        page.keyboard.press("Escape")
        box.wait_for(state="hidden")
        tip.tap()
        box.get_by_text("How unequally").wait_for()
        page.get_by_role("heading", name="Measures").tap()
        box.wait_for(state="hidden")


def test_every_metric_shown_has_its_tip(chromium: Any, sites: Sites, lived: Path) -> None:
    site = sites(lived)
    with looking(chromium, site.address, run_path("done", "measures")) as page:
        page.locator(".plot canvas").first.wait_for()
        charts, tips = page.locator(".chart"), page.locator(".chart .tip")
        settled(page, charts.count, lambda count: count > 20)
        assert tips.count() == charts.count()
        rows = page.get_by_role("region", name="Run so far").locator("tbody tr")
        assert rows.locator(".tip").count() == rows.count() > 20


@pytest.mark.parametrize(
    "path",
    ["#/new"]
    + [run_path("done", f"change?what={what}") for what in "announce advertise topic item".split()]
    + [run_path("done", f"change?what={what}") for what in "person recommender".split()]
    + [run_path("done", "branch")],
)
def test_every_field_says_what_it_is_for(
    chromium: Any, sites: Sites, lived: Path, path: str
) -> None:
    site = sites(lived)
    with looking(chromium, site.address, path) as page:
        fields = page.locator(".field:has(> label)")
        settled(page, fields.count, lambda count: count > 0)
        silent = fields.filter(has_not=page.locator(".hint"))
        assert silent.all_inner_texts() == []


def test_a_new_run_can_be_followed_or_sped_up(chromium: Any, site: Site) -> None:
    with looking(chromium, site.address, "#/new") as page:
        page.get_by_text("Ready to start").wait_for()
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("button", name="Full speed").click()
        until(page, "Finished")
        page.locator(".funnel").filter(has_text="Round 10").first.wait_for()
    (run,) = site.ok("/runs")
    assert run["round"] == 10


@pytest.mark.parametrize(
    ("path", "ready"),
    [
        (run_path("done", "watch?view=overview"), ".heat td"),
        (run_path("done", "people?round=2&only=came"), "tbody .person"),
    ],
)
def test_no_serious_barrier_on_the_way(
    chromium: Any, sites: Sites, lived: Path, path: str, ready: str
) -> None:
    site = sites(lived)
    with looking(chromium, site.address, path, bypass_csp=True) as page:
        page.locator(ready).first.wait_for()
        assert barriers_in_both_themes(page) == []


def test_all_is_there_on_a_phone(chromium: Any, sites: Sites, lived: Path) -> None:
    site = sites(lived)
    phone = {"width": 390, "height": 844}
    with looking(chromium, site.address, run_path("done"), viewport=phone) as page:
        for path, ready in {
            "watch?view=overview": ".heat td",
            "watch?view=graph": ".graph-box canvas",
            "measures": ".plot canvas",
            "people?round=2&only=came": "tbody .person",
        }.items():
            page.goto(f"{site.address}/{run_path('done', path)}")
            page.locator(ready).first.wait_for()
            assert page.evaluate("document.scrollingElement.scrollWidth") <= 390, path
