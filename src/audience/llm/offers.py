"""What an endpoint turned out to offer, found on first use and remembered."""

from __future__ import annotations

import re
from typing import Literal

Form = Literal["json_schema", "json_object", "told"]
"""How a schema is asked for: enforced by the server, as any JSON, or in words alone."""
FORMS: tuple[Form, ...] = ("json_schema", "json_object", "told")
Scores = Literal["echo", "top", "none"]
"""How options are scored: whole continuations, their first tokens, or not at all."""

_DROPPABLE = (
    "temperature",
    "top_p",
    "seed",
    "n",
    "logprobs",
    "top_logprobs",
    "stop",
    "encoding_format",
)
_UNWANTED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|extra|not permitted|not allowed"
    r"|only the default|must be 1|unexpected"
)
_ABOUT_FORM = re.compile(r"response_format|schema|grammar|json_object|structured")


class Offers:
    """The memory of one endpoint's abilities. Nothing is assumed before it was seen."""

    def __init__(self) -> None:
        self.form: Form | None = None
        self.many: bool | None = None
        """Whether several candidates come from one request."""
        self.scores: Scores | None = None
        self.without: set[str] = set()
        """Fields that the server will not have."""
        self.lengths: dict[str, int] = {}
        """How long a vector is, as text, by embedding model."""

    def forms(self) -> tuple[Form, ...]:
        """Return the forms to try, best first."""
        return FORMS[FORMS.index(self.form) :] if self.form else FORMS

    def refused_form(self, status: int, text: str) -> bool:
        """Say whether a failure may be due to how the schema was asked for."""
        if status not in (400, 404, 415, 422, 501):
            return False
        return self.form is None or _ABOUT_FORM.search(text.lower()) is not None

    def learn(self, status: int, text: str) -> bool:
        """Take a field off the list that a server complains of; say whether that is news."""
        if status not in (400, 422):
            return False
        text = text.lower()
        if "max_completion_tokens" in text and "max_tokens" not in self.without:
            self.without.add("max_tokens")
            return True
        if not _UNWANTED.search(text):
            return False
        for name in _DROPPABLE:
            # Short names are words of every sentence: they count in quotes alone.
            mention = rf"\b{name}\b" if len(name) > 4 else rf"['\"`]{name}['\"`]"
            if name not in self.without and re.search(mention, text):
                self.without.add(name)
                return True
        return False
