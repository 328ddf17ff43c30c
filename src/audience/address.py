"""Addresses of servers, taken apart or refused before anybody connects."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from audience.errors import BadInput

_NAME, _LABEL = 253, 63
"""The most characters of a host's name and of one part of it, as name servers take them."""
_SHOWN = 80


def split_address(url: str, what: str) -> SplitResult:
    """Return the parts of an address; raise BadInput if nothing can be at it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise _no_address(url, what, str(error)) from None
    if parts.scheme not in ("http", "https") or not host:
        raise _no_address(url, what, "it has no host")
    if not url.isprintable() or " " in url.strip():
        raise _no_address(url, what, "it holds blanks or control characters")
    labels = host.rstrip(".").split(".")
    if len(host) > _NAME or any(not 1 <= len(label) <= _LABEL for label in labels):
        raise _no_address(url, what, "the name of its host is too long, or has empty parts")
    return parts


def _no_address(url: str, what: str, why: str) -> BadInput:
    shown = url if len(url) <= _SHOWN else f"{url[:_SHOWN]}…"
    return BadInput(f"{what} {shown!r} is no address ({why}); write http://host:port")
