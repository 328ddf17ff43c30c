"""What an endpoint turned out to support: forms of structured output, fields, room to think."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Collection, Iterable
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from audience.llm.request import Tried

Form = Literal["json_schema", "plain_schema", "json_object", "told"]
"""How a schema is requested: enforced by the server, enforced without lengths and ranges and with
all fields required, as any JSON, or in words only."""
FORMS: tuple[Form, ...] = ("json_schema", "plain_schema", "json_object", "told")
Scores = Literal["echo", "top", "none"]
"""How options are scored: by whole continuations, by first tokens, or not at all."""

log = logging.getLogger(__name__)

_DROPPABLE = (
    "top_p",
    "temperature",
    "seed",
    "top_logprobs",
    "logprobs",
    "stop",
    "reasoning_effort",
    "encoding_format",
    "n",
)
_ALSO_CALLED = {
    "stop": "stop_?sequences",
    "seed": "random_seed",
    "reasoning_effort": "reasoning|thinking",
}
_UNWANTED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|extra|not permitted|not allowed|forbidden"
    r"|only the default|must be 1|unexpected|deprecated|not enabled|cannot find field"
    r"|cannot both be|not available|invalid (?:param|arg)"
)
_ABOUT_FORM = re.compile(r"response_format|schema|grammar|json_object|structured|guided")
_ABOUT_LENGTH = re.compile(r"max_tokens or model output limit was reached")
_AT_MOST = re.compile(r"supports at most (\d{2,7}) (?:completion|output) tokens")
_ABOUT_HEADER = re.compile(r"subscription key|api-key")

_REFUSED = frozenset({400, 404, 415, 422, 501})
_ERROR = 500
_EVIDENCE = 2
"""Requests that must fail with 500 in one form and succeed in the next to prove it unsupported."""
_ROOM, _MOST_ROOM = 2048, 16_384
"""Tokens added for thinking, at first and at most."""
_SCHEMAS = 256
_EVERY = 10**7
"""More tokens than any model writes."""


class Offers:
    """What one endpoint is known to support; nothing is assumed before it was seen."""

    def __init__(self, name: str = "", drop: Iterable[str] = ()) -> None:
        """`name` is the endpoint's, for messages; `drop`: fields that are never sent."""
        self.name = name
        self.without: set[str] = set(drop)
        """Fields that the server rejects."""
        self.form: Form | None = "told" if "response_format" in self.without else None
        self.many: bool | None = None
        """Whether one request can return several candidates."""
        self.scores: Scores | None = None
        self.lengths: dict[str, int] = {}
        """The length of a vector as text, by embedding model."""
        self.room: dict[str, int] = {}
        """Tokens added to those of an answer for thinking, by model."""
        self.most_tokens: dict[str, int] = {}
        """The most tokens that may be asked for, by model."""
        self.key_header = ""
        """The header for the key, if not `Authorization`."""
        self.learnt: list[str] = []
        """What was learnt, in words, in order."""
        self._by_schema: dict[str, Form] = {}
        self._errors: Counter[str] = Counter()
        self._evidence: Counter[tuple[str, Form]] = Counter()

    def forms(self, schema: dict[str, Any]) -> tuple[Form, ...]:
        """Return the forms in which to ask, best first."""
        start = self._by_schema.get(_name(schema)) if self._by_schema else None
        return FORMS[FORMS.index(start or self.form or FORMS[0]) :]

    def misses(self, schema: dict[str, Any], form: Form, outcome: Tried) -> bool:
        """Return True if the next form should be tried: this one was refused or not followed."""
        if outcome.outcome != "reply" and self._is_outdated(form):
            return True
        if outcome.outcome == "reply":
            unproven = self.form is None and not outcome.cut
            return unproven and not any(is_json(text) for text in outcome.texts)
        is_about_form = _ABOUT_FORM.search(outcome.why.lower()) is not None
        if outcome.status in _REFUSED:
            return self.form is None or is_about_form
        if outcome.status != _ERROR:
            return False
        if self.form is None or is_about_form:
            return True
        # A form that works for others may still be too much for this schema.
        if len(self._errors) > _SCHEMAS:
            self._errors.clear()
        self._errors[_name(schema)] += 1
        return self._errors[_name(schema)] > _EVIDENCE

    def _is_outdated(self, form: Form) -> bool:
        """Return True if a form was given up while a request in it was under way."""
        return self.form is not None and FORMS.index(form) < FORMS.index(self.form)

    def settle(self, schema: dict[str, Any], form: Form, refusal: Tried | None) -> None:
        """Note the form of an answer, and how the first form was refused, if it was."""
        if refusal is None:
            if self._errors:
                self._errors.pop(_name(schema), None)
            self.form = self.form or form
            return
        if refusal.status == _ERROR and self.form != form:
            where = "" if self.form is None else _name(schema)
            self._evidence[where, form] += 1
            if self._evidence[where, form] < _EVIDENCE:
                return
        before = self._by_schema.get(_name(schema)) or self.form
        if before and FORMS.index(before) >= FORMS.index(form):
            return
        if self.form is None or refusal.status != _ERROR:
            self.form = form
        elif len(self._by_schema) < _SCHEMAS:
            self._by_schema[_name(schema)] = form
        self._tell(f"schemas are sent as {form}, since {_cause(refusal)}")

    def learn(self, status: int, text: str, sent: Collection[str], model: str = "") -> bool:
        """Note what a server rejects of the fields sent; return True if that is new."""
        if status not in (400, 403, 422):
            return False
        text = text.lower().replace("\\", "")
        most = _AT_MOST.search(text)
        if most and int(most[1]) < self.most_tokens.get(model, _EVERY):
            self.most_tokens[model] = int(most[1])
            self._tell(f"at most {most[1]} tokens are asked for")
            return True
        if not _UNWANTED.search(text):
            return False
        # What a scenario's own `body` sets is sent whatever the server says.
        ours = set(sent) - self.without
        if "max_completion_tokens" in text and "max_tokens" in ours:
            self._drop("max_tokens", "max_completion_tokens is sent instead of max_tokens")
            return True
        for name in _DROPPABLE:
            if name in ours and _mentions(text, name):
                self._drop(name, f"{name} is left out")
                if name.endswith("logprobs"):
                    self.without |= {"logprobs", "top_logprobs"}
                    self.scores = self.scores or "none"
                return True
        return False

    def learn_header(self, status: int, text: str) -> bool:
        """Note that the key is expected in the header `api-key`; return True if that is new."""
        if status != 401 or self.key_header or not _ABOUT_HEADER.search(text.lower()):
            return False
        self.key_header = "api-key"
        self._tell("the key is sent in the header api-key")
        return True

    def give_room(self, model: str, given: int) -> bool:
        """Give a model more tokens for thinking than `given`; return False if it has the most."""
        now = self.room.get(model, 0)
        if now > given:
            return True
        if now >= _MOST_ROOM:
            return False
        self.room[model] = 2 * now or _ROOM
        self._tell(f"{self.room[model]:,} tokens more are allowed, which {model} uses to think")
        return True

    def _drop(self, name: str, words: str) -> None:
        self.without.add(name)
        self._tell(words)

    def _tell(self, words: str) -> None:
        self.learnt.append(words)
        log.warning("%s: from now on %s", self.name, words)


