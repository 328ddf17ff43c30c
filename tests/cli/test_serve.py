"""`audience serve` in a process of its own."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, Popen

from audience.runs import start
from audience.scenario import parse

Cli = Callable[..., CompletedProcess[str]]
Begin = Callable[..., "Popen[str]"]
ADDRESS = re.compile(r"Audience is at (http://[^/]+)/#token=(\S+)")


def served(child: Popen[str]) -> tuple[str, str]:
    assert child.stdout is not None
    found = ADDRESS.match(child.stdout.readline())
    assert found, child.communicate()
    return found[1], found[2]


def asked(address: str, path: str) -> dict[str, object]:
    with urllib.request.urlopen(f"{address}/api{path}", timeout=150) as answer:
        found: dict[str, object] = json.load(answer)
        return found


def test_a_run_is_served_and_the_server_stops_when_asked(
    begin: Begin, here: Path, one: Path
) -> None:
    child = begin(here, "serve", one, "--port", 0)
    address, token = served(child)
    session = asked(address, "/session")
    assert (session["token"], session["opened"]) == (token, "one")
    assert asked(address, "/runs/one")["state"] == "finished"
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=150)
    assert child.returncode in (0, 130)
    assert "Traceback" not in errors


def test_an_interview_under_way_does_not_keep_the_server_from_ending(
    begin: Begin, here: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes questions and never answers
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        text = f"agents = 5\nrounds = 1\n[llm]\nurl = '{url}'\nmodel = 'silent'\n"
        start(parse(text), 1, here / "runs" / "one")
        child = begin(here, "serve", here / "runs" / "one", "--port", 0)
        address, token = served(child)
        body = json.dumps({"everyone": True, "question": "Why?"}).encode()
        head = {"X-Audience-Token": token, "Content-Type": "application/json"}
        request = urllib.request.Request(f"{address}/api/runs/one/ask", body, head)
        with urllib.request.urlopen(request, timeout=150) as answer:
            assert answer.status == 202
        silent.accept()[0].close()  # the first question has come; its end is asked again
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    assert child.returncode in (0, 130)
    assert "Traceback" not in errors


def test_a_scenario_is_offered(begin: Begin, here: Path) -> None:
    (here / "mine.toml").write_text("title = 'Mine'\nagents = 9\n")
    child = begin(here, "serve", "mine.toml", "--port", 0, "--runs", "kept")
    address, _ = served(child)
    with urllib.request.urlopen(f"{address}/api/scenarios", timeout=150) as answer:
        names = [offered["name"] for offered in json.load(answer)]
    assert "mine" in names
    assert (here / "kept").is_dir()


def test_what_cannot_be_served_is_told(cli: Cli, here: Path, one: Path) -> None:
    assert cli("serve", "nowhere").returncode == 2
    found = cli("serve", one, "--runs", "elsewhere")
    assert (found.returncode, "is not inside" in found.stderr) == (2, True)
    (here / "broken.toml").write_text("agentz = 3\n")
    found = cli("serve", "broken.toml", "--port", 0)
    assert (found.returncode, "agentz" in found.stderr) == (2, True)
    for empty in ("", " ", "[]"):
        found = cli("serve", "--host", empty, "--port", 0)
        assert (found.returncode, "0.0.0.0" in found.stderr) == (2, True)
    found = cli("serve", "--port", 0, "--offer", "nothing.toml")
    assert (found.returncode, "nothing.toml" in found.stderr) == (2, True)
    found = cli("serve", "--host", "256.0.0.1", "--port", 0)
    assert (found.returncode, "--host 256.0.0.1" in found.stderr) == (2, True)


def test_without_its_packages_the_rest_works_and_says_what_is_missing(here: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['fastapi'] = sys.modules['uvicorn'] = None\n"
        "from audience.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    words = [sys.executable, "-c", code]
    found = subprocess.run([*words, "serve"], capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "pip install 'audience[web]'" in found.stderr
    found = subprocess.run([*words, "runs"], capture_output=True, text=True, check=False)
    assert found.returncode == 0
