"""Language-model people at a real server: `python -m benchmarks.served URL [PEOPLE] [score]`.

One round with everybody awake, then the same requests once more by a bare loop with nothing around
it: how many calls a second the server gives us, of those it can give. Not part of `make bench`,
which has no model server.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import aiohttp
import orjson

from audience.llm import CallStore, Request
from audience.llm.wire import TOP
from audience.runs import Finished
from benchmarks.measuring import clock, place, row, scenario, tell, timed

IN_FLIGHT = 1024
"""Requests of the bare loop at once."""
BAR, PEOPLE, SCORED = 25.0, 1000, 200


def lived(url: str, people: int, deciding: str, folder: Path) -> Finished:
    wanted = scenario(
        agents=people,
        rounds=1,
        mind={"kind": "llm", "deciding": deciding},
        llm={"url": url, "price": "free"},
        activation={"method": "random", "share": 1.0, "loyalty": 0.0},
    )
    return timed(wanted, folder)


def body(request: Request, model: str) -> dict[str, Any]:
    """Return a chat request as the bare loop sends it.

    A mark before what is said of the person keeps the server from knowing it from the run: the
    rules are cached, the person is not, as it was in the run.
    """
    rules, *rest = request.messages
    messages = [{"role": rules.role, "content": rules.content}]
    messages += [{"role": one.role, "content": f"* {one.content}"} for one in rest]
    asked: dict[str, Any] = {
        "model": model,
        "messages": messages,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": 7,
    }
    if request.options:
        asked |= {"logprobs": True, "top_logprobs": TOP}
    if request.schema is not None:
        inner = {"name": "answer", "schema": request.schema, "strict": True}
        asked["response_format"] = {"type": "json_schema", "json_schema": inner}
    return asked


async def bare(url: str, requests: list[Request]) -> tuple[float, int]:
    """Return the seconds that the same requests take without us, and the tokens of the replies."""
    free, tokens = asyncio.Semaphore(IN_FLIGHT), 0
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async with session.get(f"{url}/models") as reply:
            model = (await reply.json())["data"][0]["id"]

        async def ask(request: Request) -> None:
            nonlocal tokens
            async with free:
                sent = orjson.dumps(body(request, model))
                head = {"Content-Type": "application/json"}
                async with session.post(
                    f"{url}/chat/completions", data=sent, headers=head
                ) as reply:
                    tokens += orjson.loads(await reply.read())["usage"]["completion_tokens"]

        begun = clock()
        await asyncio.gather(*(ask(request) for request in requests))
        return clock() - begun, tokens


def requests_in(folder: Path) -> list[Request]:
    store = CallStore(folder / "calls.db", read_only=True)
    found = [call.request for call in store.calls()]
    store.close()
    return found


def main() -> None:
    url = sys.argv[1].rstrip("/")
    people = int(sys.argv[2]) if len(sys.argv) > 2 else PEOPLE
    deciding = sys.argv[3] if len(sys.argv) > 3 else "write"
    with place() as folder:
        done = lived(url, people, deciding, folder)
        requests = requests_in(folder / "run")
    seconds, spent = done.seconds, done.spent
    alone, replied = asyncio.run(bare(url, requests))
    ours, theirs = spent.calls / seconds, len(requests) / alone
    cached = spent.cached / max(spent.prompt, 1)
    per = {name: getattr(spent, name) / people for name in ("calls", "prompt", "completion")}
    tell(
        row(f"{people:,} people, one round", f"{seconds:.1f} s", f"{BAR} s", seconds <= BAR),
        row(
            f"decisions a second, deciding by {deciding}",
            f"{done.decisions / seconds:.0f}",
            "200",
            deciding == "write" or done.decisions / seconds >= SCORED,
        ),
        row(
            "calls a second, of the bare loop's",
            f"{ours:.0f} of {theirs:.0f}",
            "80 %",
            ours >= 0.8 * theirs,
        ),
        row("calls a person and round", f"{per['calls']:.2f}", "3", per["calls"] <= 3),
        row("prompt tokens", f"{per['prompt']:,.0f}", "2,000", per["prompt"] <= 2000),
        row("reply tokens", f"{per['completion']:,.0f}", "140", per["completion"] <= 140),
        row("reply tokens a call", f"{spent.completion / max(spent.calls, 1):.0f}", "45", True),
        row("prompt tokens cached", f"{cached:.0%}", "printed", True),
        row("bare loop, reply tokens a call", f"{replied / len(requests):.0f}", "printed", True),
        row("unusable decisions", str(done.unusable), "printed", True),
    )


if __name__ == "__main__":
    main()
