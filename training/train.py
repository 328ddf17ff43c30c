"""Train a low-rank adapter, or the whole model, on choices and texts.

    python -m training.train --base MODEL.gguf --material material.npz --out DIR --seconds 600

Needs torch, numpy and the pure-Python package gguf. Every batch follows from its number and the
seed. `DIR/state.pt` holds all that is needed to go on (`--resume`), `DIR/best.pt` the weights that
did best on users kept apart, `DIR/curve.jsonl` a line for each time that was measured.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as f

from training.exam import Exam
from training.llama import Llama, mask_of, read_weights
from training.pages import PageDealer, Row, TextDealer

AHEAD = 64
"""Batches that are made before they are needed."""
WARM = 40
"""Steps in which the rate rises, and by which the pace is measured."""
_dealers: dict[str, Any] = {}


def main() -> None:
    """Train until the steps are done; the number of steps follows from the seconds."""
    given = _parser().parse_args()
    torch.manual_seed(given.seed)
    torch.set_float32_matmul_precision("high")
    given.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Llama(read_weights(given.base), given.rank, given.alpha).to(device)
    Trainer(model, given, device).train()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("base", "material", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--texts", type=Path, help="prompts with written answers")
    parser.add_argument("--text-share", type=float, default=0.1, help="of the rows")
    parser.add_argument("--rank", type=int, default=64, help="of the adapter; 0: the whole model")
    parser.add_argument("--alpha", type=float, default=64.0)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--rows", type=int, default=64, help="of a batch")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--steps", type=int, default=0, help="instead of seconds")
    parser.add_argument("--every", type=int, default=150, help="steps between two exams")
    parser.add_argument("--exam", type=int, default=200, help="users kept apart who are asked")
    parser.add_argument("--patience", type=int, default=6, help="exams without gain before it ends")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="weights to begin with")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--eager", action="store_true", help="do not compile")
    return parser


class Trainer:
    """One training: its model, optimiser, schedule and curve."""

    def __init__(self, model: Llama, given: argparse.Namespace, device: str) -> None:
        self.model, self.given, self.device = model, given, device
        if given.start:
            model.load_state_dict(torch.load(given.start, map_location=device), strict=False)
        trained = [weight for weight in model.parameters() if weight.requires_grad]
        print(f"{sum(weight.numel() for weight in trained):,} weights are trained", flush=True)
        self.optimiser = torch.optim.AdamW(
            trained, given.rate, (0.9, 0.98), weight_decay=0.01, fused=device == "cuda"
        )
        self.trained = trained
        self.forward = model if given.eager else torch.compile(model)
        self.exam = Exam(given.material, most=given.exam)
        self.step, self.steps = 0, given.steps
        self.best, self.stale = -math.inf, 0
        if given.resume:
            self._resume()

    def train(self) -> None:
        """Train, examine, and keep what did best."""
        began = paced = time.monotonic()
        losses: list[float] = []
        for batch in batches(self.given, self.step):
            if self.step == WARM and not self.steps:
                pace = (time.monotonic() - paced) / (WARM - WARM // 2)
                left = self.given.seconds - (time.monotonic() - began)
                self.steps = self.step + max(1, int(left / (1.1 * pace)))
                print(f"{pace:.3f} s a step, {self.steps} steps", flush=True)
            if self.step == WARM // 2:
                paced = time.monotonic()
            losses.append(self._learn(batch))
            self.step += 1
            due = self.step % self.given.every == 0
            if due or (self.steps and self.step >= self.steps):
                self._examine(float(np.nanmean(losses)), time.monotonic() - began)
                losses.clear()
            if (self.steps and self.step >= self.steps) or self.stale >= self.given.patience:
                break
        self._keep("last.pt")

    def _learn(self, batch: dict[str, Tensor]) -> float:
        for group in self.optimiser.param_groups:
            group["lr"] = self.given.rate * self._share()
        loss = self._loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        # Reading a loss waits for the device, so few are read.
        return float(loss.detach()) if self.step % 10 == 0 else math.nan

    def _share(self) -> float:
        """Return the share of the rate: it rises, then falls to a twentieth along a cosine."""
        if self.step < WARM or not self.steps:
            return min(1.0, (self.step + 1) / WARM)
        done = (self.step - WARM) / max(1, self.steps - WARM)
        return 0.05 + 0.95 * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))

    def _loss(self, batch: dict[str, Tensor]) -> Tensor:
        moved = {name: part.to(self.device, non_blocking=True) for name, part in batch.items()}
        with torch.autocast(self.device, torch.bfloat16):
            hidden = self.forward(
                moved["tokens"], moved["places"], mask_of(moved["document"], moved["branch"])
            )
            logits = self.model.logits(hidden.flatten(0, 1)[moved["at"]])
        losses = f.cross_entropy(logits, moved["answers"], reduction="none")
        return (losses * moved["weights"]).sum() / moved["weights"].sum()

    def _examine(self, loss: float, seconds: float) -> None:
        """Measure on users kept apart, write a line, and keep the weights if they are the best."""
        found = self.exam.sit(self.model, self.device)
        mean = float(np.mean(list(found.values())))
        line = {
            "step": self.step,
            "seconds": round(seconds, 1),
            "loss": loss,
            "mean": mean,
            **found,
        }
        with (self.given.out / "curve.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        shown = " ".join(f"{name} {value:.3f}" for name, value in found.items())
        print(
            f"step {self.step} {seconds:.0f} s loss {loss:.3f} mean {mean:.4f} {shown}", flush=True
        )
        self.stale = 0 if mean > self.best else self.stale + 1
        if mean > self.best:
            self.best = mean
            self._keep("best.pt")
        state = {"step": self.step, "steps": self.steps, "best": self.best, "stale": self.stale}
        state["optimiser"] = self.optimiser.state_dict()
        torch.save({**state, "weights": self._weights()}, self.given.out / "state.pt")

    def _weights(self) -> dict[str, Tensor]:
        return {
            name: weight.detach()
            for name, weight in self.model.named_parameters()
            if weight.requires_grad
        }

    def _keep(self, name: str) -> None:
        torch.save(self._weights(), self.given.out / name)

    def _resume(self) -> None:
        state = torch.load(self.given.out / "state.pt", map_location=self.device)
        self.model.load_state_dict(state["weights"], strict=False)
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.steps = state["step"], self.given.steps or state["steps"]
        self.best, self.stale = state["best"], state["stale"]


def batches(given: argparse.Namespace, first: int) -> Iterator[dict[str, Tensor]]:
    """Yield batches from a step on, made by other processes."""
    # Processes of their own: a fork of one that uses a device may hang.
    spawned = get_context("spawn")
    with ProcessPoolExecutor(given.workers, spawned, _prepare, (given,)) as pool:
        waiting = [pool.submit(_batch, step) for step in range(first, first + AHEAD)]
        try:
            while True:
                made = waiting.pop(0).result()
                first += 1
                waiting.append(pool.submit(_batch, first + AHEAD - 1))
                yield {name: torch.from_numpy(part) for name, part in made.items()}
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _prepare(given: argparse.Namespace) -> None:
    _dealers["pages"] = PageDealer(given.material, seed=given.seed)
    if given.texts:
        _dealers["texts"] = TextDealer(given.texts, given.seed)
    _dealers["given"] = given


def _batch(step: int) -> dict[str, np.ndarray]:
    given = _dealers["given"]
    texts = round(given.rows * given.text_share) if "texts" in _dealers else 0
    kinds = ["texts"] * texts + ["pages"] * (given.rows - texts)
    return stacked([_dealers[kind].row(step * given.rows + n) for n, kind in enumerate(kinds)])


def stacked(rows: list[Row]) -> dict[str, np.ndarray]:
    """Return rows as the arrays of one batch."""
    names = ("tokens", "places", "document", "branch")
    made = {name: np.stack([getattr(row, name) for row in rows]) for name in names}
    length = made["tokens"].shape[1]
    labels = [
        (number * length + place, token, weight)
        for number, row in enumerate(rows)
        for place, token, weight in row.labels
    ]
    at, answers, weights = zip(*labels, strict=True)
    made |= {"at": np.array(at), "answers": np.array(answers)}
    return made | {"weights": np.array(weights, np.float32)}


if __name__ == "__main__":
    main()
