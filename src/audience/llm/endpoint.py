"""Where a model answers: all that is known of an endpoint before it is asked."""

from __future__ import annotations

import ipaddress
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec

from audience.errors import BadInput
from audience.llm import keys


class Endpoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One OpenAI-compatible server, as a scenario's `[llm]` table gives it."""

    url: str
    model: str = ""
    """Empty: the first model that the server lists."""
    key_env: str = ""
    """The name of the environment variable that holds the key; never the key itself."""
    weight: float = 1.0
    """Its share of the calls among several endpoints."""
    headers: dict[str, str] = {}
    """Extra headers; `${NAME}` stands for a key from the environment."""
    body: dict[str, Any] = {}
    """Extra fields of every request body; they win over ours."""
    proxy: str = ""
    ca: str = ""
    """A file of certificates to trust, in PEM form."""
    reasoning: str = ""
    """How hard a reasoning model shall think: minimal, low, medium, high."""
    price: str = ""
    """The name in the price table, where it is not the model's own."""

    def __post_init__(self) -> None:
        _check(self)

    @property
    def root(self) -> str:
        """The address that paths such as `/chat/completions` are put behind."""
        parts = urlsplit(self.url)
        path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
        return f"{parts.scheme}://{parts.netloc}{path}"

    @property
    def query(self) -> str:
        query = urlsplit(self.url).query
        return f"?{query}" if query else ""

    @property
    def name(self) -> str:
        """The address without anything secret, for people and for the call store."""
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
    parts = urlsplit(endpoint.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        shown = keys.scrub(endpoint.url)
        raise BadInput(f"the endpoint {shown!r} is no address; write http://host:port/v1")
    if not endpoint.weight > 0.0:
        raise BadInput(f"the weight of {endpoint.name} is {endpoint.weight}; give more than 0")
    if endpoint.key_env and not endpoint.key_env.isidentifier():
        raise BadInput(
            f"key_env of {endpoint.name} is not the name of a variable; put the key into the "
            'environment, as in `export MY_KEY=…`, and write key_env = "MY_KEY"'
        )


def headers_of(endpoint: Endpoint, folder: Path | None = None) -> dict[str, str]:
    """Return the headers of every request, keys filled in."""
    found = {"Content-Type": "application/json"}
    if endpoint.key_env:
        found["Authorization"] = f"Bearer {keys.find_key(endpoint.key_env, folder)}"
    return {**found, **{name: keys.filled(v, folder) for name, v in endpoint.headers.items()}}


def proxy_of(endpoint: Endpoint) -> str | None:
    """Return the proxy to go through: the endpoint's own, else the environment's."""
    if endpoint.proxy or endpoint.is_local:
        return endpoint.proxy or None
    parts = urlsplit(endpoint.url)
    if proxy_bypass(parts.hostname or ""):
        return None
    return getproxies().get(parts.scheme)


def trust_of(endpoint: Endpoint) -> ssl.SSLContext | None:
    """Return what decides whom to trust, where the endpoint brings its own certificates."""
    if not endpoint.ca:
        return None
    try:
        return ssl.create_default_context(cafile=endpoint.ca)
    except (OSError, ssl.SSLError) as error:
        raise BadInput(
            f"ca = {endpoint.ca!r} of {endpoint.name} cannot be read ({error}); give a file of "
            "certificates in PEM form"
        ) from error