def out_of_room(status: int, text: str) -> bool:
    """Return True if a server says that thinking left no room for an answer."""
    return status == 400 and _ABOUT_LENGTH.search(text.lower()) is not None


def is_json(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict | list)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _mentions(text: str, name: str) -> bool:
    names = f"{name}|{_ALSO_CALLED[name]}" if name in _ALSO_CALLED else name
    if len(name) > 4:
        return re.search(rf"\b(?:{names})\b", text) is not None
    # Short names are common words: they count only in quotes or near "parameter".
    word = r"\b(?:parameters?|arguments?|field)\b"
    near = rf"{word}[^.]{{0,40}}\b(?:{names})\b|\b(?:{names}) {word}"
    return re.search(rf"['\"`](?:{names})['\"`]|{near}", text) is not None


def _name(schema: dict[str, Any]) -> str:
    encoded = msgspec.json.encode(schema, order="deterministic")
    return blake2b(encoded, digest_size=8).hexdigest()


def _cause(refusal: Tried) -> str:
    if refusal.outcome == "reply":
        return "the answer did not follow the form before"
    return f"the form before was answered with status {refusal.status}"


_LIMITS = frozenset(
    "minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum "
    "multipleOf minItems maxItems uniqueItems minProperties maxProperties default".split()
)


def without_limits(schema: Any) -> Any:  # noqa: ANN401
    """Return a schema that every strict server takes.

    It has no lengths, ranges or patterns; objects are closed, with all fields required, and those
    that were optional may be null.
    """
    if isinstance(schema, list):
        return [without_limits(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {
        name: value if name in ("enum", "const", "required") else without_limits(value)
        for name, value in schema.items()
        if name not in _LIMITS
    }
    fields = schema.get("properties")
    if not isinstance(fields, dict):
        return plain
    required = schema.get("required", ())
    plain["properties"] = {
        name: without_limits(field) if name in required else _optional(without_limits(field))
        for name, field in fields.items()
    }
    return {**plain, "required": list(fields), "additionalProperties": False}


def is_plain(schema: dict[str, Any]) -> bool:
    """Return True if a schema has nothing that `without_limits` changes."""
    return bool(without_limits(schema) == schema)


def _optional(field: dict[str, Any]) -> dict[str, Any]:
    kind = field.get("type")
    if isinstance(kind, str) and "enum" not in field:
        return {**field, "type": [kind, "null"]}
    return {"anyOf": [field, {"type": "null"}]}
