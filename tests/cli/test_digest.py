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


def test_a_round_that_is_not_there_has_no_digest(cli: Cli, one: Path) -> None:
    refused = cli("digest", one, "--at", 9)
    assert refused.returncode == 2
    assert "--at 9: one has complete rounds 1 to 4" in refused.stderr
