"""Endpoints: where a model answers, what it turned out to offer, and the keys it asks for."""

from __future__ import annotations

import ipaddress
import os
import re
import ssl
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec

from audience.address import split_address
from audience.errors import BadInput
from audience.outside import FilePath, HeaderText, ModelName, Url, VariableName
from audience.plain_text import without_unseen

HIDDEN = "***"
_LOOKS_SECRET = (
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}"), rf"\1 {HIDDEN}"),
    (re.compile(r"\b(sk|pk|gsk|hf|xai|key)[-_][A-Za-z0-9_*-]{8,}"), HIDDEN),
    (re.compile(r"\bAIza[A-Za-z0-9_-]{20,}"), HIDDEN),
    (re.compile(r"://[^/\s:@]+:[^/\s@]+@"), f"://{HIDDEN}@"),
    (re.compile(r"(?i)([?&](?:api[-_]?)?(?:key|token)=)[^&\s\"']+"), rf"\1{HIDDEN}"),
)
_HOLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_HEADER = re.compile(r"(?i)auth|key|token|secret|cookie")
_KEY_LIKE = re.compile(r"(?i)key|token|secret|passw|pwd|auth|credential|signature|^sig$|^code$|jwt")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_REST = 6
"""Characters of a secret at the end of a text that are taken for its beginning."""
_REMEDY = (
    "put it into the environment, as in `export MY_KEY=…`, and name the variable: "
    'key_env = "MY_KEY"'
)


def find_key(name: str, folder: Path | None = None) -> str:
    """Return the key of a name from the environment, or else from `.env` in `folder`."""
    value = os.environ.get(name, "").strip() or read_dotenv(folder).get(name, "").strip()
    if not value:
        raise BadInput(
            f"the key {name} is not set; `export {name}=…`, or write {name}=… into a file "
            "named .env here"
        )
    if not value.isascii() or not value.isprintable() or " " in value:
        raise BadInput(f"the key {name} holds blanks or odd characters; copy it again")
    return value


def read_dotenv(folder: Path | None = None) -> dict[str, str]:
    """Return the variables set by a `.env` file, if there is one."""
    path = (folder or Path()) / ".env"
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    variables = {}
    for line in lines:
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#"):
            variables[name.strip()] = _unquoted(value.strip())
    return variables


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value.split(" #", maxsplit=1)[0].rstrip()


def filled(text: str, folder: Path | None = None) -> str:
    """Return a header's text with each `${NAME}` replaced by the key of that name."""
    return _HOLE.sub(lambda hole: find_key(hole.group(1), folder), text)


def secrets_in(headers: dict[str, str]) -> tuple[str, ...]:
    """Return the header values that must never be shown, longest first."""
    values = {value for name, value in headers.items() if _SECRET_HEADER.search(name)}
    bare = {value.split(" ", 1)[1] for value in values if " " in value}
    return tuple(
        sorted((value for value in values | bare if len(value) > 3), key=len, reverse=True)
    )


def secrets_of(
    endpoint: Endpoint, headers: Mapping[str, str], folder: Path | None = None
) -> tuple[str, ...]:
    """Return all that must never be shown: secret headers, and what comes from the environment."""
    names = [hole for text in endpoint.headers.values() for hole in _HOLE.findall(text)]
    keys = {find_key(name, folder) for name in (*names, endpoint.key_env) if name}
    every = {*secrets_in(dict(headers)), *(key for key in keys if len(key) > 3)}
    return tuple(sorted(every, key=len, reverse=True))


def hide(text: str, secrets: Collection[str]) -> str:
    """Return a text without the known secrets, also if they are escaped or parted unseen."""
    bare = without_unseen(_ESCAPED.sub(_unescaped, text))
    if any(secret in bare for secret in secrets):
        text = bare
        for secret in secrets:
            text = text.replace(secret, HIDDEN)
    return text


def _unescaped(escaped: re.Match[str]) -> str:
    """Return the character of an escape in JSON, unless a text would mean something else by it."""
    mark = chr(int(escaped[1], 16))
    return mark if mark.isalnum() or mark in "-._~+/=" or not without_unseen(mark) else escaped[0]


def hide_in(payload: bytes, secrets: Collection[str]) -> bytes:
    """Return what a server sent without the known secrets, before any of it is cut off."""
    for secret in secrets:
        payload = payload.replace(secret.encode(), HIDDEN.encode())
    return payload


def scrub(text: str, secrets: Collection[str] = ()) -> str:
    """Return a message without unseen characters, known secrets and what looks like one."""
    text = hide(without_unseen(text), secrets)
    for pattern, instead in _LOOKS_SECRET:
        text = pattern.sub(instead, text)
    return _without_rest(text, secrets)


def _without_rest(text: str, secrets: Collection[str]) -> str:
    """Return a text that was cut off without the beginning of a secret at its end."""
    bare = text.rstrip("'\"` .…")
    for secret in secrets:
        for size in range(min(len(secret), len(bare)), _REST - 1, -1):
            if bare.endswith(secret[:size]):
                return f"{bare[:-size]}{HIDDEN}{text[len(bare) :]}"
    return text


def key_in(url: str) -> str:
    """Return in words which secret an address holds; empty if it holds none."""
    try:
        parts = urlsplit(url)
        fields = parse_qsl(f"{parts.query}&{parts.fragment}", keep_blank_values=True)
    except ValueError:
        return ""  # that it is no address is told elsewhere
    if "@" in parts.netloc:
        return "a password"
    if any(_KEY_LIKE.search(name) for name, _ in fields) or scrub(unquote(url)) != unquote(url):
        return "a key"
    return ""


