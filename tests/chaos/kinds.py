"""The ways in which a hostile model server misbehaves, each as the bytes that it sends.

A kind is a function of the good answer that an honest server would have given.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import orjson

Then = Literal["keep", "close", "abort", "hang", "drip", "endless"]
"""What follows the bytes: another request, an end, a broken connection, silence, a byte now and
then, or the same bytes for ever."""


class Act(NamedTuple):
    """The bytes of a response, and what the server does after them."""

    sent: bytes
    then: Then = "keep"
    more: bytes = b""
    """What is dripped or repeated."""


Answer = dict[str, Any]
Kind = Callable[[Answer], Act]
JSON = "application/json"


def http(
    body: bytes | str,
    status: int | str = 200,
    headers: Iterable[str] = (),
    *,
    length: int | str | None = None,
    content: str = JSON,
) -> bytes:
    """Return a response with its head."""
    body = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Type: {content}", *headers]
    if length != "none":
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def honest(answer: Answer) -> Act:
    """Return the good answer."""
    return Act(http(orjson.dumps(answer)))


def _error(status: int, message: str = "No.", *headers: str, **fields: object) -> Kind:
    body = orjson.dumps({"error": {"message": message, "code": status, **fields}})
    return lambda answer: Act(http(body, status, headers))


def _raw(body: bytes | str, **head: Any) -> Kind:
    return lambda answer: Act(http(body, **head))


def _with(**fields: object) -> Kind:
    """Return the kind that replaces some fields of the body."""
    return lambda answer: Act(http(orjson.dumps({**answer, **fields})))


def _usage(value: str) -> Kind:
    """Return the kind that counts so many tokens, given as JSON."""

    def act(answer: Answer) -> Act:
        body = orjson.dumps({key: part for key, part in answer.items() if key != "usage"})
        names = ("prompt_tokens", "completion_tokens", "prompt_cache_hit_tokens")
        listed = ",".join(f'"{name}":{value}' for name in names)
        return Act(http(body[:-1] + f',"usage":{{{listed}}}}}'.encode()))

    return act


def _choice(**fields: object) -> Kind:
    """Return the kind that replaces fields of the first choice."""

    def act(answer: Answer) -> Act:
        choices = [{**answer["choices"][0], **fields}]
        return Act(http(orjson.dumps({**answer, "choices": choices})))

    return act


def _message(**fields: object) -> Kind:
    """Return the kind that replaces fields of the first message."""
    return lambda answer: _choice(message={**answer["choices"][0]["message"], **fields})(answer)


def _said(change: Callable[[str], str]) -> Kind:
    """Return the kind that changes the text of the answer."""

    def act(answer: Answer) -> Act:
        text = answer["choices"][0]["message"]["content"]
        return _message(content=change(text))(answer)

    return act


def _indexed(answer: Answer) -> Act:
    first = answer["choices"][0]
    odd: tuple[object, ...] = ("one", None, [3], {"at": 1}, True, 1e300)
    choices = [{**first, "index": index} for index in odd]
    return Act(http(orjson.dumps({**answer, "choices": choices})))


def _twice(answer: Answer) -> Act:
    body = orjson.dumps(answer)
    return Act(http(body[:-1] + b',"choices":[],"usage":null}'))


def _half(answer: Answer) -> Act:
    body = orjson.dumps(answer)
    return Act(http(body[: len(body) // 2]))


def _broken_off(then: Then) -> Kind:
    def act(answer: Answer) -> Act:
        whole = http(orjson.dumps(answer))
        return Act(whole[: len(whole) - 40], then)

    return act


def _lengthy(length: int | str, then: Then = "close") -> Kind:
    return lambda answer: Act(http(orjson.dumps(answer), length=length), then)


def _preceded(lines: bytes) -> Kind:
    return lambda answer: Act(lines + honest(answer).sent)


def _packed(pack: Callable[[bytes], bytes], name: str) -> Kind:
    return lambda answer: Act(
        http(pack(orjson.dumps(answer)), headers=[f"Content-Encoding: {name}"])
    )


@lru_cache
def bomb(name: str) -> bytes:
    """Return 256 MB of blanks, packed into 250 kB."""
    packer = zlib.compressobj(9, wbits=31 if name == "gzip" else 15)
    blanks = b" " * 2**20
    parts = [packer.compress(blanks) for _ in range(256)]
    return b"".join([*parts, packer.flush()])


def _bombed(name: str) -> Kind:
    return lambda answer: Act(http(bomb(name), headers=[f"Content-Encoding: {name}"]))


_CHUNKED = "Transfer-Encoding: chunked"
_WITHOUT_END = http("", headers=[_CHUNKED], length="none")
_DEEP = 5_000

STATUSES: dict[str, Kind] = {
    f"status-{status}": _error(status)
    for status in (
        *(400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 413, 415, 418, 421, 422, 425),
        *(429, 431, 451, 500, 501, 502, 503, 504, 507, 520, 529, 599),
    )
}
OTHER_ANSWERS: dict[str, Kind] = {
    "filter": _error(400, "filtered", type="content_filter"),
    "quota": _error(429, "insufficient_quota"),
    "no-content": lambda answer: Act(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "partial": lambda answer: Act(http(orjson.dumps(answer), 206)),
    "status-999": _raw("{}", status=999),
    "moved-away": _raw("", status=301, headers=["Location: http://127.0.0.1:9/v1"]),
    "moved-here": _raw("", status=307, headers=["Location: /v1/chat/completions"]),
    "moved-nowhere": _raw("", status=308),
    "see-other": _raw("", status=303, headers=["Location: file:///etc/hostname"]),
    "wait-blanks": lambda answer: Act(http("wait" + " " * 20_000 + "x", 429)),
    "wait-digits": lambda answer: Act(http("wait " + "9" * 20_000, 429)),
    **{
        f"wait-{place}": _error(429, "Later.", f"Retry-After: {after}")
        for place, after in enumerate(
            (
                *("1e308", "-5", "nan", "inf", "soon", "9" * 400, "1e8", "86400", "60"),
                "Fri, 31 Dec 9999 23:59:59 GMT",
            )
        )
    },
    "wait-said": _error(429, "Please try again in 99999999999999 hours"),
    "learn-nothing": _error(400, f"supports at most {'9' * 5000} completion tokens"),
    "learn-one": _error(400, "supports at most 1 completion tokens"),
    "error-nested": lambda answer: Act(
        http(b'{"error":{"message":' + b"[" * 900 + b"]" * 900 + b"}}", 500)
    ),
}
BODIES: dict[str, Kind] = {
    "empty": _raw(""),
    "blank": _raw(" " * 100_000),
    "html": _raw("<html>502</html>", content="text/html"),
    "wrong-type": lambda answer: Act(http(orjson.dumps(answer), content="image/png")),
    "wrong-charset": lambda answer: Act(
        http(orjson.dumps(answer), content=f"{JSON}; charset=utf-7")
    ),
    "binary": _raw(bytes(range(256)) * 8),
    "utf-16": lambda answer: Act(http(orjson.dumps(answer).decode().encode("utf-16"))),
    "marked": lambda answer: Act(http(b"\xef\xbb\xbf" + orjson.dumps(answer))),
    "null": _raw("null"),
    "number": _raw("1e999"),
    "list": _raw('[{"choices": 1}]'),
    "half": _half,
    "twice": _twice,
    "nan": _with(created=None, usage=None, choices=[{"message": {"content": "NaN"}}]),
    "surrogate": _raw('{"choices":[{"message":{"content":"\\ud800 {}"}}]}'),
    "nested-lists": _raw("[" * 100_000),
    "nested-choices": _raw('{"choices":' + "[" * 900 + "]" * 900 + "}"),
    "no-choices": _with(choices=[]),
    "choices-null": _with(choices=None),
    "choices-object": _with(choices={"0": {}}),
    "choices-words": _with(choices=["one", 2, None]),
    "choices-odd-index": _indexed,
    "choices-many": lambda answer: Act(http('{"choices":[' + "{}," * 900_000 + "{}]}")),
    "error-within": _raw('{"error": {"message": "overloaded"}}'),
    "model-list": _with(model=["a", "b"]),
    "model-long": _with(model="m" * 1_000_000),
    "model-control": _with(model="\x1b[2Jm\u202eodel\x00"),
    **{
        f"usage-{place}": _usage(value)
        for place, value in enumerate(
            (
                *(str(2**62), str(2**63), str(2**64), "1e300", "-1", "-1e300", "0.5", "true"),
                *('"12"', "[1]", "{}", "null", "9" * 400),
            )
        )
    },
}
MESSAGES: dict[str, Kind] = {
    "message-null": _choice(message=None),
    "message-list": _choice(message=[1]),
    "content-null": _message(content=None),
    "content-number": _message(content=12),
    "content-parts": _message(content=[{"text": 5}, "x", None, {"text": {"a": []}}]),
    "content-many-parts": _message(content=[{"text": ""}] * 200_000),
    "content-object": _message(content={"text": "browse"}),
    "content-empty": _message(content=""),
    "content-blank": _message(content=" \n" * 2_000),
    "refusal": _message(content=None, refusal="I cannot do that."),
    "refusal-nested": _message(content=None, refusal=[[[["no"]]]]),
    "finish-filter": _choice(finish_reason="content_filter"),
    "finish-list": _choice(finish_reason=["stop"]),
    "finish-length": _choice(finish_reason="length"),
    "scores-odd": _choice(logprobs={"content": [{"top_logprobs": [{"token": 1, "logprob": "x"}]}]}),
    "fenced": _said(lambda text: f"Sure!\n```json\n{text}\n```\n"),
    "zero-width": _said(lambda text: "\u200b\ufeff" + text.replace("{", "{\u200b")),
    "control": _said(lambda text: "\x1b[31m\x07" + text + "\x00"),
    "two-answers": _said(lambda text: '{"do": "browse"} or {"do": "close"}'),
    "schema": _said(lambda text: '{"$schema": "x", "properties": {"do": {"enum": ["browse"]}}}'),
    "not-a-number": _said(lambda text: '{"do": NaN, "picks": [Infinity], "next": -Infinity}'),
    "off-page": _said(lambda text: '{"picks": [{"place": 999999}], "next": "leave"}'),
    "double-keys": _said(lambda text: '{"do": "browse", "do": "close"}'),
    "deep-text": _said(lambda text: '{"do":' * _DEEP + "1" + "}" * _DEEP),
    "deep-list": _said(lambda text: "[" * 90_000),
    "open-quotes": _said(lambda text: '{"do": "' + '" x' * 30_000),
    "open-objects": _said(lambda text: "{ " * 45_000),
    "open-thoughts": _said(lambda text: "<think>" * 12_000),
    "cut-text": _said(lambda text: text[: len(text) // 2]),
    "long-text": _said(lambda text: text + " " + "word " * 40_000),
    "long-why": _said(lambda text: '{"do": "close", "why": "' + "so " * 30_000 + '"}'),
    "long-number": _said(lambda text: '{"do": ' + "9" * 20_000 + "}"),
    "commands": _said(lambda text: "'; DROP TABLE calls; -- <script>alert(1)</script>"),
}
TRANSPORT: dict[str, Kind] = {
    "no-bytes": lambda answer: Act(b"", "close"),
    "reset": lambda answer: Act(b"", "abort"),
    "cut-off": _broken_off("close"),
    "cut-hard": _broken_off("abort"),
    "too-short": _lengthy(10),
    "too-long": _lengthy(10_000_000),
    "length-negative": _lengthy(-1),
    "length-words": _lengthy("many"),
    "length-huge": _lengthy("9" * 30),
    "two-lengths": lambda answer: Act(
        http(orjson.dumps(answer), headers=["Content-Length: 3"]), "close"
    ),
    "chunks-broken": lambda answer: Act(_WITHOUT_END + b"zz\r\nabc\r\n", "close"),
    "chunks-open": lambda answer: Act(_WITHOUT_END + b"5\r\nabcde\r\n", "close"),
    "headers-many": _raw("{}", headers=[f"X-{n}: {n}" for n in range(20_000)]),
    "header-long": _raw("{}", headers=["X-Long: " + "x" * 1_000_000]),
    "header-control": _raw("{}", headers=["X-Odd: a\x00b"]),
    "cookies": lambda answer: Act(
        http(orjson.dumps(answer), headers=[f"Set-Cookie: c{n}={n}" for n in range(50)])
    ),
    "continue": _preceded(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "hints": _preceded(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 200),
    "switching": lambda answer: Act(b"HTTP/1.1 101 Switching Protocols\r\n\r\n\x00\x01", "close"),
    "no-http": lambda answer: Act(b"ERR unknown command\r\n\r\n", "close"),
    "http-2": lambda answer: Act(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00", "close"),
    "gzip": _packed(gzip.compress, "gzip"),
    "deflate": _packed(zlib.compress, "deflate"),
    "gzip-cut": _packed(lambda body: gzip.compress(body)[:-20], "gzip"),
    "gzip-false": _packed(lambda body: body, "gzip"),
    "gzip-bomb": _bombed("gzip"),
    "deflate-bomb": _bombed("deflate"),
    "brotli": _packed(lambda body: b"\x0b\x02\x80" + body, "br"),
    "unknown-packing": _packed(lambda body: body, "zip, x"),
    "large": _with(padding="x" * 8_000_000),
    "endless": lambda answer: Act(http("{", length="none"), "endless", b" " * 65_536),
    "endless-chunks": lambda answer: Act(
        _WITHOUT_END, "endless", b"10000\r\n" + b" " * 65_536 + b"\r\n"
    ),
}
SLOW: dict[str, Kind] = {
    "silent": lambda answer: Act(b"", "hang"),
    "silent-after-head": lambda answer: Act(http("", length=500), "hang"),
    "drip": lambda answer: Act(http("", length=100_000), "drip", b" "),
    "drip-head": lambda answer: Act(b"HTTP/1.1 200 OK\r\n", "drip", b"X: 1\r\n"),
}
"""Kinds that only a deadline ends."""
KINDS = STATUSES | OTHER_ANSWERS | BODIES | MESSAGES | TRANSPORT | SLOW
ROOM = ("finish-length",)
"""Kinds that make a model be given more tokens, for whoever asks next too."""
