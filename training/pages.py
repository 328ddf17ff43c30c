"""Rows of tokens for training: a history with several pages that branch off it, or packed texts.

A row of choices holds one prompt's stem (who, and what they took before) once and as many pages as
fit; each page sees the stem and itself alone, at the places it would have as a prompt of its own,
so that what is trained is what is asked. Needs numpy alone. Every row follows from its number and
the seed, so that training can be resumed and repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

LENGTH = 1152
"""Tokens of a row."""
HISTORY, SHORTER = 24, 0.1
"""Items of a history, and the share of histories that are cut shorter."""
LATER = (0.7, 0.15, 0.1, 0.05)
"""How often a history has none to three items more: those of the visit that a page belongs to."""
AHEAD = 10
"""How far ahead of a history the items lie that its person is said to take."""
INTERESTS = 3
NOTHING = 0.3
"""The share of pages of which nothing is taken."""
WINDOW = (100, 200)
"""Ranks by popularity from which matched negatives are drawn."""
HEARD = {True: (0.90, 0.06, 0.02, 0.02), False: (0.90, 0.03, 0.03, 0.04)}
"""How often an item that is taken (or not) was not heard of, or heard of as good, mixed, bad: our
own law, since data do not tell it. It makes praise double the odds and blame halve them.
"""
KINDS = ("uniform", "matched", "recommended", "mixed")
SHARES = (0.35, 0.35, 0.15, 0.15)


class Row(NamedTuple):
    """One row of a batch. A label is a place, the token that should follow it, and its weight."""

    tokens: np.ndarray
    places: np.ndarray
    document: np.ndarray
    branch: np.ndarray
    labels: list[tuple[int, int, float]]


class Ragged:
    """Rows of different lengths in one array."""

    def __init__(self, arrays: Mapping[str, np.ndarray], name: str) -> None:
        self.flat, self.ends = arrays[name], arrays[f"{name}_ends"]

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, row: int) -> np.ndarray:
        return self.flat[self.ends[row] : self.ends[row + 1]]


class PageDealer:
    """Deals rows of choices from the material of a dataset."""

    def __init__(self, path: Path, part: str = "train", seed: int = 1) -> None:
        arrays = dict(np.load(path))
        self.seed = seed
        self.lives, self.heads = Ragged(arrays, f"{part}_items"), Ragged(arrays, f"{part}_heads")
        self.lines, self.options = Ragged(arrays, "lines"), Ragged(arrays, "options")
        self.pieces, self.heard = Ragged(arrays, "pieces"), Ragged(arrays, "heard")
        self.tags, self.letters = Ragged(arrays, "tags"), arrays["letters"]
        self.comma, self.newline = arrays["marks"].tolist()
        self.weights, self.neighbours = arrays["weights"], arrays["neighbours"]
        counts = arrays["counts"]
        self.pool = np.flatnonzero(counts)
        self.order = self.pool[np.argsort(-counts[self.pool], kind="stable")]
        self.rank = np.full(len(counts), -1, np.int64)
        self.rank[self.order] = np.arange(len(self.order))
        sums = (self.weights * counts[:, None]).sum(axis=0)
        self.usual = np.sqrt(np.maximum(sums / sums.sum(), 1e-9))
        sizes = np.minimum(np.diff(self.lives.ends), 200)
        self.chances = np.cumsum(sizes / sizes.sum())

    def row(self, number: int) -> Row:
        """Return the row with a number: a person, a moment in their history, and its pages."""
        draws = np.random.default_rng([self.seed, number])
        user = int(np.searchsorted(self.chances, draws.random()))
        items = self.lives[user].astype(np.int64)
        cut = int(draws.integers(1, len(items)))
        later = int(draws.choice(len(LATER), p=LATER))
        history = items[max(0, cut - HISTORY - later) : cut]
        if draws.random() < SHORTER:
            history = history[len(history) - int(draws.integers(0, min(12, len(history)) + 1)) :]
        ahead = items[cut : cut + AHEAD]
        pages = _Pages(self.stem(user, history))
        while True:
            page, taken = self.page(draws, history, ahead, np.sort(items))
            if not pages.add(*self.written(page, taken, draws)):
                return pages.row()

    def stem(self, user: int, history: np.ndarray) -> np.ndarray:
        """Return the tokens of a prompt up to the page."""
        first, second, third, _ = (self.pieces[piece] for piece in range(4))
        liked = self.interests(history)
        likes = [token for tag in liked for token in [*self.tags[tag].tolist(), self.comma]][:-1]
        head = self.heads[user].tolist() if likes else self.heads[user].tolist()[:-2]
        lines = [self.lines[item] for item in history.tolist()]
        # The last line of a history ends where the next piece begins a new one.
        told = np.concatenate(lines)[:-1] if lines else np.zeros(0, np.int64)
        second = second if head else second[1:]
        rest = third if lines else third[1:]
        return np.concatenate([first, head, likes, second, told, rest]).astype(np.int64)

    def interests(self, history: np.ndarray) -> list[int]:
        """Return the tags that a history has more of than others, as the product does."""
        lived = self.weights[history].astype(np.float64)
        shares = lived.sum(axis=0) / max(float(lived.sum()), 1e-9)
        first = np.argsort(-shares / self.usual, kind="stable")[:INTERESTS]
        return [tag for tag in first.tolist() if shares[tag] > 0]

    def page(
        self, draws: np.random.Generator, history: np.ndarray, ahead: np.ndarray, known: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the items of a page, shuffled, and which of them are taken."""
        length = int(draws.choice([6, 10, int(draws.integers(4, 21))], p=[0.3, 0.3, 0.4]))
        wanted = int(draws.choice([1, 2, 3, 4], p=[0.5, 0.15, 0.25, 0.1]))
        wanted = 0 if draws.random() < NOTHING else min(wanted, length - 1, len(ahead))
        taken = ahead[:wanted]
        if draws.random() < 0.4:
            taken = draws.choice(ahead, wanted, replace=False)
        kind = str(draws.choice(KINDS, p=SHARES))
        near = taken if wanted else ahead[:1]
        others = self.negatives(draws, kind, near, history, known, length - wanted)
        items = np.concatenate([taken, others])
        order = draws.permutation(len(items))
        return items[order], order < wanted

    def negatives(
        self,
        draws: np.random.Generator,
        kind: str,
        near: np.ndarray,
        history: np.ndarray,
        known: np.ndarray,
        count: int,
    ) -> np.ndarray:
        """Return items that the person never took; `near`: those they are to be as popular as."""
        found: dict[int, None] = {}
        never = set(known.tolist())
        for _ in range(20 * count):
            if len(found) >= count:
                break
            each = str(draws.choice(KINDS[:3])) if kind == "mixed" else kind
            item = self.negative(draws, each, near, history)
            if item not in never:
                found[item] = None
        while len(found) < count:
            item = int(self.pool[draws.integers(len(self.pool))])
            if item not in never:
                found[item] = None
        return np.fromiter(found, np.int64, count)

    def negative(
        self, draws: np.random.Generator, kind: str, near: np.ndarray, history: np.ndarray
    ) -> int:
        if kind == "matched" and self.rank[near[0]] >= 0:
            width = int(draws.choice(WINDOW))
            place = int(self.rank[near[int(draws.integers(len(near)))]])
            start = place - int(draws.integers(width))
            return int(
                self.order[np.clip(start + int(draws.integers(width)), 0, len(self.order) - 1)]
            )
        if kind == "recommended" and len(history):
            liked = int(history[-1 - int(draws.integers(min(len(history), 12)))])
            return int(self.neighbours[liked][int(draws.integers(self.neighbours.shape[1]))])
        return int(self.pool[draws.integers(len(self.pool))])

    def written(
        self, page: np.ndarray, taken: np.ndarray, draws: np.random.Generator | None = None
    ) -> tuple[np.ndarray, list[tuple[int, float]]]:
        """Return the tokens of a page up to the answer, and the answers with their weights."""
        parts: list[np.ndarray] = []
        for place, item in enumerate(page.tolist()):
            parts += [self.letters[place + 1 : place + 2], self.options[item]]
            if draws is not None:
                side = int(draws.choice(4, p=HEARD[bool(taken[place])]))
                parts.append(self.heard[side])
            if place < len(page) - 1:
                parts.append(np.array([self.newline]))
        tokens = np.concatenate([*parts, self.pieces[3]]).astype(np.int64)
        right = np.flatnonzero(taken)
        if not len(right):
            return tokens, [(int(self.letters[0]), 1.0)]
        return tokens, [(int(self.letters[place + 1]), 1.0 / len(right)) for place in right]


