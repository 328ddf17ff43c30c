"""Replies of the server: JSON by msgspec, and errors as a sentence that says what to do."""

from __future__ import annotations

import logging
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from msgspec import UNSET
from starlette.exceptions import HTTPException
from starlette.responses import Response

from audience.errors import AudienceError, BadInput, Unusable
from audience.web.receipts import ErrorReply

_ENCODER = msgspec.json.Encoder(enc_hook=lambda value: value.item())  # numbers of numpy
log = logging.getLogger(__name__)


class Missing(AudienceError):
    """What a request names does not exist."""


class Conflict(AudienceError):
    """A request that the present state of the run does not allow."""


def to_json(value: object) -> bytes:
    """Return a value as JSON; NaN becomes null."""
    return _ENCODER.encode(value)


def json_reply(value: object, status: int = 200) -> Response:
    """Return a response with a value as JSON."""
    return Response(to_json(value), status, media_type="application/json")


def file_reply(content: str | bytes, name: str, kind: str = "text/csv; charset=utf-8") -> Response:
    """Return a response that a browser saves as a file of this name."""
    named = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=named)


def error_reply(status: int, message: str, where: str = "") -> Response:
    """Return a response that says why a request is refused."""
    clean = message.encode("utf-8", "replace").decode()
    return json_reply(ErrorReply(clean, where or UNSET), status)


def add_error_handlers(app: FastAPI) -> None:
    """Turn every error into a reply in words, without a traceback."""
    for kind, status in (
        (AudienceError, 409),
        (BadInput, 400),
        (Unusable, 409),
        (Missing, 404),
        (Conflict, 409),
    ):
        app.add_exception_handler(kind, _reply_with(status))
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(RecursionError, _too_deep)
    app.add_exception_handler(Exception, _broken)


def _reply_with(status: int) -> Any:  # noqa: ANN401
    async def reply(request: Request, error: Exception) -> Response:
        return error_reply(status, str(error))

    return reply


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    reply = error_reply(error.status_code, str(error.detail))
    reply.headers.update(error.headers or {})
    return reply


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    where = where.encode("utf-8", "replace").decode()
    return error_reply(422, f"{where}: {first['msg']}", where)


async def _too_deep(request: Request, error: Exception) -> Response:
    return error_reply(400, "the request is nested too deeply; write it flatter")


async def _broken(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return error_reply(500, "the server failed; see its terminal for details")
