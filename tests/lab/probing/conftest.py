"""People to be played, and gateways that answer by a script."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from audience.lab.probing import Asker, Probed, Work, probe, town_of
from audience.lab.probing.town import Town
from audience.llm import Reply, Request
from audience.scenario import Models, SpendingOptions

Says = Callable[[Request], str | None]
Scores = Callable[[Request], tuple[float, ...]]


class Scripted:
    """Says what a function makes of a request; None is a refusal. It keeps what it was asked."""

    def __init__(self, says: Says, scores: Scores | None = None) -> None:
        self.says, self.scores = says, scores
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        text = self.says(request)
        if text is None:
            return Reply(request.key, "refusal", why="no", model="scripted")
        scores = self.scores(request) if self.scores and request.options else ()
        return Reply(request.key, "reply", (text,), model="scripted", scores=scores)

    async def close(self) -> None: ...

    def asker(self, seed: int = 1) -> Asker:
        return Asker(self, seed=seed)


@pytest.fixture(scope="session")
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture(scope="session")
def town() -> Town:
    return town_of("films", 12, 1)


@pytest.fixture
def probed(tmp_path: Path) -> Callable[..., Probed]:
    """Return what probes an endpoint and keeps its calls in a folder of the test."""

    def run(work: Work, url: str, *, out: str = "out", calls: str = "reuse") -> Probed:
        return probe(
            "test",
            work,
            dataset="films",
            people=12,
            models=Models(url=url),
            spending=SpendingOptions(calls=calls),
            out=tmp_path / out,
        )

    return run
