from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Cli = Callable[..., CompletedProcess[str]]


def test_the_curve_is_drawn(cli: Cli, here: Path) -> None:
    told = cli("eval", "forgetting", "--beta", "1,3", "--delta", "0.05", "--out", "g.png")
    assert told.stdout.strip() == "g.png"
    assert (here / "g.png").read_bytes().startswith(b"\x89PNG")
    assert cli("eval", "forgetting").returncode == 0
    assert (here / "forgetting.svg").is_file()


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (("--beta", "a"), "is not a list of numbers"),
        (("--beta", "0.5"), "give numbers at least 1"),
        (("--beta", "nan"), "give numbers at least 1"),
        (("--delta", "1"), "between 0 and 1"),
        (("--decay", "2"), "at most 1"),
        (("--beta", "1,2,3,4,5,6,7"), "too many to tell apart"),
        (("--out", "g.gif"), "'gif' is unknown"),
    ],
)
def test_mistakes_have_a_remedy(cli: Cli, here: Path, flags: tuple[str, ...], wanted: str) -> None:
    refused = cli("eval", "forgetting", *flags)
    assert refused.returncode == 2
    assert wanted in refused.stderr
    assert list(here.iterdir()) == []
