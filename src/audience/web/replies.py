"""What the server answers: JSON by msgspec, and errors as one sentence that says what to do."""

from __future__ import annotations

import logging
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from audience.errors import AudienceError, BadInput, Unusable

_ENCODER = msgspec.json.Encoder(enc_hook=lambda value: value.item())  # numbers of numpy
log = logging.getLogger(__name__)


class Missing(AudienceError):
    """There is no such thing."""


class Conflict(AudienceError):
    """What is asked for does not go together with how things stand now."""


def encoded(value: object) -> bytes:
    """Return plain values as JSON; what is not a number becomes null."""
    return _ENCODER.encode(value)


def told(value: object, status: int = 200) -> Response:
    """Return an answer with plain values."""
    return Response(encoded(value), status, media_type="application/json")


def refused(status: int, message: str, where: str = "") -> Response:
    """Return an answer that says why not."""
    clean = message.encode("utf-8", "replace").decode()
    return told({"error": clean} | ({"where": where} if where else {}), status)


def tell_errors(app: FastAPI) -> None:
    """Let every error become an answer in words; none carries a traceback."""
    for kind, status in (
        (AudienceError, 409),
        (BadInput, 400),
        (Unusable, 409),
        (Missing, 404),
        (Conflict, 409),
    ):
        app.add_exception_handler(kind, _answering(status))
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _broken)


def _answering(status: int) -> Any:  # noqa: ANN401
    async def answer(request: Request, error: Exception) -> Response:
        return refused(status, str(error))

    return answer


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = refused(error.status_code, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    where = where.encode("utf-8", "replace").decode()
    return refused(422, f"{where}: {first['msg']}", where)


async def _broken(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return refused(500, "the server failed at this; its terminal tells more")
