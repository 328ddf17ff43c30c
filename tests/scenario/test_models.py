"""Runs that ask models: stored, branched, within a budget, and with nobody's key in them."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from traceback import format_exception

import pytest

from audience.errors import AudienceError, BadInput, Interrupted
from audience.llm import CallStore, Counts
from audience.llm.fake import Fake
from audience.log import Log
from audience.runs import Finished, branch, conduct, prolong, resume, start
from audience.scenario import (
    Models,
    Scenario,
    SpendingOptions,
    calls_at_once,
    cost_of,
    endpoints_of,
    models_table,
    name_of,
    parse,
)
from audience.world import events as e

Serving = Callable[..., AbstractContextManager[Fake]]
GONE = "http://127.0.0.1:9/v1"


def scenario(
    url: str, *, agents: int = 8, rounds: int = 3, llm: str = "", price: str = "free"
) -> Scenario:
    return parse(
        f'agents = {agents}\nrounds = {rounds}\nmind = "llm"\n'
        f'[llm]\nurl = "{url}"\nprice = "{price}"\n{llm}\n'
        '[activation]\nmethod = "random"\nshare = 1.0\n'
    )


@pytest.fixture(scope="module")
def whole(serving: Serving, tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, Path]:
    """A finished run whose server is gone."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with serving() as fake:
        return start(scenario(fake.url), 1, folder), folder


Whole = tuple[Finished, Path]


def test_stored_calls_give_the_same_run_without_a_server(whole: Whole, tmp_path: Path) -> None:
    done, folder = whole
    again = start(
        scenario(GONE), 1, tmp_path / "again", spending=SpendingOptions("stored", source=folder)
    )
    assert again.measured.digest == done.measured.digest
    assert (again.spent.calls, again.spent.reused) == (0, done.spent.calls)
    assert not (tmp_path / "again" / "calls.db").exists()


def test_calls_of_another_run_are_reused_and_kept_where_they_are(
    whole: Whole, tmp_path: Path
) -> None:
    done, folder = whole
    again = start(scenario(GONE), 1, tmp_path / "again", spending=SpendingOptions(source=folder))
    assert again.measured.digest == done.measured.digest
    assert again.spent.calls == 0


def test_fresh_calls_are_asked_again(serving: Serving, whole: Whole, tmp_path: Path) -> None:
    done, folder = whole
    with serving() as fake:
        spending = SpendingOptions("fresh", source=folder)
        again = start(scenario(fake.url), 1, tmp_path / "again", spending=spending)
    assert again.spent.reused == 0
    assert again.spent.calls == done.spent.calls == fake.requests


def test_a_call_that_was_not_stored_fails_and_says_so(whole: Whole, tmp_path: Path) -> None:
    _, folder = whole
    spending = SpendingOptions("stored", source=folder)
    other = start(scenario(GONE, rounds=1), 2, tmp_path / "other", spending=spending)
    assert other.measured.totals["failed"] == other.measured.totals["visits"] > 0
    with Log.open(tmp_path / "other") as log:
        failed = [r.event.why for r in log.records() if isinstance(r.event, e.Failed)]
    assert all("not in the call store" in why and "--calls reuse" in why for why in failed)


def test_a_branch_without_a_change_asks_nothing(whole: Whole, tmp_path: Path) -> None:
    done, folder = whole
    branch(folder, tmp_path / "branch", 1)
    again = resume(tmp_path / "branch")
    assert again.measured.digest == done.measured.digest
    assert again.spent.calls == 0
    assert again.spent.reused > 0


def test_a_branch_with_a_change_asks_only_for_what_differs(
    serving: Serving, whole: Whole, tmp_path: Path
) -> None:
    _, folder = whole
    news = {"round": 3, "do": "advertise", "agents": [2], "text": "A new film is out."}
    branch(folder, tmp_path / "branch", 1, (news,))
    with serving() as fake:
        move(tmp_path / "branch", fake.url)
        again = resume(tmp_path / "branch")
    assert again.spent.calls == fake.requests
    assert 0 < again.spent.calls < again.spent.reused
    with Log.open(tmp_path / "branch") as log, Log.open(folder) as parent:
        assert log.digest(upto_round=2) == parent.digest(upto_round=2)
        assert log.digest() != parent.digest()


def move(folder: Path, url: str) -> None:
    """Let a run ask another server from now on."""
    with Log.open(folder, write=True) as log:
        log.set_scenario(log.scenario.replace(parse(log.scenario).llm.url, url))


