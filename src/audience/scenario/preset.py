"""Presets: scenarios of published systems that come with the package, found by their names."""

from __future__ import annotations

from importlib.resources import files

from audience.errors import unknown

PRESETS = ("recagent", "agent4rec", "s3-gender", "s3-waste-water")


def preset_text(name: str) -> str:
    """Return the TOML text of a preset."""
    if name not in PRESETS:
        raise unknown("preset", name, PRESETS)
    return (files("audience.scenario") / "presets" / f"{name}.toml").read_text("utf-8")
