"""A call asked again, perhaps with another prompt: the answer is shown and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace

from audience.engine import run_sync
from audience.errors import BadInput
from audience.llm import FILE as CALLS, Call, CallStore, ChatMessage, Reply
from audience.log import Log
from audience.scenario import (
    EMBEDDED,
    FILE as TYPED,
    Models,
    SpendingOptions,
    door_of,
    endpoints_of,
    parse,
)

LONGEST_PROMPT = 200_000
"""The most characters of all messages together."""


def stored_call(folder: Path, key: str) -> Call | None:
    """Return a call of a run by its key, the last time it was made; None if there is none."""
    for name in (CALLS, TYPED):
        if (folder / name).is_file():
            with closing(CallStore(folder / name, read_only=True)) as calls:
                if takes := calls.of(key):
                    return takes[-1]
    return None


def ask_again(
    folder: Path,
    call: Call,
    messages: Sequence[ChatMessage],
    spending: SpendingOptions,
    nth: int = 1,
) -> Reply:
    """Return what the model of a run replies to another prompt, asked as the call was.

    The endpoint, the model, the schema and the sampling are those of the call; `nth` lets the same
    prompt be asked anew. Neither the run nor its call store is written.
    """
    if call.reply.model == "human":
        raise BadInput("a person typed this, so there is no model to ask again")
    if call.request.embed:
        raise BadInput("this call asked for the vector of a text, which has no words to show")
    if sum(len(message.content) for message in messages) > LONGEST_PROMPT:
        raise BadInput(f"the prompt has more than {LONGEST_PROMPT:,} characters; shorten it")
    with Log.open(folder) as log:
        models = _asked_of(parse(log.scenario, str(folder)).llm, call.reply.endpoint)
    request = replace(call.request, messages=tuple(messages), salt=f"again.{nth}")
    replies: list[Reply] = []

    async def work(store: Path) -> None:
        door = door_of(models, replace(spending, calls="fresh"), folder, store=store)
        try:
            replies.append(await door.ask(request))
        finally:
            await door.close()

    with TemporaryDirectory(prefix="audience-again-") as place:
        run_sync(lambda: work(Path(place) / CALLS))
    return replies[0]


def _asked_of(models: Models, endpoint: str) -> Models:
    """Return a table with the one endpoint that answered a call; all if none did."""
    endpoints = endpoints_of(models)
    if not endpoint or (endpoint == EMBEDDED and not endpoints):
        return models
    same = tuple(each for each in endpoints if each.name == endpoint)
    if not same:
        raise BadInput(
            "the endpoint that answered this call is not in the run's scenario any more, so it "
            "cannot be asked again"
        )
    return replace(models, url="", endpoints=same)
