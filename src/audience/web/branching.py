"""What if, from here on: branches, and two runs side by side."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from audience.errors import BadInput
from audience.experiments import branch as make_branch
from audience.experiments import findings
from audience.experiments.findings import Arm
from audience.experiments.measuring import measured_upto, measurement
from audience.experiments.scenario import parse
from audience.experiments.story import Teller
from audience.log import Log
from audience.metrics import LABELS
from audience.web.changes import written_of
from audience.web.hall import Hall
from audience.web.kinds import Branch, RunId
from audience.web.replies import told
from audience.web.scenarios import Offer
from audience.world import events as e

EXAMPLES = 25


def router(hall: Hall, offer: Offer) -> APIRouter:
    """Return the ways to branches and comparisons."""
    api = APIRouter()

    @api.post("/runs/{run}/branch", response_class=Response, status_code=201)
    def branch(run: RunId, body: Branch) -> Response:
        """Copy a run up to the end of a round; it goes on when it is played."""
        folder = hall.shelf.folder_of(run)
        with hall.readers.reading(folder) as reader:
            at = reader.round_of(body.at)
        changes = tuple(
            {"round": one.get("round", at + 1), **written_of(one)} for one in body.interventions
        )
        name = hall.shelf.named(body.name) if body.name else None
        target = name or hall.shelf.free(f"{folder.name}-at-{at}")
        offer.check_changes(changes)
        make_branch(folder, target, at, changes)
        return told({"id": hall.shelf.id_of(target)}, 201)

    @api.get("/compare", response_class=Response)
    def compare(
        a: Annotated[str, Query(max_length=1000)], b: Annotated[str, Query(max_length=1000)]
    ) -> Response:
        """Return two runs side by side, person by person, up to the last round both have."""
        names = (a, b if a != b else f"{b} again")
        return told(compared(hall.shelf.folder_of(a), hall.shelf.folder_of(b), names))

    return api


def compared(one: Path, two: Path, names: tuple[str, str] = ("a", "b")) -> dict[str, Any]:
    """Return paired differences, where two runs part, and what was picked and said otherwise."""
    with Log.open(one) as mine, Log.open(two) as theirs:
        genesis = mine.genesis()
        if genesis.digest != theirs.genesis().digest:
            raise BadInput("the two begin with different people or items; compare branches or arms")
        upto = min(mine.complete_rounds(), theirs.complete_rounds())
        if not upto:
            raise BadInput("there is no round that both have ended; let them go on")
        arms = tuple(
            Arm(name, (measurement(log, measured_upto(log, upto)),))
            for name, log in zip(names, (mine, theirs), strict=True)
        )
        found = findings(parse(mine.scenario, "a"), arms)
        tellers = Teller(genesis), Teller(genesis)
        return {
            "rounds": upto,
            "verdict": found.verdict,
            "metrics": _metrics(found.differences),
            **_parted(mine, theirs, upto, tellers),
        }


def _metrics(differences: tuple[Any, ...]) -> list[dict[str, Any]]:
    rows = []
    for one in differences:
        label, unit, better = LABELS.get(one.metric, (one.metric, "", ""))
        rows.append(
            {
                "name": one.metric,
                "label": label,
                "unit": unit,
                "better": better,
                "a": one.reference_mean,
                "b": one.other_mean,
                "difference": one.difference,
                "low": one.low,
                "high": one.high,
                "percent": one.percent,
                "pairs": one.pairs,
                "clear": one.is_clear,
            }
        )
    return rows


Place = tuple[int, int, int, int]


def _parted(mine: Log, theirs: Log, upto: int, tellers: tuple[Teller, Teller]) -> dict[str, Any]:
    """Return the first decision that differs, and what one has picked and said alone."""
    first: dict[str, Any] | None = None
    kinds: dict[type, str] = {e.Picked: "picks", e.Said: "chats"}
    told_ = {
        name: {"a": 0, "b": 0, "same": 0, "only_a": [], "only_b": []} for name in kinds.values()
    }
    for place, ours, others in _aligned(mine, theirs, upto):
        for teller, chapter in zip(tellers, (ours, others), strict=True):
            for entry in chapter.entries if chapter else ():
                teller.learn(entry.event)
        if first is None and ours != others and place[1] in (e.VISITS, e.CONVERSATIONS):
            first = _difference(place, ours, others, tellers)
        for kind, name in kinds.items():
            _count(told_[name], kind, place, (ours, others), tellers)
    return {"first_difference": first, **told_}


def _aligned(
    mine: Log, theirs: Log, upto: int
) -> Iterator[tuple[Place, e.Chapter | None, e.Chapter | None]]:
    """Yield the chapters of two logs side by side, in the order of the log."""
    left = mine.chapters(end_round=upto + 1)
    right = theirs.chapters(end_round=upto + 1)
    one, two = next(left, None), next(right, None)
    while one or two:
        places = [_place(chapter) for chapter in (one, two) if chapter]
        place = min(places)
        ours = one if one and _place(one) == place else None
        others = two if two and _place(two) == place else None
        yield place, ours, others
        one = next(left, None) if ours else one
        two = next(right, None) if others else two


def _place(chapter: e.Chapter) -> Place:
    return chapter.round, chapter.phase, chapter.rank, chapter.agent


def _difference(
    place: Place,
    ours: e.Chapter | None,
    others: e.Chapter | None,
    tellers: tuple[Teller, Teller],
) -> dict[str, Any]:
    entries = zip_longest(ours.entries if ours else (), others.entries if others else ())
    for one, two in entries:
        if one != two:
            break
    else:
        one = two = None
    who = place[3]
    return {
        "round": place[0],
        "phase": place[1],
        "agent": who if who >= 0 else None,
        "name": tellers[0].names.get(who, "") if who >= 0 else "",
        "a": _entry(one, tellers[0]),
        "b": _entry(two, tellers[1]),
    }


def _entry(entry: e.Entry | None, teller: Teller) -> dict[str, Any] | None:
    if entry is None:
        return None
    event = entry.event
    return {
        "event": msgspec.to_builtins(event),
        "text": teller.line(event).strip() or type(event).__name__,
        "cause": entry.cause,
        "calls": entry.calls,
    }


def _count(
    row: dict[str, Any],
    kind: type,
    place: Place,
    chapters: tuple[e.Chapter | None, e.Chapter | None],
    tellers: tuple[Teller, Teller],
) -> None:
    found = [
        [entry.event for entry in chapter.entries if isinstance(entry.event, kind)]
        if chapter
        else []
        for chapter in chapters
    ]
    row["a"] += len(found[0])
    row["b"] += len(found[1])
    row["same"] += sum(one in found[1] for one in found[0])
    for side, mine, theirs in (("only_a", 0, 1), ("only_b", 1, 0)):
        for event in found[mine]:
            if event not in found[theirs] and len(row[side]) < EXAMPLES:
                row[side].append(_example(event, place[0], tellers[mine]))


def _example(event: Any, round_: int, teller: Teller) -> dict[str, Any]:  # noqa: ANN401
    who = event.agent
    if isinstance(event, e.Picked):
        text = teller.titles[event.item]
    else:
        text = f"to {teller.names.get(event.to, event.to)}: {event.text}"
    return {"round": round_, "agent": who, "name": teller.names.get(who, ""), "text": text}
