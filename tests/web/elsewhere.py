"""A server that others reach over a network, and a browser there: run in a network of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.browsers import browser
from tests.web.conftest import PATIENCE, SMALL
from tests.web.looking import looking, start_with_a_round, until

HOST = "10.9.8.7"
SETTINGS = ("link set lo up", f"addr add {HOST}/24 dev lo")
"""What gives a network in which there is nothing yet an address that is not the loopback's."""


def main(root: Path) -> None:
    for words in SETTINGS:
        subprocess.run(["ip", *words.split()], check=True)
    serve = [sys.executable, "-m", "audience", "serve", "--runs", str(root)]
    serve += ["--host", HOST, "--port", "0"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            address, _, token = child.stdout.readline().split()[-1].partition("/#token=")
            assert address.startswith(f"http://{HOST}:"), address
            with browser() as chromium:
                without(chromium, address, token)
                with_token(chromium, address, token)
        finally:
            child.terminate()
            child.wait(PATIENCE)


def without(chromium: Any, address: str, token: str) -> None:
    """Nothing is told to one who does not know the token; who types it in is let in."""
    with looking(chromium, address, lost=True) as page:
        page.get_by_role("alert").get_by_text("token is missing").wait_for()
        assert page.get_by_role("link", name="New run").count() == 1
        assert page.locator("table").count() == 0
        page.get_by_label("Token, as printed by").fill("not this one")
        page.get_by_role("button", name="Enter").click()
        page.get_by_role("alert").get_by_text("token is missing or wrong").wait_for()
        page.get_by_label("Token, as printed by").fill(token)
        page.get_by_role("button", name="Enter").click()
        page.get_by_text("No runs yet").wait_for()


def with_token(chromium: Any, address: str, token: str) -> None:
    """A run is started, steered, watched and taken away as on this machine."""
    with looking(chromium, address, f"#token={token}") as page:
        page.get_by_text("No runs yet").wait_for()
        assert token not in page.url, "it is neither shown nor shared"
        page.get_by_role("link", name="New run").first.click()
        start_with_a_round(page, SMALL)
        page.get_by_role("link", name="Measures").click()
        page.get_by_role("slider", name="Visits by round").wait_for()
        with page.expect_download() as table:
            page.get_by_role("link", name="CSV").click()
        assert Path(table.value.path()).read_text().startswith("round,")
        with page.expect_popup() as report:
            page.get_by_role("link", name="Report").click()
        report.value.get_by_text("Small").first.wait_for()
        page.get_by_role("button", name="Stop").click()
        until(page, "Stopped")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
