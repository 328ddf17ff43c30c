"""How long a sentence is, and how it is kept short."""

from __future__ import annotations

from functools import lru_cache

SENTENCE = 30
"""Tokens of a remembered sentence at most."""
_BYTES = 4


@lru_cache(maxsize=65_536)
def tokens(text: str) -> int:
    """Return about how many tokens a text takes: four bytes to one, and no fewer than its words."""
    return max(-(-len(text.encode()) // _BYTES), len(text.split()))


def shortened(text: str, most: int = SENTENCE) -> str:
    """Return a text on one line, cut at a word where it is longer than `most` tokens."""
    # What is endlessly long is cut before its words are counted.
    flat = " ".join(text[: 16 * most * _BYTES].split())
    if tokens(flat) <= most and len(text) <= 16 * most * _BYTES:
        return flat
    words = flat.split(" ")[:most]
    while len(words) > 1 and tokens(" ".join(words) + "…") > most:
        words.pop()
    cut = " ".join(words).encode()[: most * _BYTES].decode(errors="ignore")
    while tokens(cut + "…") > most:
        cut = cut[:-1]
    return cut.rstrip(" ,;:.") + "…"
