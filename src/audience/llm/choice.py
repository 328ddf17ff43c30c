"""Which of some options a model chooses: by log-probabilities if it gives them, else by words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import msgspec

from audience.llm.lenient_json import Unreadable
from audience.llm.request import Reply
from audience.llm.structured import unanswered

_MARK = re.compile(r"[\W_]*([^\W_]+)(?:[\W_]*|[.):,\n-].*)", re.DOTALL)
_WORD = re.compile(r"[^\W_]+")


class OptionChoice(msgspec.Struct, frozen=True):
    """Which of some options a model chooses."""

    place: int | None
    """None if the answer names none, or several."""
    shares: tuple[float, ...] = ()
    """The probability of each option, if the endpoint gives log-probabilities."""

    def share(self, option: int) -> float | None:
        """Return the share of an option: its probability, else all or nothing."""
        if self.shares:
            return self.shares[option]
        return None if self.place is None else float(self.place == option)


def choice_in(
    reply: Reply, options: Sequence[str], temperature: float = 1.0
) -> OptionChoice | Unreadable:
    """Return the choice that a reply to a request with options makes.

    A lower `temperature` gives more to what is likely already.
    """
    if wrong := unanswered(reply):
        return wrong
    if len(reply.scores) == len(options):
        shares = softmax([score / temperature for score in reply.scores])
        return OptionChoice(shares.index(max(shares)), shares)
    return OptionChoice(named(reply.text, options))


def softmax(scores: Sequence[float]) -> tuple[float, ...]:
    """Return log-probabilities as shares of one."""
    highest = max(scores)
    weights = [math.exp(max(score - highest, -700.0)) for score in scores]
    return tuple(weight / sum(weights) for weight in weights)


def named(text: str, options: Sequence[str]) -> int | None:
    """Return the only option that a text names; None if it names none or several."""
    places = {option.casefold(): place for place, option in enumerate(options)}
    first = _MARK.fullmatch(text.strip())
    if first and first[1].casefold() in places:
        return places[first[1].casefold()]
    words = (word for word in _WORD.finditer(text) if word[0].casefold() in places)
    matches = {places[word[0].casefold()] for word in words if not _is_prose(word, text)}
    return matches.pop() if len(matches) == 1 else None


def _is_prose(word: re.Match[str], text: str) -> bool:
    """Return True if a letter is a word of the sentence: lower case, or an article."""
    if len(word[0]) > 1:
        return False
    article = word[0] == "A" and re.match(r"\s+[^\W\d_]", text[word.end() :]) is not None
    return word[0].islower() or article
