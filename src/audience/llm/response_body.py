"""Reading the body of a response: within a limit, also once it is unpacked."""

from __future__ import annotations

import asyncio
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp

LARGEST = 4_000_000
"""Bytes of one body, packed and unpacked, where no other limit is given."""
_SMALL = 64_000
"""Bytes that any number of bodies may have at once; also what is read of an error."""
_TOGETHER = 128_000_000
"""Bytes of all bodies that are larger, at once."""
_MARKED = 8
"""The low bits of the first byte of deflated bytes with a header."""


class BadBody(Exception):
    """A body is too large, or packed in a way that cannot be read."""


class BodyReader:
    """Reads the bodies of one session; few large ones at a time, so that memory is bounded."""

    def __init__(self, largest: int = LARGEST) -> None:
        self.largest = largest
        self._large = asyncio.Semaphore(max(1, _TOGETHER // max(largest, 1)))

    async def read(self, response: aiohttp.ClientResponse) -> bytes:
        """Return the unpacked body, of an error only its beginning; raise `BadBody`."""
        packed = bytearray()
        is_answer = response.status < 300
        most = self.largest if is_answer else min(_SMALL, self.largest)
        pieces = response.content.iter_any()
        async for piece in pieces:
            packed += piece
            if len(packed) > min(most, _SMALL):
                break
        else:
            return self._unpacked(response, bytes(packed), most)
        if is_answer and len(packed) <= most:
            async with self._large:
                async for piece in pieces:
                    packed += piece
                    if len(packed) > most:
                        break
                else:
                    return self._unpacked(response, bytes(packed), most)
        if is_answer:
            raise BadBody(f"the body has more than {_in_words(most)}")
        return self._unpacked(response, bytes(packed[:most]), most)

    def _unpacked(self, response: aiohttp.ClientResponse, body: bytes, most: int) -> bytes:
        """Return a body without its packing; of an error as much as can be unpacked."""
        try:
            return unpacked(body, response.headers.get("Content-Encoding", ""), most)
        except BadBody:
            if response.status < 300:
                raise
            return b""


def unpacked(body: bytes, packing: str, most: int = LARGEST) -> bytes:
    """Return the bytes of a packed body; raise `BadBody` if they are too many or broken."""
    name = packing.strip().lower()
    if name in ("", "identity") or not body:
        return body
    if name not in ("gzip", "x-gzip", "deflate"):
        raise BadBody(f"the body is packed as {name[:40]!r}, which was not asked for")
    headed = body[0] & 15 == _MARKED
    unpacker = zlib.decompressobj(wbits=31 if name != "deflate" else 15 if headed else -15)
    try:
        plain = unpacker.decompress(body, most + 1)
    except zlib.error as error:
        raise BadBody(f"the body is not {name}: {error}") from error
    if len(plain) > most:
        raise BadBody(f"the unpacked body has more than {_in_words(most)}")
    if not unpacker.eof:
        raise BadBody(f"the {name} body is cut off")
    return plain


def _in_words(count: int) -> str:
    return f"{count / 1e6:g} MB"
