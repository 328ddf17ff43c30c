"""`audience run --mind llm` and what follows from it, against a fake server."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

from audience.llm import CallStore
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults, Manners
from audience.log import Log

Cli = Callable[..., CompletedProcess[str]]
Begin = Callable[..., Popen[str]]
Serving = Callable[..., AbstractContextManager[Fake]]
EXAMPLE = Path(__file__).parents[2] / "examples" / "llm.toml"
MANY = EXAMPLE.with_name("many-servers.toml")
SMALL = ("--agents", 8, "--rounds", 2, "--seeds", 1, "--recommender", "popular", "--no-report")
TEXT = 'agents = 10\nrounds = 3\nmind = "llm"\n[activation]\nmethod = "random"\nshare = 1.0\n'


@pytest.fixture(scope="module")
def server(serving: Serving) -> Iterator[Fake]:
    with serving() as fake:
        yield fake


def last(told: CompletedProcess[str]) -> dict[str, object]:
    assert told.returncode == 0, told.stderr
    found: dict[str, object] = json.loads(told.stdout.splitlines()[-1])
    return found


def test_a_run_asks_the_endpoint_and_says_what_it_cost(cli: Cli, here: Path, server: Fake) -> None:
    before = server.requests
    told = cli("run", "--mind", "llm", "--llm", server.url, *SMALL, "--out", "run", "--json")
    found = last(told)
    assert found["calls"] == server.requests - before
    assert found["decisions"] == found["calls"]
    assert (found["reused_calls"], found["failed_calls"], found["failed"]) == (0, 0, 0)
    assert isinstance(found["prompt_tokens"], int)
    assert isinstance(found["completion_tokens"], int)
    assert found["prompt_tokens"] > found["completion_tokens"] > 0
    assert found["cost"] is None  # no price is known, and none is made up
    with closing(CallStore(here / "run" / "calls.db", read_only=True)) as calls:
        assert calls.find("0" * 32) is None


def test_the_screen_tells_calls_by_purpose_and_lets_people_be_heard(
    cli: Cli, here: Path, server: Fake
) -> None:
    (here / "own.toml").write_text(f'{TEXT}[llm]\nurl = "{server.url}"\nprice = "free"\n')
    told = cli("run", "own.toml", "--no-report", "--out", "run")
    assert told.returncode == 0
    assert "Models: " in told.stdout
    assert "$0.0000" in told.stdout
    assert "by purpose: " in told.stdout
    assert "What they said:" in told.stdout
    assert "Warning" not in told.stdout
    shown = cli("show", "run", "--calls", "--lines", 0).stdout
    assert "── home, fake, reply" in shown
    assert "You are the person described below" in shown


def test_many_unusable_answers_are_warned_of(cli: Cli, here: Path, serving: Serving) -> None:
    with serving(says={"": "No idea."}) as fake:
        told = cli("run", "--mind", "llm", "--llm", fake.url, *SMALL, "--out", "run")
    assert told.returncode == 1
    assert "Warning: " in told.stdout
    assert "of the answers for home could not be used" in told.stdout


def test_stored_calls_replay_and_branch_need_no_server(
    cli: Cli, here: Path, serving: Serving
) -> None:
    (here / "own.toml").write_text(TEXT)
    with serving() as fake:
        first = last(
            cli("run", "own.toml", "--llm", fake.url, "--no-report", "--out", "a", "--json")
        )
    run = ("run", "own.toml", "--llm", fake.url, "--no-report", "--json")
    stored = last(cli(*run, "--out", "b", "--calls", "stored", "--calls-from", "a"))
    assert (stored["digest"], stored["calls"]) == (first["digest"], 0)
    again = last(cli("replay", "a", "--check", "--json"))
    assert again["reproduced"] is True
    branch = last(cli("branch", "a", "--at", 1, "--out", "c", "--no-report", "--json"))
    assert (branch["digest"], branch["calls"]) == (first["digest"], 0)
    assert branch["reused_calls"] != 0
    refused = cli(*run, "--out", "d", "--calls", "stored", "--calls-from", "nowhere")
    assert refused.returncode == 2
    assert "--calls-from nowhere: there are no calls in it" in refused.stderr
    assert not (here / "d").exists()


def test_a_budget_stops_the_run_and_says_how_to_go_on(cli: Cli, here: Path, server: Fake) -> None:
    (here / "own.toml").write_text(f'{TEXT}[llm]\nurl = "{server.url}"\n')
    whole = last(cli("run", "own.toml", "--no-report", "--out", "whole", "--json"))
    stopped = cli("run", "own.toml", "--max-calls", 25, "--no-report", "--out", "run", "--json")
    assert stopped.returncode == 130
    assert "the budget is spent: 25 of 25 calls" in stopped.stderr
    told = json.loads(stopped.stdout)
    assert (told["state"], told["run"]) == ("stopped", "run")
    assert "the budget is spent" in str(told["error"])
    listed = last(cli("runs", ".", "--json"))["runs"]
    assert isinstance(listed, list)
    assert "the budget is spent" in next(row for row in listed if row["run"] == "run")["halted"]
    assert "Continue with: audience resume run" in stopped.stderr
    assert "stopped" in cli("runs", ".").stdout
    done = last(cli("resume", "run", "--no-report", "--json"))
    assert done["digest"] == whole["digest"]
    assert "budget" not in cli("runs", ".").stdout
    refused = cli("run", "own.toml", "--budget", "2usd", "--out", "dear")
    assert refused.returncode == 2
    assert "a budget in dollars needs the price" in refused.stderr


def test_an_experiment_with_models_is_summed_up(cli: Cli, here: Path, server: Fake) -> None:
    arms = ("--recommender", "popular", "--recommender", "random")
    small = ("--agents", 6, "--rounds", 1, "--seeds", 1, "--no-report", "--out", "both")
    found = last(cli("run", "--mind", "llm", "--llm", server.url, *arms, *small, "--json"))
    runs = found["runs"]
    assert isinstance(runs, list)
    assert found["calls"] == sum(one["calls"] for one in runs)
    assert found["outcomes"] == {"reply": found["calls"]}
    assert found["cost"] is None


def test_a_fault_of_the_key_is_told_before_anything_is_written(
    cli: Cli, here: Path, server: Fake
) -> None:
    (here / "own.toml").write_text(f'{TEXT}[llm]\nurl = "{server.url}"\nkey_env = "MISSING_KEY"\n')
    told = cli("run", "own.toml", "--no-report", "--out", "run")
    assert told.returncode == 2
    assert "the key MISSING_KEY is not set" in told.stderr
    assert not (here / "run").exists()


def test_a_dead_endpoint_stops_the_run_at_once(cli: Cli, here: Path) -> None:
    url = "http://127.0.0.1:9/v1"
    told = cli("run", "--mind", "llm", "--llm", url, *SMALL, "--out", "run")
    assert told.returncode == 130
    assert f"{url}: cannot be reached" in told.stderr
    assert "Continue with: audience resume run" in told.stderr
    assert "Traceback" not in told.stderr


def test_the_estimate_asks_nobody_and_compares_the_ways(cli: Cli, here: Path) -> None:
    told = cli("run", EXAMPLE, "--estimate", "--json")
    found = last(told)
    fused, faithful = found["fused"], found["faithful"]
    assert isinstance(fused, dict)
    assert isinstance(faithful, dict)
    assert faithful["calls"] / faithful["visits"] > fused["calls"] / fused["visits"] > 0
    assert fused["dollars"] == 0
    words = cli("run", EXAMPLE, "--estimate").stdout
    assert "fused" in words
    assert "faithful" in words
    assert "nothing was asked" in words
    assert list(here.iterdir()) == []


def test_the_example_runs_with_an_endpoint_of_the_command_line(
    cli: Cli, here: Path, server: Fake
) -> None:
    told = cli("run", EXAMPLE, "--llm", server.url, "--rounds", 1, "--no-report", "--json")
    found = last(told)
    assert (found["failed"], found["refused"], found["cost"]) == (0, 0, 0)
    assert found["picks"] != 0


def test_the_command_line_wins_over_several_endpoints(cli: Cli, here: Path, server: Fake) -> None:
    (here / "own.toml").write_text(f'{TEXT}[[llm.endpoints]]\nurl = "http://127.0.0.1:9/v1"\n')
    told = cli("run", "own.toml", "--llm", server.url, "--rounds", 1, "--no-report", "--json")
    assert last(told)["failed_calls"] == 0


@pytest.mark.parametrize(
    "flags", [(), ("--llm", "{0}", "--llm", "{1}"), ("--llm", "{0},{1}")], ids=len
)
def test_the_example_of_several_servers_runs(
    cli: Cli, here: Path, serving: Serving, flags: tuple[str, ...]
) -> None:
    with serving() as one, serving() as other:
        urls = [one.url, other.url]
        text = MANY.read_text("utf-8")
        if not flags:
            for port, url in zip((8001, 8002), urls, strict=True):
                text = text.replace(f'url = "http://127.0.0.1:{port}/v1"', f'url = "{url}"')
        (here / "own.toml").write_text(text, "utf-8")
        given = [flag.format(*urls) for flag in flags]
        told = cli("run", "own.toml", "--rounds", 1, *given, "--no-report", "--out", "run")
        assert told.returncode == 0, told.stderr
        assert all(url in told.stdout.partition("by endpoint: ")[2] for url in urls)
        assert min(one.requests, other.requests) > 0


def test_an_empty_address_is_refused(cli: Cli, here: Path) -> None:
    told = cli("run", EXAMPLE, "--llm", "http://h,")
    assert told.returncode == 2
    assert "an address is empty" in told.stderr


def test_doctor_tries_every_endpoint(cli: Cli, here: Path, serving: Serving) -> None:
    with serving() as one, serving(models=("other",)) as other:
        told = cli("doctor", "--llm", one.url, "--llm", other.url)
        assert told.returncode == 2
        assert f"ok  endpoint: {one.url} answers as fake" in told.stdout
        assert f"ok  endpoint: {other.url} answers as other" in told.stdout
        assert "BAD one model: the endpoints answer as fake, other" in told.stdout


def test_doctor_tries_an_endpoint(cli: Cli, here: Path, server: Fake) -> None:
    told = cli("doctor", "--llm", server.url)
    assert told.returncode == 0
    assert f"ok  endpoint: {server.url} answers as fake" in told.stdout
    assert "ok  structured output: json_schema" in told.stdout
    assert "ok  speed at 64 at once: " in told.stdout
    assert f'url = "{server.url}"' in told.stdout
    told = cli("doctor", "--llm", server.url, "--json")
    checks = {one["what"]: one for one in json.loads(told.stdout)["checks"]}
    assert checks["models"]["found"] == "fake"


def test_doctor_tells_a_dead_endpoint(cli: Cli, here: Path) -> None:
    told = cli("doctor", "--llm", "http://127.0.0.1:9/v1")
    assert told.returncode == 2
    assert "BAD endpoint: http://127.0.0.1:9/v1 did not answer" in told.stdout
    wrong = cli("doctor", "--llm", "not a url")
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr


def test_a_killed_run_goes_on_with_the_answers_it_had(
    cli: Cli, here: Path, begin: Begin, serving: Serving
) -> None:
    with serving() as fake:
        (here / "own.toml").write_text(f'{TEXT}[llm]\nurl = "{fake.url}"\nprice = "free"\n')
        whole = last(cli("run", "own.toml", "--out", "whole", "--no-report", "--json"))
        most = fake.requests + int(str(whole["calls"])) - 3  # the last ones belong to round 3
        fake.manners = Manners(silent_after=most)
        child = begin(here, "run", "own.toml", "--out", "run", "--no-report")
        deadline = time.monotonic() + 150
        while fake.requests <= most:
            assert child.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        child.kill()
        child.communicate(timeout=150)
        assert child.returncode == -signal.SIGKILL
        fake.manners = Manners()
        with Log.open(here / "run") as log:
            assert log.complete_rounds() == 2
        kept = CallStore(here / "run" / "calls.db", read_only=True)
        asked = len(kept)
        kept.close()
        done = last(cli("resume", "run", "--no-report", "--json"))
    assert done["digest"] == whole["digest"]
    assert asked > 0
    assert int(str(done["calls"])) <= int(str(whole["calls"])) - asked
    stored = last(cli("replay", "run", "--check", "--json"))
    assert stored["reproduced"] is True


def test_a_run_in_which_minds_failed_withholds_its_verdict(
    cli: Cli, here: Path, serving: Serving
) -> None:
    with serving(faults=Faults({"refusal": 0.5})) as fake:
        (here / "own.toml").write_text(f'{TEXT}[llm]\nurl = "{fake.url}"\nprice = "free"\n')
        told = cli("run", "own.toml", "--no-report", "--out", "ill")
        plain = cli("resume", "ill", "--no-report", "--json")
        other = cli("run", "own.toml", "--no-report", "--out", "other")
    assert told.returncode == plain.returncode == other.returncode == 1
    assert "No verdict:" in told.stdout
    assert "of the decisions in ill failed" in told.stdout
    assert "nan" not in told.stdout.lower().split()
    share = json.loads(plain.stdout.splitlines()[-1])["failed_share"]
    assert 0.05 < share <= 1.0
    compared = cli("compare", "ill", "other")
    assert compared.returncode == 1
    assert "No verdict:" in compared.stdout


def test_a_run_in_which_every_mind_failed_has_no_number_that_is_none(
    cli: Cli, here: Path, serving: Serving
) -> None:
    with serving(faults=Faults({"refusal": 1.0})) as fake:
        (here / "own.toml").write_text(f'{TEXT}[llm]\nurl = "{fake.url}"\nprice = "free"\n')
        told = cli("run", "own.toml", "--no-report", "--out", "ill")
    assert told.returncode == 1
    assert "No verdict: 100% of the decisions in ill failed" in told.stdout
    assert "nan" not in told.stdout.lower()
