"""The page on which people judge, one offline HTML file, and the tasks it is made of."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template

import msgspec
from msgspec.structs import replace

from audience.errors import BadInput
from audience.lab.evaluation import SHAPES, read_real
from audience.lab.judging.cases import (
    References,
    SequenceFile,
    choices,
    made_in,
    read_file,
    text_pairs,
    way_pairs,
)
from audience.lab.judging.memory_cases import scores
from audience.lab.judging.tasks import (
    SHEET,
    VARIANTS,
    VERSION,
    WRITTEN,
    Key,
    Pair,
    Score,
    ScoredKey,
    Sealed,
    Sheet,
    Task,
    Write,
    WrittenKey,
    sheet_id,
)
from audience.log import Log
from audience.world import rng

_BEGIN, _END = '<script type="application/json" id="sheet">', "</script>"


def page_of(sheet: Sheet) -> str:
    """Return the whole page. Its policy forbids all requests, and all scripts but its own."""
    style, script = _part("page.css"), _part("page.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    text = msgspec.json.encode(sheet).decode().replace("<", "\\u003c").replace("&", "\\u0026")
    parts = {"policy": policy, "style": style, "sheet": text, "script": script}
    return Template(_part("page.html")).substitute(parts)


def sheet_in(path: Path) -> Sheet:
    """Return the tasks that a page holds."""
    try:
        text = path.read_text("utf-8")
        begin = text.index(_BEGIN) + len(_BEGIN)
        sheet = msgspec.json.decode(text[begin : text.index(_END, begin)], type=Sheet)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, msgspec.MsgspecError) as error:
        raise BadInput(
            f"{path} is not a page of tasks; give one that `audience eval people make` wrote"
        ) from error
    if sheet.format != SHEET or sheet.version > VERSION:
        raise BadInput(f"{path} was made by a newer version of audience; use that one")
    return sheet


def _part(name: str) -> str:
    return files("audience.lab.judging").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


Sealing = tuple[Task, Sealed]
CHOOSE, WRITE, JUDGE = "a", "b", "c"
TASKS = (CHOOSE, WRITE, JUDGE)
BEHAVIOURS = 15


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """Where tasks come from."""

    data: Path | None = None
    """Real interactions: choices."""
    run: Path | None = None
    """A run with memories: texts to write, memories to score."""
    sequences: Path | None = None
    """Sequences from the same history: pairs of tables 4 and 5."""
    references: Path | None = None
    """Texts that people wrote: pairs of table 1."""


def make(
    sources: Sources,
    tasks: Sequence[str] = TASKS,
    *,
    cases: int = 20,
    behaviours: int = BEHAVIOURS,
    negatives: str = "uniform",
    shapes: Sequence[tuple[int, int]] = SHAPES,
    seed: int = 1,
) -> Key:
    """Return the key of a new page; the sheet in it is what judges see.

    `cases` is the number for each shape of a choice, kind of text, and number of steps.
    """
    if cases < 1 or behaviours < 1:
        raise BadInput("--cases and --behaviours: give at least 1")
    plural, parts = "items", list[list[Sealing]]()
    if CHOOSE in tasks:
        if sources.data is None:
            raise BadInput("--tasks a: choices are made from real interactions; give --data PATH")
        real = read_real(sources.data)
        plural = real.domain.plural
        sealed_choices = choices(real, cases=cases, seed=seed, shapes=shapes, negatives=negatives)
        parts.append(list(sealed_choices))
    if WRITE in tasks:
        parts += _texts(sources, cases, seed)
    if JUDGE in tasks:
        parts += _judgements(sources, cases, behaviours, seed)
    if not any(parts):
        raise BadInput("there is nothing to judge in these sources; give a longer run")
    return sealed(parts, plural, seed)


def sealed(parts: Iterable[Sequence[Sealing]], plural: str, seed: int) -> Key:
    """Return the key of these tasks: kind by kind, in a drawn order inside each, numbered."""
    ordered: list[Sealing] = []
    for place, part in enumerate(parts):
        order = rng(seed, "judging", "order", place).permutation(len(part))
        ordered += [part[at] for at in order.tolist()]
    tasks = tuple(replace(task, id=f"t{number}") for number, (task, _) in enumerate(ordered, 1))
    sheet = Sheet(sheet_id(tasks), plural, tasks)
    pairs = zip(tasks, (seal for _, seal in ordered), strict=True)
    return Key(sheet.id, seed, sheet, {task.id: seal for task, seal in pairs})


def _texts(sources: Sources, cases: int, seed: int) -> list[list[Sealing]]:
    if sources.run is None:
        raise BadInput("--tasks b: texts are written about what agents lived; give --run RUN")
    with Log.open(sources.run) as log:
        texts = made_in(log, cases=cases, seed=seed)
    if not any(texts.values()):
        raise BadInput(
            f"--run {sources.run}: no agent summarised anything; "
            "run it with --memory recagent, for more rounds"
        )
    return [
        [
            (
                Write("", made_text.what, made_text.person, made_text.lines),
                WrittenKey(made_text.case, made_text.text),
            )
            for made_text in made
        ]
        for made in texts.values()
    ]


def _judgements(sources: Sources, cases: int, behaviours: int, seed: int) -> list[list[Sealing]]:
    parts: list[list[Sealing]] = []
    if sources.references is not None:
        references = read_file(sources.references, References, "--references")
        parts.append(list(text_pairs(references, seed)))
    if sources.sequences is not None:
        ways = read_file(sources.sequences, SequenceFile, "--sequences")
        parts.append(list(way_pairs(ways, cases, seed)))
    if sources.run is not None:
        with Log.open(sources.run) as log:
            parts.append(list(scores(log, cases=behaviours, seed=seed)))
    if not parts:
        raise BadInput(
            "--tasks c: there is nothing to judge; give --run RUN for memories, --sequences FILE "
            "for sequences, --references FILE for texts"
        )
    return parts


def notes(key: Key, tasks: Sequence[str]) -> list[str]:
    """Return what a page lacks: kinds of text that no memory made, memories that do not differ."""
    lines = []
    there = {task.what for task in key.sheet.tasks if isinstance(task, Write)}
    lacking = [what for what in WRITTEN if what not in there]
    if WRITE in tasks and lacking:
        lines.append(f"no {' and no '.join(lacking)}: no memory of this run made any")
    if JUDGE in tasks and not any(isinstance(task, Pair) for task in key.sheet.tasks):
        lines.append(
            "no blind pairs: --references FILE (of an import of task b) gives those of texts, "
            "--sequences FILE (of `audience eval generation`) those of sequences"
        )
    memories: dict[str, dict[str, tuple[str, ...]]] = {}
    for task in key.sheet.tasks:
        seal = key.tasks[task.id]
        if isinstance(task, Score) and isinstance(seal, ScoredKey):
            memories.setdefault(seal.case, {})[seal.variant] = task.memories
    for variant in VARIANTS[1:]:
        same = sum(
            variants.get(variant) == variants.get(VARIANTS[0]) for variants in memories.values()
        )
        if same:
            lines.append(
                f"{variant}: recalls the same as the full memory in {same} of "
                f"{len(memories)} behaviours"
            )
    return lines
