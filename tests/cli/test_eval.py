from __future__ import annotations

from collections.abc import Callable
from subprocess import CompletedProcess

from audience.cli.eval import EVALUATIONS

Cli = Callable[..., CompletedProcess[str]]


def test_every_evaluation_is_listed_and_explains_itself(cli: Cli) -> None:
    told = cli("eval", "--help").stdout
    for name, (_, words) in EVALUATIONS.items():
        assert name in told
        assert words.split()[0] in told
        assert cli("eval", name, "--help").returncode == 0


def test_an_unknown_one_is_refused(cli: Cli) -> None:
    assert cli("eval", "nothing").returncode == 2
