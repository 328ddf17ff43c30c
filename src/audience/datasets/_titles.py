"""Titles as MovieLens writes them, and as people say them."""

from __future__ import annotations

import re

_YEAR = re.compile(r"\s*\((\d{4})(?:[-–]\d{0,4})?\)\s*$")
_ARTICLE = re.compile(
    r"^(.*?), (The|A|An|Les|Le|La|L'|Il|I|Lo|Gli|Der|Die|Das|El|Los|Las|De|Det|Den|Het|O|Os)"
    r"((?: \(.*\))?)$"
)


def title_of(text: str) -> tuple[str, int | None]:
    """Return title and year of such as `Matrix, The (1999)`."""
    found = _YEAR.search(text)
    title = text[: found.start()] if found else text.strip()
    year = int(found[1]) if found else None
    moved = _ARTICLE.match(title)
    if moved:
        gap = "" if moved[2].endswith("'") else " "
        title = f"{moved[2]}{gap}{moved[1]}{moved[3]}"
    return title, year
