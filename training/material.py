"""What choices are trained on: the histories of training users, and tokens of the product's prompt.

    python -m training.material --data PATH --base MODEL.gguf --out material.npz

Pages are dealt from it while training (`pages.py`), so that no page is seen twice. Users of the
test part are left out before anything is counted; those of the valid part are kept apart, to stop
early.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer

from audience.agents.language import LETTERS, brief_line, mind_prompts
from audience.lab.evaluation import Real, part_of_user, read_real
from audience.recommenders import products, solved
from audience.world import Catalogue, Profile
from training.tokens import chat, encoded, tokenizer_of

MODEL = "audience-135m"
NEIGHBOURS = 40
REGULARISATION = 1000.0
HEARD = ("", ", heard good", ", heard mixed", ", heard bad")
_HOLES = {"brief": "\x01", "lately": "\x02", "titles": "\x03"}


def main() -> None:
    """Write the material of a dataset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True, help="SmolLM2-135M-Instruct, GGUF")
    parser.add_argument("--out", type=Path, default=Path("material.npz"))
    given = parser.parse_args()
    arrays = material_of(read_real(given.data), tokenizer_of(given.base))
    np.savez_compressed(given.out, **arrays)
    print(
        f"{given.out}: {len(arrays['train_keys'])} users, {len(arrays['train_items'])} items taken"
    )


def material_of(real: Real, tokenizer: Tokenizer) -> dict[str, np.ndarray]:
    """Return all arrays that pages are dealt from."""
    parts = {name: users_of(real, name) for name in ("train", "valid")}
    arrays: dict[str, np.ndarray] = {}
    for name, users in parts.items():
        lives = [items_of(real, user) for user in users]
        arrays |= ragged(f"{name}_items", lives, np.int16)
        arrays[f"{name}_keys"] = np.array([real.keys[user] for user in users])
        heads = [who_of(real.profiles[user]) for user in users]
        arrays |= ragged(f"{name}_heads", encoded(tokenizer, heads), np.uint16)
    arrays |= token_arrays(real.catalogue, real.domain.noun, real.domain.past, tokenizer)
    train = parts["train"]
    kept = np.isin(real.users, train)
    arrays["counts"] = np.bincount(real.items[kept], minlength=len(real.catalogue))
    arrays["weights"] = real.catalogue.weights.astype(np.float32)
    arrays["neighbours"] = neighbours_of(real, kept)
    return arrays


def users_of(real: Real, part: str) -> list[int]:
    """Return the users of a part who have a history."""
    sizes = np.bincount(real.users, minlength=real.people)
    return [
        user for user, key in enumerate(real.keys) if part_of_user(key) == part and sizes[user] > 2
    ]


def items_of(real: Real, user: int) -> list[int]:
    """Return what a user took, oldest first, each item once."""
    return list(dict.fromkeys(real.items[real.users == user].tolist()))


def who_of(who: Profile) -> str:
    """Return the line about a person, as prompts have it, up to their interests."""
    about = [str(who.age)] if who.age is not None else []
    about += [part for part in (who.gender, who.career) if part]
    return "; likes".join([", ".join(about), ""]) if about else "likes"


def token_arrays(
    catalogue: Catalogue, noun: str, past: str, tokenizer: Tokenizer
) -> dict[str, np.ndarray]:
    """Return the tokens of lines, options and the parts of the prompt between them."""
    lines = [brief_line(item) for item in catalogue.items]
    pack = mind_prompts(model=MODEL)
    holes = {"noun": noun, "past": past, **_HOLES}
    rules = [pack.fill(name, holes) for name in ("rules", "page_choice_rules")]
    whole = chat("\n\n".join(rules), pack.fill("page_choice", holes))
    pieces = [whole]
    for mark in _HOLES.values():
        pieces = [*pieces[:-1], *pieces[-1].split(mark)]
    letters = [tokenizer.token_to_id(letter) for letter in ("0", *LETTERS)]
    made = {"letters": np.array(letters, np.uint16)}
    made |= ragged("lines", encoded(tokenizer, [f"{line}\n" for line in lines]), np.uint16)
    made |= ragged("options", encoded(tokenizer, [f" {line}" for line in lines]), np.uint16)
    made |= ragged("pieces", encoded(tokenizer, pieces), np.uint16)
    made |= ragged("heard", encoded(tokenizer, HEARD), np.uint16)
    made |= ragged("tags", encoded(tokenizer, [f" {tag}" for tag in catalogue.tags]), np.uint16)
    made["marks"] = np.array([tokenizer.encode(mark).ids[0] for mark in (",", "\n")], np.uint16)
    return made


def neighbours_of(real: Real, kept: np.ndarray) -> np.ndarray:
    """Return for each item those that EASE recommends to whoever took it, best first."""
    users, items = real.users[kept], real.items[kept]
    taken = csr_matrix((np.ones(len(users), np.float32), (users, items)))
    taken.resize(real.people, len(real.catalogue))
    weights = solved(products(taken), REGULARISATION)
    return np.argsort(-weights, axis=1, kind="stable")[:, :NEIGHBOURS].astype(np.int16)


def ragged(name: str, rows: Sequence[Sequence[int]], kind: type) -> dict[str, np.ndarray]:
    """Return rows of different lengths as one array and where each begins."""
    ends = np.cumsum([0, *map(len, rows)])
    flat = np.fromiter((value for row in rows for value in row), kind, int(ends[-1]))
    return {name: flat, f"{name}_ends": ends.astype(np.int64)}


if __name__ == "__main__":
    main()
