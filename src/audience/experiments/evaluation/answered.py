"""What people chose on the page, as `audience eval people import` leaves it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from audience.errors import BadInput
from audience.experiments.evaluation.discrimination import Answer, shape_name

_FORMAT = "audience-people-choices"


class _Choice(msgspec.Struct, frozen=True):
    by: str
    user: int
    a: int
    b: int
    negatives: str
    candidates: tuple[int, ...]
    chosen: tuple[int, ...]


class _Choices(msgspec.Struct, frozen=True):
    seed: int
    choices: tuple[_Choice, ...]
    format: str = ""


def read_answers(path: Path, seed: int) -> tuple[Answer, ...]:
    """Return what people chose; what models chose is left out, they have rows of their own."""
    remedy = "give the people.json that `audience eval people import` wrote"
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_Choices)
    except OSError as error:
        raise BadInput(f"--people {path}: {error.strerror or error}; {remedy}") from error
    except msgspec.MsgspecError as error:
        raise BadInput(f"--people {path}: {error}; {remedy}") from error
    if found.format != _FORMAT:
        raise BadInput(f"--people {path}: is no file of people's choices; {remedy}")
    if found.seed != seed:
        raise BadInput(
            f"--people {path}: the page was made with seed {found.seed}, so its cases are others; "
            f"use --seed {found.seed}"
        )
    return tuple(
        Answer(one.user, f"{one.negatives} {shape_name(one.a, one.b)}", one.candidates, one.chosen)
        for one in found.choices
        if one.by == "person"
    )
