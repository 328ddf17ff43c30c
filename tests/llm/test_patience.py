from __future__ import annotations

from typing import Any

from tests.llm.conftest import in_virtual_time

from audience.llm import Endpoint
from audience.llm.fake import Fake
from audience.llm.fake_model import Faults, Manners
from audience.llm.openai import OpenAI
from audience.llm.patience import Patience


def test_the_deadline_counts_until_enough_is_known() -> None:
    patience = Patience(60.0)
    for number in range(15):
        patience.note("page", str(number), 1.0, answered=True)
    assert patience.seconds("page", "k") == 60.0
    patience.note("page", "15", 1.0, answered=True)
    assert patience.seconds("page", "k") == 6.0
    for number in range(16):
        patience.note("reflection", str(number), 4.0, answered=True)
    assert patience.seconds("reflection", "k") == 24.0, "each purpose takes its own time"
    assert patience.seconds("page", "k") == 6.0
    assert patience.seconds("talk", "k") == 24.0, "of which little is known, the slower ones count"


def test_patience_follows_a_server_that_becomes_slow() -> None:
    patience = Patience(60.0)
    for number in range(64):
        patience.note("page", str(number), 1.0, answered=True)
    for number in range(20):
        patience.note("page", f"late {number}", 6.0, answered=False)
    assert patience.seconds("page", "k") == 36.0


def test_who_was_given_up_is_awaited_longer_and_never_beyond_the_deadline() -> None:
    patience = Patience(60.0)
    for number in range(64):
        patience.note("page", str(number), 0.01, answered=True)
    waits = []
    for _ in range(8):
        waits.append(patience.seconds("page", "k"))
        patience.note("page", "k", waits[-1], answered=False)
    assert waits[:3] == [2.0, 4.0, 8.0]
    assert waits[-1] == 60.0
    patience.note("page", "k", 1.0, answered=True)
    assert patience.seconds("page", "k") == 2.0


def test_a_request_that_a_server_loses_is_given_up_long_before_the_deadline(wish: Any) -> None:
    async def test() -> None:
        faults = Faults(script=("hang",))
        async with Fake(Manners(latency=(1.0, 1.0))) as fast, Fake(Manners(faults=faults)) as lost:
            provider = OpenAI(Endpoint(url=fast.url, model="fake"), deadline=60.0)
            for number in range(16):
                assert (await provider.ask(wish(number))).outcome == "reply"
            provider.endpoint = Endpoint(url=lost.url, model="fake")
            reply = await provider.ask(wish(99))
            await provider.close()
        assert reply.outcome == "timeout"
        assert reply.again
        assert 2.0 <= reply.seconds < 20.0
        assert "60 s" not in reply.why

    in_virtual_time(test())