@pytest.mark.parametrize(
    "spending",
    [
        SpendingOptions(max_calls=7),
        SpendingOptions(max_tokens=5_000),
        SpendingOptions(budget="0.0005usd"),
    ],
    ids=["calls", "tokens", "money"],
)
def test_a_budget_stops_at_a_commit_point_and_resuming_gives_the_whole_run(
    serving: Serving, whole: Whole, tmp_path: Path, spending: SpendingOptions
) -> None:
    (tmp_path / "prices.toml").write_text("[dear]\nprompt = 0.1\ncompletion = 0.1\n")
    llm = f'prices = "{tmp_path / "prices.toml"}"'
    with serving() as fake:
        wanted = scenario(fake.url, llm=llm, price="dear")
        with pytest.raises(Interrupted, match=r"the budget is spent: .* of .*audience resume"):
            start(wanted, 1, tmp_path / "run", spending=spending)
        stops, spent = 1, fake.requests
        assert spent < 40
        with Log.open(tmp_path / "run") as log:
            assert log.state == "stopped"
        while True:
            try:
                again = resume(tmp_path / "run", spending=spending)
                break
            except Interrupted:
                stops += 1
            assert stops < 30
    assert stops > 1
    assert again.measured.digest == whole[0].measured.digest
    stored = SpendingOptions("stored", source=tmp_path / "run")
    check = start(wanted, 1, tmp_path / "check", spending=stored)
    assert check.measured.digest == whole[0].measured.digest
    assert fake.requests == check.spent.reused, "an answer was paid for twice"


def test_a_stopped_budget_is_told_to_the_user_with_the_way_on(
    serving: Serving, tmp_path: Path
) -> None:
    with serving() as fake, pytest.raises(Interrupted) as stopped:
        start(scenario(fake.url), 1, tmp_path / "run", spending=SpendingOptions(max_calls=3))
    assert "3 of 3 calls" in str(stopped.value)
    assert f"audience resume {tmp_path / 'run'}" in str(stopped.value)


def test_what_is_left_of_a_budget() -> None:
    spent = Counts(calls=3, prompt=100, completion=20, dollars=0.25)
    left = SpendingOptions("reuse", "1usd", 5, 100).after(spent)
    assert (left.limits().dollars, left.max_calls, left.max_tokens) == (0.75, 2, 0)
    assert SpendingOptions().after(spent) == SpendingOptions()


def test_a_budget_holds_over_all_runs_of_an_experiment(serving: Serving, tmp_path: Path) -> None:
    with serving() as fake:
        arms = '[arms.a]\nrecommender = "random"\n[arms.b]\nrecommender = "popular"\n'
        text = f'agents = 6\nrounds = 1\nmind = "llm"\n[llm]\nurl = "{fake.url}"\n{arms}'
        whole = conduct(parse(text), tmp_path / "whole")
        asked = [one.spent.calls for one in whole.finished]
        before, limit = fake.requests, asked[0] + 2
        with pytest.raises(Interrupted, match="the budget is spent"):
            conduct(parse(text), tmp_path / "both", spending=SpendingOptions(max_calls=limit))
        assert fake.requests - before == limit
        again = conduct(parse(text), tmp_path / "both")
    assert [one.measured.digest for one in again.finished] == [
        one.measured.digest for one in whole.finished
    ]


def test_the_cost_of_a_run_is_told_from_its_calls(whole: Whole, tmp_path: Path) -> None:
    _, folder = whole
    with Log.open(folder) as log:
        models = parse(log.scenario).llm
    assert cost_of(folder, models) == "$0.0000"
    assert cost_of(folder, Models(url=models.url)) == "$0.0000 + unknown"
    assert cost_of(tmp_path, models) == "–"


@pytest.mark.parametrize("wrong", ["2 euros", "-1usd", "two", "usd", "1e3"])
def test_a_budget_that_is_no_amount_is_refused(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not an amount such as 2usd"):
        start(scenario(GONE), 1, tmp_path / "run", spending=SpendingOptions(budget=wrong))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("5000 tokens", 5000),
        ("500k tokens", 500_000),
        ("2.5M tokens", 2_500_000),
        ("1,000tokens", 1000),
    ],
)
def test_a_budget_may_be_of_tokens(text: str, tokens: int) -> None:
    spending = SpendingOptions(budget=text)
    assert (spending.limits().dollars, spending.limits().tokens) == (None, tokens)
    spent = Counts(prompt=300, completion=200)
    assert spending.after(spent).limits().tokens == tokens - 500
    assert SpendingOptions(budget=text, max_tokens=100).limits().tokens == 100


@pytest.mark.parametrize(
    ("text", "dollars"), [("2usd", 2.0), ("$0.5", 0.5), ("3 dollars", 3.0), (" 1.25 $ ", 1.25)]
)
def test_a_budget_is_read_as_people_write_it(text: str, dollars: float) -> None:
    assert SpendingOptions(budget=text).limits().dollars == dollars


