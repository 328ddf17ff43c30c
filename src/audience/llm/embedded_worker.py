"""The worker that serves a model file: `python -m audience.llm.embedded_worker FILE`.

It prints its address as one line of JSON and lives until its standard input ends, as it does when
the parent dies in any way.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

import msgspec


def main() -> None:
    """Serve until the parent is gone."""
    options = _parser().parse_args()
    # llama.cpp writes to standard output at will; the line for the parent is kept apart.
    answer = os.dup(1)
    os.dup2(2, 1)
    server = serve(options)
    os.write(answer, msgspec.json.encode({"url": f"{server.listening_address}/v1"}) + b"\n")
    os.close(answer)
    while os.read(sys.stdin.fileno(), 4096):
        pass
    # Threads of the server would block an orderly exit.
    os._exit(0)


def serve(options: argparse.Namespace) -> Any:  # noqa: ANN401
    """Return llama.cpp's server for a model file, listening on localhost."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options.path
    params.model_alias = {os.path.basename(options.path).removesuffix(".gguf")}
    params.hostnames = ["127.0.0.1"]
    params.port = options.port
    params.cpuparams.n_threads = options.threads
    params.cpuparams_batch.n_threads = options.reading_threads or options.threads
    params.n_parallel = options.slots
    params.n_ctx = options.context
    params.kv_unified = True
    params.cont_batching = True
    params.cache_prompt = True
    params.cache_ram_mib = 256
    params.n_threads_http = 2 * options.slots + 2
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 1
    return xllamacpp.Server(params)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("audience.llm.embedded_worker", description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--reading-threads", type=int, default=0, help="as --threads if 0")
    parser.add_argument("--slots", type=int, default=8)
    parser.add_argument("--context", type=int, default=8192)
    parser.add_argument("--port", type=int, default=0)
    return parser


if __name__ == "__main__":
    main()
