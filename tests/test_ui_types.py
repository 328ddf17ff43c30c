"""What the page believes an event to be is what the log writes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import get_args

import msgspec

from audience.world import events as e

TOOL = Path(__file__).parent.parent / "tools" / "ui_types.py"


def test_the_types_of_the_page_are_those_of_the_events() -> None:
    spec = importlib.util.spec_from_file_location("ui_types", TOOL)
    assert spec
    assert spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    text = tool.generated()
    assert tool.TARGET.read_text("utf-8") == text, "run python tools/ui_types.py"
    for kind in get_args(e.AnyEvent):
        fields = ", ".join(f'"{field.name}"' for field in msgspec.structs.fields(kind))
        assert f"  {kind.__name__}: [{fields}]," in text
    assert 'Intervened = [tag: "Intervened", change: AnyChange' in text