@pytest.mark.parametrize(
    ("llm", "spending", "message"),
    [
        ('key_env = "NO_SUCH_KEY_HERE"', SpendingOptions(), "the key NO_SUCH_KEY_HERE is not set"),
        ('model = "x"', SpendingOptions(budget="1usd"), "needs the price of"),
        ("", SpendingOptions("stored", source=Path("nowhere")), "there are no calls in it"),
        ("", SpendingOptions(source=Path("nowhere")), "--calls-from nowhere"),
    ],
    ids=["key", "price", "stored", "source"],
)
def test_what_cannot_work_is_told_before_anything_is_written(
    llm: str, spending: SpendingOptions, message: str, tmp_path: Path
) -> None:
    text = f'agents = 3\nmind = "llm"\n[llm]\nurl = "{GONE}"\n{llm}\n'
    with pytest.raises(BadInput, match=message):
        start(parse(text), 1, tmp_path / "run", spending=spending)
    assert not (tmp_path / "run").exists()


def test_one_endpoint_or_several() -> None:
    both = Models(url=GONE, endpoints=endpoints_of(Models(url=GONE)))
    with pytest.raises(BadInput, match="give url or endpoints, not both"):
        endpoints_of(both)
    text = f'mind = "llm"\n[[llm.endpoints]]\nurl = "{GONE}"\nweight = 2.0\n[[llm.endpoints]]\n'
    two = endpoints_of(parse(f'{text}url = "http://127.0.0.1:8/v1"').llm)
    assert [one.weight for one in two] == [2.0, 0.0]
    shared = 'mind = "llm"\n[llm]\nprice = "free"\nmodel = "m"\nconcurrency = 8\n'
    shared += f'[[llm.endpoints]]\nurl = "{GONE}"\nprice = "dear"\nconcurrency = 2\n'
    models = parse(f'{shared}[[llm.endpoints]]\nurl = "http://127.0.0.1:8/v1"').llm
    assert [one.price for one in endpoints_of(models)] == ["dear", "free"]
    assert {one.model for one in endpoints_of(models)} == {"m"}
    assert calls_at_once(models) == 10
    assert calls_at_once(Models(url=GONE)) == 0
    assert endpoints_of(Models(url="embedded")) == ()
    assert name_of(Models()) == "embedded"
    assert name_of(Models(model="/models/big.gguf")) == "big"
    assert name_of(Models(url=GONE, model="big")) == "big"
    with pytest.raises(BadInput, match="calls 'old' is unknown"):
        SpendingOptions("old")


KEY = "sk-" + "7f3cA9" * 6
SECRET = "tok" + "4Zq8" * 6


