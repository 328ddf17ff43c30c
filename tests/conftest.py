"""Settings of all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "audience",
    deadline=None,  # shared machines are slow at times; nothing here is about time
    derandomize=True,
    max_examples=80,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("audience")