def refuse_keys(table: Mapping[str, Any], of: str) -> None:
    """Raise if the fields of an endpoint hold a key: it would be stored with the run."""
    if what := key_in(str(table.get("url", ""))):
        raise BadInput(f"the address of {of} holds {what}; {_REMEDY}")
    if what := key_in(str(table.get("proxy", ""))):
        raise BadInput(
            f"the proxy of {of} holds {what}; put it into the environment, as in "
            "`export HTTPS_PROXY=…`, and leave proxy out"
        )
    headers = table.get("headers")
    for name, text in headers.items() if isinstance(headers, Mapping) else ():
        left = _HOLE.sub("", str(text))
        if left.strip() and (scrub(left) != left or (_SECRET_HEADER.search(name) and left == text)):
            raise BadInput(
                f"the header {scrub(name)} of {of} holds a key; put it into the environment, as in "
                f'`export MY_KEY=…`, and write {scrub(name)} = "${{MY_KEY}}"'
            )
    if any(scrub(text) != text for text in _texts_in(table.get("body"))):
        raise BadInput(f"the body of {of} holds a key; {_REMEDY}")


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts_in(inner)


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One OpenAI-compatible server, as a scenario's `[llm]` table gives it."""

    url: Url
    model: ModelName = ""
    """Empty: the first model that the server lists."""
    key_env: VariableName = ""
    """The environment variable that holds the key; never the key itself."""
    weight: float = 0.0
    """Its share of the calls among several endpoints; 0: by how fast it turns out to be."""
    concurrency: int = 0
    """Concurrent calls to it; 0: as many as `[llm]` says."""
    headers: dict[str, HeaderText] = {}
    """Extra headers; `${NAME}` is replaced by a key from the environment."""
    body: dict[str, Any] = {}
    """Extra fields of every request body, which override ours."""
    drop: tuple[str, ...] = ()
    """Fields that are never sent, such as `seed`."""
    proxy: Url = ""
    ca: FilePath = ""
    """A file of trusted certificates in PEM format."""
    reasoning: str = ""
    """The effort of a reasoning model: minimal, low, medium, high."""
    price: str = ""
    """The entry in the price table, if not the model's name."""

    def __post_init__(self) -> None:
        _check(self)

    @property
    def root(self) -> str:
        """The address to which paths such as `/chat/completions` are appended."""
        parts = urlsplit(self.url)
        path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
        return f"{parts.scheme}://{parts.netloc}{path}"

    @property
    def query(self) -> str:
        query = urlsplit(self.url).query
        return f"?{query}" if query else ""

    @property
    def name(self) -> str:
        """The address without secrets, for display and for the call store."""
        parts = urlsplit(self.root)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def is_local(self) -> bool:
        host = urlsplit(self.url).hostname or ""
        try:
            return host == "localhost" or ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False


def _check(endpoint: Endpoint) -> None:
    parts = split_address(scrub(endpoint.url), "the endpoint")
    if "://" in endpoint.proxy:
        split_address(scrub(endpoint.proxy), "the proxy")
    fields = {name: getattr(endpoint, name) for name in ("url", "proxy", "headers", "body")}
    refuse_keys(fields, f"the endpoint at {parts.hostname}")
    if not endpoint.weight >= 0.0:
        raise BadInput(
            f"the weight of {endpoint.name} is {endpoint.weight}; give more than 0, or 0 to go by "
            "its speed"
        )
    if endpoint.concurrency < 0:
        raise BadInput(
            f"the concurrency of {endpoint.name} is {endpoint.concurrency}; give 1 or more, or 0 "
            "to have it sought"
        )
    if endpoint.key_env and not endpoint.key_env.isidentifier():
        raise BadInput(
            f"key_env of {endpoint.name} is not the name of a variable; put the key into the "
            'environment, as in `export MY_KEY=…`, and write key_env = "MY_KEY"'
        )


_AZURE = (".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com")
"""Hosts that take a key in the header `api-key` alone."""


def headers_of(endpoint: Endpoint, folder: Path | None = None) -> dict[str, str]:
    """Return the headers of every request, with keys filled in."""
    headers = {"Content-Type": "application/json"}
    if endpoint.key_env:
        key = find_key(endpoint.key_env, folder)
        is_azure = (urlsplit(endpoint.url).hostname or "").endswith(_AZURE)
        headers |= {"api-key": key} if is_azure else {"Authorization": f"Bearer {key}"}
    return headers | {name: filled(v, folder) for name, v in endpoint.headers.items()}


def proxy_of(endpoint: Endpoint) -> str | None:
    """Return the proxy to use: the endpoint's own, else the environment's."""
    if endpoint.proxy or endpoint.is_local:
        return endpoint.proxy or None
    parts = urlsplit(endpoint.url)
    if proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(parts.scheme)


def trust_of(endpoint: Endpoint) -> ssl.SSLContext | None:
    """Return the TLS context of an endpoint with its own certificates, else None."""
    if not endpoint.ca:
        return None
    try:
        return ssl.create_default_context(cafile=endpoint.ca)
    except (OSError, ssl.SSLError) as error:
        raise BadInput(
            f"ca = {endpoint.ca!r} of {endpoint.name} cannot be read ({error}); give a file of "
            "certificates in PEM form"
        ) from error
