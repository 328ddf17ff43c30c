"""The page on which people judge: one HTML file that asks nothing of the network."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template

import msgspec

from audience.errors import BadInput
from audience.experiments.judging.kinds import SHEET, VERSION, Sheet

_BEGIN, _END = '<script type="application/json" id="sheet">', "</script>"


def page_of(sheet: Sheet) -> str:
    """Return the whole page. Its policy forbids every request, and every script but its own."""
    style, script = _part("page.css"), _part("page.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    told = msgspec.json.encode(sheet).decode().replace("<", "\\u003c").replace("&", "\\u0026")
    parts = {"policy": policy, "style": style, "sheet": told, "script": script}
    return Template(_part("page.html")).substitute(parts)


def sheet_in(path: Path) -> Sheet:
    """Return the tasks that a page holds."""
    try:
        text = path.read_text("utf-8")
        begin = text.index(_BEGIN) + len(_BEGIN)
        sheet = msgspec.json.decode(text[begin : text.index(_END, begin)], type=Sheet)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, msgspec.MsgspecError) as error:
        raise BadInput(
            f"{path} is no page of tasks; give one that `audience eval people make` wrote"
        ) from error
    if sheet.format != SHEET or sheet.version > VERSION:
        raise BadInput(f"{path} was made by a newer version of audience; use that one")
    return sheet


def _part(name: str) -> str:
    return files("audience.experiments.judging").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
