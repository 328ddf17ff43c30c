from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from audience.log import Log

Cli = Callable[..., CompletedProcess[str]]


def test_the_digest_is_that_of_the_log(cli: Cli, one: Path) -> None:
    with Log.open(one) as log:
        assert cli("digest", one).stdout == f"{log.digest()}\n"
        assert cli("digest", one, "--at", 2).stdout == f"{log.digest(upto_round=2)}\n"
        assert log.digest() != log.digest(upto_round=2)
