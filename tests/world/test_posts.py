from __future__ import annotations

from audience.world import SYSTEM, post_id, sent


def test_a_message_tells_when_and_by_whom_it_was_sent() -> None:
    assert sent(post_id(3, 17, 0)) == (3, 17)
    assert sent(post_id(12, SYSTEM, 2)) == (12, SYSTEM)
    assert post_id(12, SYSTEM, 2) == "12.system.2"


def test_an_id_of_another_kind_comes_from_nobody() -> None:
    assert sent("hello") == (0, SYSTEM)
    assert sent("") == (0, SYSTEM)