class _Pages:
    """A stem and the pages that branch off it, as long as there is room."""

    def __init__(self, stem: np.ndarray) -> None:
        self.tokens, self.places = [stem], [np.arange(len(stem))]
        self.branches = [np.zeros(len(stem), np.int64)]
        self.labels: list[tuple[int, int, float]] = []
        self.stem, self.length = len(stem), len(stem)

    def add(self, page: np.ndarray, answers: Sequence[tuple[int, float]]) -> bool:
        """Add a page; return False if it does not fit."""
        if self.length + len(page) > LENGTH:
            return False
        self.tokens.append(page)
        self.places.append(self.stem + np.arange(len(page)))
        self.branches.append(np.full(len(page), len(self.tokens) - 1, np.int64))
        self.length += len(page)
        self.labels += [(self.length - 1, token, weight) for token, weight in answers]
        return True

    def row(self) -> Row:
        rest = LENGTH - self.length
        columns = [np.concatenate(part) for part in (self.tokens, self.places, self.branches)]
        tokens, places, branches = (np.pad(column, (0, rest)) for column in columns)
        document = np.concatenate([np.zeros(self.length, np.int64), 1 + np.arange(rest)])
        return Row(tokens, places, document, branches, self.labels)


class TextDealer:
    """Packs prompts with written answers into rows; only the answers are learnt."""

    def __init__(self, path: Path, seed: int = 1, weight: float = 0.1) -> None:
        arrays = dict(np.load(path))
        self.prompts, self.replies = Ragged(arrays, "prompts"), Ragged(arrays, "replies")
        self.seed, self.weight = seed, weight

    def row(self, number: int) -> Row:
        """Return the row with a number."""
        draws = np.random.default_rng([self.seed, number, 7])
        tokens, places, document = [], [], []
        labels: list[tuple[int, int, float]] = []
        length = 0
        for each in range(64):
            text = int(draws.integers(len(self.prompts)))
            prompt, reply = self.prompts[text].astype(np.int64), self.replies[text].astype(np.int64)
            whole = np.concatenate([prompt, reply])[:-1]
            if length + len(whole) > LENGTH:
                break
            first = length + len(prompt) - 1
            labels += [(first + n, token, self.weight) for n, token in enumerate(reply.tolist())]
            tokens.append(whole)
            places.append(np.arange(len(whole)))
            document.append(np.full(len(whole), each, np.int64))
            length += len(whole)
        rest = LENGTH - length
        columns = (np.pad(np.concatenate(part), (0, rest)) for part in (tokens, places))
        documents = np.concatenate([*document, 100 + np.arange(rest)])
        return Row(*columns, documents, np.zeros(LENGTH, np.int64), labels)
