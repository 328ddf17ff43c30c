"""Settings of the tests of faults under load."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what takes minutes as slow too, so that `-m "not slow"` leaves it out."""
    for item in items:
        if item.get_closest_marker("chaos"):
            item.add_marker(pytest.mark.slow)
