"""Gates for CI: conditions on differences, tested by the bounds of their intervals."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import msgspec

from audience.errors import BadInput, unknown
from audience.metrics import LABELS
from audience.results import MOST_FAILED, Arm, Difference, Findings, t95, t_quantile

FAILED_SHARE = "failed_share"
"""Names the share of decisions and pages that failed, which is no difference."""
POWER = 0.8
_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*([+-]?\d+(?:\.\d+)?)\s*(%?)\s*")


class Condition(msgspec.Struct, frozen=True):
    """A condition on how another run differs from the first, such as `satisfaction < -2%`."""

    text: str
    metric: str
    sign: str
    bound: float
    relative: bool

    def holds(self, value: float) -> bool:
        """Return whether a number meets the condition."""
        match self.sign:
            case "<":
                return value < self.bound
            case "<=":
                return value <= self.bound
            case ">":
                return value > self.bound
        return value >= self.bound

    def scale(self, difference: Difference) -> float:
        """Return what makes a difference comparable with the bound: 1, or 100 / reference."""
        if not self.relative:
            return 1.0
        mean = abs(difference.reference_mean)
        return 100.0 / mean if mean else math.nan


class Ruling(msgspec.Struct, frozen=True):
    """What a condition says of one arm or run, in the condition's own unit."""

    condition: str
    arm: str
    failed: bool
    value: float
    low: float
    high: float
    least: float
    """The least change that would be seen in 80 % of such comparisons."""
    unit: str
    why: str = ""
    """Why there is nothing to judge by, if so."""

    def __str__(self) -> str:
        word = "FAILED" if self.failed else "passed"
        if self.why:
            return f"{word}: {self.condition}: {self.arm}: {self.why}"
        told = f"{word}: {self.condition}: {self.arm} {self._told(self.value)}"
        if math.isnan(self.low):
            return told
        told += f" [{self._told(self.low)}, {self._told(self.high)}]"
        if self.failed or math.isnan(self.least):
            return told
        return f"{told}; 80 % of such comparisons would see {self._told(self.least)}"

    def _told(self, value: float) -> str:
        return f"{value:+.2f} %" if self.unit else f"{value:+.4g}"


def condition(text: str) -> Condition:
    """Return the condition that a text such as `satisfaction < -2%` states."""
    match = _CONDITION.fullmatch(text)
    if not match:
        raise BadInput(f'--fail-if {text!r} is not METRIC < NUMBER, as in "satisfaction < -2%"')
    metric, sign, bound, percent = match.groups()
    if metric not in LABELS and metric != FAILED_SHARE:
        raise BadInput(f"--fail-if: {unknown('metric', metric, (*LABELS, FAILED_SHARE))}")
    return Condition(text.strip(), metric, sign, float(bound), bool(percent))


def ruled(conditions: Sequence[Condition], findings: Findings) -> list[Ruling]:
    """Return a ruling for each condition and compared arm, then those for failed decisions.

    A condition holds if the whole 95 % interval meets it: `<` tests the upper bound, `>` the lower.
    A number that is missing fails, and so do more than 5 % failed decisions or pages in any run.
    """
    if conditions and len(findings.arms) < 2:
        raise BadInput("--fail-if: there is one arm and nothing to compare; give two or more")
    rulings = []
    for one in conditions:
        if one.metric == FAILED_SHARE:
            rulings += [_by_share(one, arm) for arm in findings.arms]
            continue
        by_arm = {each.other: each for each in findings.differences if each.metric == one.metric}
        rulings += [_by_bound(one, arm.name, by_arm.get(arm.name)) for arm in findings.arms[1:]]
    if not conditions:
        return []
    usual = condition(f"{FAILED_SHARE} > {100 * MOST_FAILED:.0f}%")
    return rulings + [ruling for arm in findings.arms if (ruling := _by_share(usual, arm)).failed]


def failed_in(rulings: Sequence[Ruling]) -> tuple[str, ...]:
    """Return the conditions that failed, each once."""
    return tuple(dict.fromkeys(ruling.condition for ruling in rulings if ruling.failed))


def plain_rulings(rulings: Sequence[Ruling]) -> list[dict[str, object]]:
    """Return rulings as plain values; NaN becomes None."""
    return [
        {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in msgspec.to_builtins(ruling).items()
        }
        for ruling in rulings
    ]


def _by_bound(asked: Condition, arm: str, difference: Difference | None) -> Ruling:
    unit = "%" * asked.relative
    if difference is None:
        return _missing(asked, arm, f"{asked.metric} was not measured")
    scale = asked.scale(difference)
    value, low, high = (
        number * scale for number in (difference.difference, difference.low, difference.high)
    )
    if math.isnan(value):
        return _missing(asked, arm, "there is no number to judge by")
    if math.isnan(low) or math.isnan(high):
        return _missing(asked, arm, "there is no interval to judge by; compare arms with --seeds 3")
    is_below = asked.sign.startswith("<")
    failed = asked.holds(high if is_below else low)
    reach = (high - low) / 2.0 * (1.0 + _more(difference.pairs - 1))
    least = asked.bound - reach if is_below else asked.bound + reach
    return Ruling(asked.text, arm, failed, value, low, high, least, unit)


def _more(freedom: int) -> float:
    """Return how much wider than half an interval a change must be to be seen in 80 % of cases."""
    return t_quantile(POWER, freedom) / t95(freedom)


def _by_share(asked: Condition, arm: Arm) -> Ruling:
    worst = max(max(run.failed, run.failed_pages) for run in arm.runs)
    value = 100.0 * worst if asked.relative else worst
    failed = math.isnan(value) or asked.holds(value)
    nothing = (math.nan,) * 3
    return Ruling(asked.text, arm.name, failed, value, *nothing, "%" * asked.relative)


def _missing(asked: Condition, arm: str, why: str) -> Ruling:
    nothing = (math.nan,) * 4
    return Ruling(asked.text, arm, True, *nothing, "%" * asked.relative, why)
