"""Ports that stay ours between two servers."""

from __future__ import annotations

import os
import socket
from itertools import count

_FIRST, _COUNT = 12_000, 20_000
_tried = count()


def own_port() -> int:
    """Return a free port that no system gives away by itself: it can be taken again later."""
    while True:
        port = _FIRST + (os.getpid() * 61 + next(_tried)) % _COUNT
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
