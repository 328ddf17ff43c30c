"""The server on a port, until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from pathlib import Path

import uvicorn

from audience.errors import BadInput
from audience.experiments.scenario import load
from audience.web.app import App, make_app
from audience.web.security import Access
from audience.web.shelf import Shelf

PATIENCE = 2
"""Seconds that open streams get when the server stops."""


def serve(
    root: Path,
    *,
    host: str,
    port: int,
    run: Path | None = None,
    scenarios: Iterable[Path] = (),
    begun: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve a folder of runs until stopped; `begun` is told where the page is."""
    found = {path.stem: path for path in (*sorted(Path().glob("*.toml")), *scenarios)}
    for path in scenarios:
        load(path)
    root.mkdir(parents=True, exist_ok=True)
    opened = _id_in(root, run) if run is not None else None
    access = Access(host)
    listening = bound(host, port)
    try:
        server = server_of(make_app(root, access, found=found, opened=opened))
        begun(address_of(host, listening.getsockname()[1], access))
        server.run(sockets=[listening])
    finally:
        listening.close()


def server_of(app: App) -> uvicorn.Server:
    """Return what serves an app; its streams end when it is to stop."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=PATIENCE,
        server_header=False,
    )
    server = uvicorn.Server(config)
    app.streams.is_ending = lambda: server.should_exit
    return server


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens; say what to do where that cannot be."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.strip("[]"), port))
        made.listen(128)
    except OSError as error:
        made.close()
        raise BadInput(
            f"--host {host} --port {port}: {error.strerror or error}; choose another"
        ) from error
    return made


def address_of(host: str, port: int, access: Access) -> str:
    """Return where the page is, with the token, which browsers send to nobody."""
    everywhere = host.strip("[]") == "::" or not host.strip("0.")
    shown = socket.gethostname() if everywhere else host.strip("[]")
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/#token={access.token}"


def _id_in(root: Path, run: Path) -> str:
    if not run.resolve().is_relative_to(root.resolve()):
        raise BadInput(f"{run} does not lie below --runs {root}; give the folder that holds it")
    return Shelf(root).id_of(run)
