"""How strongly a text is worded, without a model: a short list of words of our own."""

from __future__ import annotations

import re
from functools import lru_cache

MODERATE = frozenset(
    "afraid angry annoyed anxious concerned cross disappointed excited glad grateful happy hope "
    "hopeful moved moves proud sad sorry touched uneasy unfair unhappy upset worried worries worry "
    "wrong pleased relieved nervous bitter".split()
)
INTENSE = frozenset(
    "appalled appalling awful delighted devastated disaster disgrace disgraceful disgusted "
    "disgusting enraged furious hate heartbroken horrified horrible infuriating love outrage "
    "outraged outrageous overjoyed panic rage scandal scandalous shame shameful shocked shocking "
    "terrible terrified thrilled unacceptable unbearable unforgivable wonderful".split()
)
_WORD = re.compile(r"[^\W\d_]+")
_LONGEST = 4_000


@lru_cache(maxsize=8192)
def tone(text: str) -> float:
    """Return 0, 0.5 or 1 for calm, moderate or intense wording.

    A strong word makes a text intense, as does a milder one with an exclamation mark; a mild word
    or an exclamation mark alone makes it moderate.
    """
    part = text[:_LONGEST]
    words = {word.lower() for word in _WORD.findall(part)}
    if words & INTENSE:
        return 1.0
    mild, loud = bool(words & MODERATE), "!" in part
    return 0.5 * (mild + loud)