def test_no_key_is_ever_written_or_told(
    serving: Serving,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("AUDIENCE_TEST_KEY", KEY)
    monkeypatch.setenv("AUDIENCE_TEST_TOKEN", SECRET)
    llm = 'key_env = "AUDIENCE_TEST_KEY"\nheaders = {"X-Token" = "${AUDIENCE_TEST_TOKEN}"}'
    told = f"My key is {KEY} and {SECRET}."
    says = {"free moment": f'{{"why": "{told}", "do": "social"}}', "": told}
    with serving(key=KEY, says=says) as fake:
        done = start(scenario(fake.url, rounds=1, llm=llm), 1, tmp_path / "let-in")
    assert done.spent.calls > 8
    with serving(key="another") as fake, pytest.raises(Interrupted) as stopped:
        start(scenario(fake.url, rounds=1, llm=llm), 1, tmp_path / "shut-out")
    everything = caplog.text.encode() + "".join(format_exception(stopped.value)).encode()
    for path in tmp_path.rglob("*"):
        everything += path.read_bytes() if path.is_file() else b""
    for folder in (tmp_path / "let-in", tmp_path / "shut-out"):
        everything += _unpacked(folder)
    assert b"AUDIENCE_TEST_KEY" in everything
    assert b"My key is ***" in everything
    assert b"Incorrect API key provided" in everything
    assert KEY.encode() not in everything
    assert SECRET.encode() not in everything


def _unpacked(folder: Path) -> bytes:
    """Return what a run's files say once they are unpacked."""
    import msgspec

    with Log.open(folder) as log:
        found = msgspec.json.encode(list(log.records())) + log.scenario.encode()
    store = CallStore(folder / "calls.db", read_only=True)
    found += msgspec.json.encode(list(store.calls()))
    store.close()
    return found


def test_a_server_that_is_gone_stops_the_run_until_it_is_back(
    serving: Serving, whole: Whole, tmp_path: Path
) -> None:
    with pytest.raises(Interrupted, match=r"cannot be reached: .*3 attempts.*audience resume"):
        start(scenario(GONE), 1, tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        assert log.state == "stopped"
        assert not [r for r in log.records() if isinstance(r.event, e.Failed)]
    with serving() as fake:
        move(tmp_path / "run", fake.url)
        done = resume(tmp_path / "run")
    assert done.measured.digest == whole[0].measured.digest


def test_the_arms_of_an_experiment_share_nothing_but_the_server(
    serving: Serving, tmp_path: Path
) -> None:
    with serving() as fake:
        arms = '[arms.a]\nrecommender = "random"\n[arms.b]\nrecommender = "popular"\n'
        text = f'agents = 6\nrounds = 1\nmind = "llm"\n[llm]\nurl = "{fake.url}"\n{arms}'
        outcome = conduct(parse(text), tmp_path / "both")
    assert len(outcome.finished) == 2
    assert sum(one.spent.calls for one in outcome.finished) == fake.requests
    for one in outcome.finished:
        assert (Path(one.measured.folder) / "calls.db").is_file()
        assert one.summary["cost"] is None  # the fake model has no price


def test_a_disk_that_cannot_keep_a_call_stops_the_run(serving: Serving, tmp_path: Path) -> None:
    with serving() as fake:
        start(scenario(fake.url, rounds=1), 1, tmp_path / "run")
        with closing(sqlite3.connect(tmp_path / "run" / "calls.db")) as calls:
            full = (
                "CREATE TRIGGER full BEFORE INSERT ON calls BEGIN SELECT RAISE(FAIL, 'full'); END"
            )
            calls.execute(full)
            calls.commit()
        prolong(tmp_path / "run", 2)
        with pytest.raises(AudienceError, match=r"calls\.db .*full"):
            resume(tmp_path / "run")
    with Log.open(tmp_path / "run") as log:
        assert not [r for r in log.records() if isinstance(r.event, e.Failed)]


def test_several_addresses_of_a_flag_are_several_endpoints() -> None:
    table = models_table({"llm": f"{GONE}, http://h/v1", "model": "m"})
    assert table == {"url": "", "model": "m", "endpoints": [{"url": GONE}, {"url": "http://h/v1"}]}
    assert models_table({"llm": GONE}) == {"url": GONE, "endpoints": ()}
    assert models_table({"model": "m"}) == {"model": "m"}
    with pytest.raises(BadInput, match="embedded is no endpoint beside others"):
        models_table({"llm": f"{GONE},embedded"})


def several(*urls: str, llm: str = "") -> Scenario:
    tables = "".join(f'[[llm.endpoints]]\nurl = "{url}"\n' for url in urls)
    return parse(
        'agents = 8\nrounds = 3\nmind = "llm"\n[activation]\nmethod = "random"\nshare = 1.0\n'
        f'[llm]\nprice = "free"\n{llm}\n{tables}'
    )


def test_the_digest_is_the_same_whichever_server_answered(
    serving: Serving, whole: Whole, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    done, _ = whole
    with serving(silent_after=20, latency=(0.01, 0.01)) as mute, serving() as alive:
        scenario = several(GONE, mute.url, alive.url, llm="deadline = 2.0")
        many = start(scenario, 1, tmp_path / "many")
    assert many.measured.digest == done.measured.digest
    assert (many.spent.calls, many.spent.failed) == (done.spent.calls, 0)
    with closing(CallStore(tmp_path / "many" / "calls.db", read_only=True)) as calls:
        answered = {place for place, _, _ in calls.sums()}
    assert answered == {mute.url, alive.url}
    assert f"{GONE} is set aside: cannot be reached" in caplog.text
    stored = SpendingOptions("stored", source=tmp_path / "many")
    again = start(several(GONE), 1, tmp_path / "again", spending=stored)
    assert again.measured.digest == done.measured.digest


def test_a_budget_counts_all_servers_as_one(serving: Serving, tmp_path: Path) -> None:
    limit = SpendingOptions(max_calls=20)
    with (
        serving() as one,
        serving() as other,
        pytest.raises(Interrupted, match="20 of 20 calls"),
    ):
        start(several(one.url, other.url), 1, tmp_path / "r", spending=limit)
    assert one.requests + other.requests == 20
    assert min(one.requests, other.requests) > 0


def test_a_run_without_any_server_halts(tmp_path: Path) -> None:
    with pytest.raises(Interrupted, match="cannot be reached"):
        start(several(GONE, "http://127.0.0.1:8/v1"), 1, tmp_path / "r")
