"""Putting something into one sentence: naming, listing, quoting as much as fits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from audience.memory.sentences import SENTENCE, shortened, tokens

LONGEST = 2_000
"""Characters of one feeling, line or post; what is longer is cut."""
_TITLE = 64
"""Bytes of a title in a sentence."""
_SENTENCES = re.compile(r"[.!?…]+[\"'”’)]*(?=\s|$)")
_CLAUSES = re.compile(
    r"(?:[,;:–—]|\s[–—-])(?=\s)(?!\s(?:but|though|although|yet|however|except|until|if|and)\b)"
)
"""Where a quote may be cut: not where its sense may turn."""
_ENDS = tuple(".!?…\"'”’)")


def title_of(title: str) -> str:
    """Return how a sentence names an item; an endless title is cut."""
    return f"<{clipped(flat(title), _TITLE)}>"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: `a, b and c`."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def fitting(wordings: Iterable[str]) -> str:
    """Return the first wording that is short enough, or else the last, cut."""
    last = ""
    for wording in wordings:
        if wording and tokens(wording) <= SENTENCE:
            return wording
        last = wording or last
    return shortened(last)


def flat(text: str) -> str:
    """Return a text on one line; what is endless is cut."""
    cut = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return " ".join(cut.split())


def clipped(text: str, most: int) -> str:
    """Return a text of at most so many bytes."""
    packed = text.encode()
    if len(packed) <= most:
        return text
    return packed[: most - 3].decode(errors="ignore").rstrip() + "…"


def ended(text: str) -> str:
    """Return words as a sentence that ends."""
    return text if text.endswith(_ENDS) else text.rstrip(" ,;:–—-") + "."


def begun(head: str, quote: str) -> str:
    """Return `head` with as much of a quote as fits, up to a full stop or a comma; or nothing."""
    for ends in (_SENTENCES, _CLAUSES):
        best = ""
        for found in ends.finditer(quote[: 8 * SENTENCE]):
            end = found.end() if ends is _SENTENCES else found.start()
            wording = head + ended(quote[:end])
            if tokens(wording) > SENTENCE:
                break
            # Two words before a comma ("Oh well,") say nothing by themselves.
            if ends is _SENTENCES or quote[:end].count(" ") > 1:
                best = wording
        if best:
            return best
    return ""


def untitled(feeling: str, title: str) -> str:
    """Return a feeling that says `it` where its sentence has named the item already."""
    said = re.sub(r",\s*" + re.escape(title) + r"(?=[.!?…])", "", feeling)
    said = said.replace(f"{title}'s", "its").replace(f"{title}’s", "its").replace(title, "it")
    return said[:1].upper() + said[1:]
