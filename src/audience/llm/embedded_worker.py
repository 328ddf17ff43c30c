"""The worker that serves a model file: `python -m audience.llm.embedded_worker FILE`.

It says its address in one line of JSON and lives until its standard input ends, which it does when
the parent dies, however it dies.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

import msgspec


def main() -> None:
    """Serve until the parent is gone."""
    given = _parser().parse_args()
    # llama.cpp writes to standard output as it likes; the one line for the parent is kept apart.
    answer = os.dup(1)
    os.dup2(2, 1)
    server = serve(given.path, given.threads, given.slots, given.context, given.port)
    os.write(answer, msgspec.json.encode({"url": f"{server.listening_address}/v1"}) + b"\n")
    os.close(answer)
    while os.read(sys.stdin.fileno(), 4096):
        pass
    # Threads of the server would hold up an orderly end.
    os._exit(0)


def serve(path: str, threads: int, slots: int, context: int, port: int) -> Any:  # noqa: ANN401
    """Return llama.cpp's own server for a model file, listening on this machine alone."""
    import xllamacpp

    wish = xllamacpp.CommonParams()
    wish.model.path = path
    wish.model_alias = {os.path.basename(path).removesuffix(".gguf")}
    wish.hostnames = ["127.0.0.1"]
    wish.port = port
    wish.cpuparams.n_threads = threads
    wish.cpuparams_batch.n_threads = threads
    wish.n_parallel = slots
    wish.n_ctx = context
    wish.kv_unified = True
    wish.cont_batching = True
    wish.cache_prompt = True
    wish.cache_ram_mib = 256
    wish.n_threads_http = 2 * slots + 2
    wish.ui = False
    wish.endpoint_slots = False
    wish.verbosity = 1
    return xllamacpp.Server(wish)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("audience.llm.embedded_worker", description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--slots", type=int, default=8)
    parser.add_argument("--context", type=int, default=8192)
    parser.add_argument("--port", type=int, default=0)
    return parser


if __name__ == "__main__":
    main()
