"""How well a model finds what users kept apart took last, while it is trained.

The questions have the shapes of `audience eval discrimination`: the last items of a user among
items they never took, drawn uniformly or of like popularity.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.llama import Llama, mask_of
from training.pages import HISTORY, PageDealer, _Pages

SHAPES = ((1, 5), (3, 3), (3, 7), (1, 9))
KINDS = ("uniform", "matched")
AT_ONCE = 64


class Exam:
    """A fixed set of questions to the users of one part."""

    def __init__(self, material: Path, part: str = "valid", most: int = 256) -> None:
        dealer = PageDealer(material, part)
        users = [user for user in range(len(dealer.lives)) if len(dealer.lives[user]) > 6][:most]
        asked = [self._row(dealer, user) for user in users]
        self.rows, self.truths = [row for row, _ in asked], [truth for _, truth in asked]
        self.letters = torch.from_numpy(dealer.letters[1:].astype(np.int64))

    def _row(self, dealer: PageDealer, user: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return the rows of tokens of a user's questions, one for each history, and the truths."""
        items = dealer.lives[user].astype(np.int64)
        draws = np.random.default_rng([user, 99])
        rows, truths = [], []
        for held in (1, 3):
            history = items[: len(items) - held][-HISTORY:]
            pages = _Pages(dealer.stem(user, history))
            for kind in KINDS:
                for shape in (shape for shape in SHAPES if shape[0] == held):
                    taken = items[len(items) - held :]
                    others = dealer.negatives(draws, kind, taken, history, items, shape[1])
                    order = draws.permutation(sum(shape))
                    truth = order < held
                    page, _ = dealer.written(np.concatenate([taken, others])[order], truth)
                    assert pages.add(page, [(0, 1.0)])
                    truths.append(truth)
            rows.append(pages.row())
        return rows, truths

    @torch.no_grad()
    def sit(self, model: Llama, device: str) -> dict[str, float]:
        """Return the share found for each kind of question."""
        flat = [row for rows in self.rows for row in rows]
        scores: list[np.ndarray] = []
        for start in range(0, len(flat), AT_ONCE):
            scores += self._scores(model, device, flat[start : start + AT_ONCE])
        truths = [truth for each in self.truths for truth in each]
        hits = [_hit(score, truth) for score, truth in zip(scores, truths, strict=True)]
        names = [
            f"{kind} {a},{b}" for held in (1, 3) for kind in KINDS for a, b in SHAPES if a == held
        ]
        shares = np.array(hits).reshape(-1, len(names)).mean(axis=0)
        return dict(zip(names, shares.round(4).tolist(), strict=True))

    def _scores(self, model: Llama, device: str, rows: list) -> list[np.ndarray]:
        columns = ("tokens", "places", "document", "branch")
        tokens, places, document, branch = (
            torch.from_numpy(np.stack([getattr(row, name) for row in rows])).to(device)
            for name in columns
        )
        with torch.autocast(device, torch.bfloat16):
            hidden = model(tokens, places, mask_of(document, branch))
        at = [
            number * tokens.shape[1] + place
            for number, row in enumerate(rows)
            for place, _, _ in row.labels
        ]
        logits: Tensor = model.logits(hidden.flatten(0, 1)[torch.tensor(at, device=device)])
        return list(logits[:, self.letters.to(device)].cpu().numpy())


def _hit(scores: np.ndarray, truth: np.ndarray) -> float:
    """Return the share of what was taken among as many that score highest."""
    first = np.argsort(-scores[: len(truth)], kind="stable")[: truth.sum()]
    return float(truth[first].mean())
