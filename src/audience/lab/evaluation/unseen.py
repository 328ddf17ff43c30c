"""People that `audience-135m` has never seen: a hash of each person's id decides."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Literal

import numpy as np

from audience.errors import BadInput
from audience.world import Ints

Part = Literal["train", "valid", "test"]
_PARTS, _TEST, _VALID = 30, 5, 6
"""Of 30 residues, those below the second are for tests; the one below the third, to stop early."""


def part_of_user(key: str) -> Part:
    """Return the part that a person belongs to, by their id in the source.

    Training learns from `train` alone and stops early by `valid`; `test` is for evaluations.
    """
    digest = blake2b(f"audience-135m {key}".encode(), digest_size=8).digest()
    residue = int.from_bytes(digest, "big") % _PARTS
    if residue < _TEST:
        return "test"
    return "valid" if residue < _VALID else "train"


def unseen_among(people: Ints, keys: Sequence[str]) -> Ints:
    """Return those of some people who belong to the test part; `keys` has everybody's id."""
    if not keys:
        raise BadInput("--unseen: these data have no ids of people; leave it out")
    kept = people[[part_of_user(keys[person]) == "test" for person in people.tolist()]]
    if not len(kept):
        raise BadInput(
            f"--unseen: none of the {len(people)} people who can be asked is held out; give data "
            "with more people, or leave it out"
        )
    return np.asarray(kept, np.int64)
