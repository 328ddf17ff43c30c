"""What another policy would have earned, from a log with propensities: IPS, SNIPS, DR.

With w = target probability / logged probability of the item shown and r its reward:

  IPS     mean of w r                                   unbiased
  SNIPS   sum of w r / sum of w                         less variance, a little bias
  DR      mean of q(target) + w (r - q(shown))          unbiased if chances or the model q are right
"""

from __future__ import annotations

import msgspec
import numpy as np

from audience.lab.backtest.logs import BanditLog
from audience.results import Column, Interval, ResultTable, t_interval
from audience.world import Floats, Ints

_SHRINK = 50.0


class PolicyEstimate(msgspec.Struct, frozen=True):
    """The estimated value of one policy."""

    policy: str
    ips: Interval
    snips: Interval
    dr: Interval
    effective: float
    """How many rows of its own the weighted log is worth."""


def estimated(name: str, log: BanditLog, target: Floats, model: Floats) -> PolicyEstimate:
    """Return the value of a policy that shows item i with the chance `target[place, i]`.

    `model[i]` is the reward expected of item i, learnt from other rows.
    """
    inside = _places(log)
    weights = target[inside, log.shown] / log.chances
    terms = weights * log.rewards
    total = float(weights.sum())
    ratio = float(terms.sum()) / total if total else float("nan")
    rest = weights * (log.rewards - ratio)
    spread = t_interval(rest * (len(rest) / total) if total else rest)
    direct = (target[inside] * model).sum(axis=1)
    doubly = direct + weights * (log.rewards - model[log.shown])
    squares = float((weights**2).sum())
    return PolicyEstimate(
        name,
        t_interval(terms),
        Interval(ratio, ratio + spread.low, ratio + spread.high, len(rest)),
        t_interval(doubly),
        total**2 / squares if squares else 0.0,
    )


def _places(log: BanditLog) -> Ints:
    """Return the places of a log, dense from 0."""
    return np.unique(log.places, return_inverse=True)[1].astype(np.int64)


def item_rewards(log: BanditLog) -> Floats:
    """Return the mean reward of each item, shrunk towards the mean of all."""
    mean = float(log.rewards.mean())
    counts = np.bincount(log.shown, minlength=len(log.items))
    sums = np.bincount(log.shown, log.rewards, minlength=len(log.items))
    rewards: Floats = (sums + _SHRINK * mean) / (counts + _SHRINK)
    return rewards


def estimates_of(log: BanditLog) -> list[PolicyEstimate]:
    """Return simple policies, learnt from the even rows and estimated on the odd ones."""
    learnt = log.rows(np.arange(0, len(log), 2))
    rest = log.rows(np.arange(1, len(log), 2))
    model = item_rewards(learnt)
    many, places = len(log.items), len(np.unique(rest.places))
    order = np.argsort(-model, kind="stable")
    targets = {"uniform": np.full((places, many), 1.0 / many)}
    for share in (0.5, 0.25, 0.1):
        best = order[: max(1, round(share * many))]
        targets[f"best {share:.0%} of items"] = np.zeros((places, many))
        targets[f"best {share:.0%} of items"][:, best] = 1.0 / len(best)
    return [estimated(name, rest, target, model) for name, target in targets.items()]


def estimate_table(log: BanditLog, estimates: list[PolicyEstimate]) -> ResultTable:
    """Return the estimates as a table."""
    columns = (
        Column("policy", is_text=True),
        *(Column(name, digits=5) for name in ("IPS", "SNIPS", "DR")),
        Column("effective rows", digits=0),
    )
    rows = tuple((each.policy, each.ips, each.snips, each.dr, each.effective) for each in estimates)
    note = (
        f"{len(log):,} rows, {len(log.items):,} items, mean reward {log.rewards.mean():.5f}. "
        "Policies learn from every other row and are estimated on the rest. Nothing is validated "
        "by this: it says what a log can tell."
    )
    return ResultTable(columns, rows, f"{log.what}: estimated rewards", note)
