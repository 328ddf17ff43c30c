from __future__ import annotations

import pytest

from audience.llm import asked_wait


@pytest.mark.parametrize(
    ("headers", "text", "seconds"),
    [
        ({"Retry-After": "7"}, "", 7.0),
        ({"Retry-After": "0.5"}, "", 0.5),
        ({"retry-after-ms": "250", "Retry-After": "1"}, "", 0.25),
        (
            {
                "Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT",
                "Date": "Wed, 21 Oct 2015 07:28:00 GMT",
            },
            "",
            30.0,
        ),
        ({"Retry-After": "soon"}, "", 0.0),
        ({"Retry-After": "-3"}, "", 0.0),
        ({"Retry-After": "nan"}, "", 0.0),
        ({}, "Rate limit reached. Please try again in 20ms. Visit our page.", 0.02),
        ({}, "Please try again in 1.5s.", 1.5),
        ({}, "please retry after 12 seconds", 12.0),
        ({}, "Please try again in 6m0s.", 360.0),
        ({}, "try again in 1h2m3s", 3723.0),
        ({}, '{"retryDelay": "12s"}', 12.0),
        ({}, "wait for 5 messages", 0.0),
        ({}, "Rate limit reached", 0.0),
    ],
)
def test_the_wait_is_read(headers: dict[str, str], text: str, seconds: float) -> None:
    assert asked_wait(headers, text) == pytest.approx(seconds)
