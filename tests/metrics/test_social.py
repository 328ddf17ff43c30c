from __future__ import annotations

from audience.metrics import Metrics


def test_counts(measured: Metrics) -> None:
    value = measured.value()
    assert (value["posts"], value["forwards"]) == (1.0, 1.0)
    assert (value["lines"], value["chats"]) == (4.0, 2.0)
    assert value["delivered"] == 3.0
    assert (value["refused"], value["failed"]) == (1.0, 1.0)


def test_a_round_alone(measured: Metrics) -> None:
    first, second = measured.by_round()
    assert (first["posts"], first["chats"]) == (0.0, 0.0)
    assert (second["posts"], second["chats"]) == (1.0, 2.0)
