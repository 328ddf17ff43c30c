"""The range of every number that a user may give: in the tables of a scenario and for parts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from audience.errors import BadInput

Range = tuple[float, float]
_SHARE: Range = (0, 1)
_WEIGHT: Range = (-1_000, 1_000)
_AMOUNT: Range = (0, 1_000)
_SECONDS: Range = (0, 1_000_000)
_MANY: Range = (1, 1_000_000)
_STARS: Range = (0, 5)
LARGEST_SEED = (1 << 62) - 1

SECTIONS: dict[str, dict[str, Range]] = {
    "clock": {},
    "": {"seed": (-LARGEST_SEED, LARGEST_SEED), "seeds": (1, 10_000), "agents": (1, 10_000_000)},
    "platform": {
        "page_size": _MANY,
        "max_pages": _MANY,
        "random_k": (0, 1_000_000),
        "feed_length": (1, 1_000),
    },
    "activation": {
        "share": _SHARE,
        "loyalty": _SHARE,
        "at_most": (0, 10_000_000),
        "attention": _SHARE,
    },
    "time": {
        "window": (1, 525_600),
        "visits": _AMOUNT,
        "sigma": (0.01, 5),
        "alpha": (1.05, 100),
    },
    "run": {
        "rounds": (1, 1_000_000),
        "max_turns": _MANY,
        "max_lines": (0, 100),
        "refit": (0, 1_000_000),
        "drift": _SHARE,
        "concurrency": (0, 100_000),
        "deadline": _SECONDS,
        "part_deadline": _SECONDS,
        "wave": (1, 10_000_000),
    },
    "ties": {
        "grow": _SHARE,
        "fade": (0, 1_000_000),
        "random_k": _AMOUNT,
        "rewire": _SHARE,
        "every": _MANY,
        "sample": _MANY,
    },
    "groups": {"share": _SHARE, "size": (2, 100), "items": (1, 1_000)},
    "llm": {
        "concurrency": (0, 100_000),
        "deadline": (0.001, 1_000_000),
        "overall": (0.001, 1_000_000),
        "largest_reply": (1_000, 1 << 30),
        "weight": (0, 1e9),
    },
    "spread": {
        "degree": _AMOUNT,
        "mutual": _SHARE,
        "decay": _SHARE,
        "half_life": (0.001, 1_000_000),
        "keep": (1, 100_000),
        "at": _MANY,
        "stance": (-1, 1),
        "favour": _SHARE,
    },
}
"""By section and key, the least and the most; the section without a name is the top."""

RULES: dict[str, Range] = {
    "most_picks": (1, 1_000),
    **dict.fromkeys(
        ("save dropped talkative follow unfollow distant news_write conform boredom").split(),
        _SHARE,
    ),
}
"""Parameters of rule minds that are shares or counts; all others are weights."""

PARTS: dict[str, dict[str, Range]] = {
    "mind": {
        "temperature": (0, 2),
        "max_tokens": (1, 1_000_000),
        "recall": (0, 1_000),
        "candidates": (1, 100),
        "share": _SHARE,
        "pull": _WEIGHT,
        "usual": _WEIGHT,
        "choosy": _WEIGHT,
        "glances": (1, 100),
    },
    "memory": {
        "capacity": (1, 100_000),
        "enhancements": (1, 1_000),
        **dict.fromkeys("keep similar related merge delta decay".split(), _SHARE),
        "beta": _AMOUNT,
        "rate": _AMOUNT,
        "untouched": _SECONDS,
        "reflect_at": (0.001, 1_000_000),
        "budget": (0, 1_000_000),
        "every": _AMOUNT,
    },
    "recommender": {
        **dict.fromkeys("factors hidden layers neighbours recent reach".split(), (1, 100_000)),
        **dict.fromkeys("epochs rounds most telling".split(), (0, 100_000)),
        "regularisation": (0, 1e9),
        "confidence": (0, 1e6),
        "shrink": (0, 1e9),
        "rate": (1e-9, 1_000),
        "batch": (1, 10_000_000),
        "dropout": (0, 0.99),
        "anneal": (0, 1_000),
        "fading": _SHARE,
        "evening": _SHARE,
        "half_life_days": _SECONDS,
        "window_days": _SECONDS,
        "min_stars": _STARS,
        "timeout": (0.001, 100_000),
        "tries": (1, 100),
        "fewest": _AMOUNT,
    },
    "dataset": {
        "items": (1, 10_000_000),
        "past": (0, 100),
        "degree": _AMOUNT,
        "rewire": _SHARE,
        "homophily": _SHARE,
        "min_per_person": (0, 1_000_000_000),
        "min_per_item": (0, 1_000_000_000),
        "hold_last": (0, 1_000_000),
    },
}
"""By the kind of part, options of the built-in parts."""


def check_section(section: str, values: Mapping[str, Any], where: str) -> None:
    """Raise BadInput for a number of a scenario's table that is out of its range."""
    _check(SECTIONS[section], values, f"{where}: {section}" if section else where)


def check_options(what: str, options: Mapping[str, Any], where: str) -> None:
    """Raise BadInput for an option of a built-in part that is out of its range."""
    _check(PARTS.get(what, {}), options, where)


def check_rules(parameters: Mapping[str, Any], where: str) -> None:
    """Raise BadInput for a parameter of rule minds that is out of its range."""
    _check(dict.fromkeys(parameters, _WEIGHT) | RULES, parameters, where)


def _check(ranges: Mapping[str, Range], values: Mapping[str, Any], where: str) -> None:
    for key, value in values.items():
        if key not in ranges or isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        least, most = ranges[key]
        if not math.isfinite(value) or not least <= value <= most:
            raise BadInput(f"{where}: {key}: {value} is not between {least:,} and {most:,}")
