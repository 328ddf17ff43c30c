"""What came of probing a model: one table, what it cost, and the files that keep it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from audience.engine import run_sync
from audience.experiments.models import Models, Spending, cost_of, door_of, name_of
from audience.experiments.probing.asking import AT_ONCE, Asker, Told
from audience.experiments.probing.measures import ProbeRow
from audience.results.atomic_file import replace_all

KEPT_AFTER = 10
"""Answers that a kill may cost at most; all before them are kept."""


class Found(msgspec.Struct, frozen=True):
    """Rows of a table, and what to know when reading them."""

    rows: tuple[ProbeRow, ...]
    notes: tuple[str, ...] = ()


class Spent(msgspec.Struct, frozen=True):
    """What asking has cost now; what was reused cost nothing."""

    calls: int
    reused: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    cost: str
    in_all: str = "–"
    """What all calls kept in the folder have cost, those of earlier askings too."""


class Probed(msgspec.Struct, frozen=True):
    """The table of one model."""

    evaluation: str
    model: str
    dataset: str
    people: int
    seed: int
    rows: tuple[ProbeRow, ...]
    notes: tuple[str, ...]
    spent: Spent
    chosen: int
    """Choices between options that were asked for."""
    scored: int
    """Those that came with log-probabilities; the others were read from words."""

    @property
    def unreadable(self) -> int:
        return sum(one.unreadable for one in self.rows)


Work = Callable[[Asker], Awaitable[Found]]


def probe(
    evaluation: str,
    work: Work,
    *,
    dataset: str,
    people: int,
    models: Models,
    spending: Spending,
    out: Path,
    seed: int = 1,
    prompts: str = "",
    at_once: int = AT_ONCE,
    told: Told = lambda done, planned: None,
) -> Probed:
    """Ask a model and return its table; calls are kept in `out`, so that none is paid for twice."""
    out.mkdir(parents=True, exist_ok=True)
    door = door_of(models, spending, out)
    name = name_of(models)
    found: list[Probed] = []

    def tell(done: int, planned: int) -> None:
        if done % KEPT_AFTER == 0:
            door.flush()
        told(done, planned)

    async def ask() -> None:
        try:
            asker = Asker(
                door,
                model=name,
                prompts=prompts,
                seed=seed,
                at_once=at_once,
                where="" if name else models.url,
                told=tell,
            )
            came = await work(asker)
            total = door.meter.total()
            spent = Spent(
                total.calls,
                total.reused,
                total.failed,
                total.prompt,
                total.completion,
                door.meter.cost(),
            )
            known_as = ", ".join(sorted(asker.answered_by)) or name or "unnamed"
            model = f"{known_as} (embedded)" if name == "embedded" else known_as
            figures = (came.rows, came.notes, spent, asker.chosen, asker.scored)
            found.append(Probed(evaluation, model, dataset, people, seed, *figures))
        finally:
            await door.close()

    run_sync(ask)
    spent = msgspec.structs.replace(found[0].spent, in_all=cost_of(out, models))
    return msgspec.structs.replace(found[0], spent=spent)


def plain(probed: Probed) -> dict[str, object]:
    """Return a table as plain values."""
    tree: dict[str, object] = msgspec.to_builtins(probed)
    return tree


def cell(one: ProbeRow) -> str:
    """Return a value with its interval as a table shows it."""
    if one.value is None:
        return "–"
    sign = "+" if one.unit == "difference" else ""
    if one.low is None or one.high is None:
        return f"{one.value:{sign}.2f}"
    return f"{one.value:{sign}.2f} [{one.low:{sign}.2f}, {one.high:{sign}.2f}]"


def foot(probed: Probed) -> str:
    """Return in words what a table rests on."""
    spent = probed.spent
    lines = [
        f"model {probed.model}; {probed.people} people of {probed.dataset}, seed {probed.seed}; "
        "95 % intervals over people or items.",
        f"{spent.calls:,} calls ({spent.reused:,} more reused, {spent.failed:,} failed), "
        f"{spent.prompt_tokens:,} + {spent.completion_tokens:,} tokens, {spent.cost}; "
        f"all kept calls: {spent.in_all}; "
        f"{probed.scored:,} of {probed.chosen:,} choices by log-probability.",
        *probed.notes,
    ]
    return "\n".join(lines)


HEADS = ("part", "what", "value [95 %]", "chance", "answers", "unreadable")


def cells(one: ProbeRow) -> tuple[str, ...]:
    """Return a row as texts under HEADS."""
    chance = "" if one.chance is None else f"{one.chance:.2f}"
    lost = str(one.unreadable) if one.unreadable else ""
    return one.part, one.what, cell(one), chance, str(one.count), lost


def keep(probed: Probed, out: Path) -> list[Path]:
    """Write a table as JSON, Markdown and CSV; return the paths."""
    told = json.dumps(plain(probed), indent=1, allow_nan=False) + "\n"
    contents = {
        out / f"{probed.evaluation}.json": told,
        out / f"{probed.evaluation}.md": _markdown(probed),
        out / f"{probed.evaluation}.csv": _csv(probed.rows),
    }
    return replace_all({path: text.encode() for path, text in contents.items()})


def _markdown(probed: Probed) -> str:
    lines = [f"# {probed.evaluation}: {probed.model}", "", f"| {' | '.join(HEADS)} |"]
    lines.append("|---|---|---|---|---|---|")
    for one in probed.rows:
        escaped = [text.replace("|", "\\|") for text in cells(one)]
        lines.append(f"| {' | '.join(escaped)} |")
    return "\n".join([*lines, "", foot(probed), ""])


def _csv(rows: Sequence[ProbeRow]) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, ProbeRow.__struct_fields__)
    writer.writeheader()
    for one in rows:
        writer.writerow(msgspec.structs.asdict(one))
    return file.getvalue()
