"""Whether people have a model to decide by; the small embedded one is never taken silently."""

from __future__ import annotations

from pathlib import Path

from audience.errors import shell_command
from audience.llm import TUNED
from audience.runs.cost import CostEstimate, estimate
from audience.runs.jobs import variants
from audience.scenario import (
    AT_CHANCE,
    EMBEDDED,
    Scenario,
    changed,
    decides_by_model,
    endpoints_of,
    is_unchosen,
    tuned_model,
)

PROMPT_RATE, REPLY_RATE = 200.0, 20.0
"""Tokens of an estimate a second. Measured on two busy cores, the embedded model took from a third
of the time that these give to twice as long."""
UNREADABLE = (
    "hardly any reply of this small model in the paper's free format can be read; --mind llm asks "
    "for structured replies"
)


def lacks_model(scenario: Scenario) -> bool:
    """Return whether people in some arm decide by a language model and none was chosen."""
    return any(is_unchosen(arm.llm) for arm in _deciding(scenario))


def warning_of(scenario: Scenario) -> str:
    """Return what to know before people decide by a small model on this machine; else ``."""
    tuned = [
        arm
        for arm in variants(scenario).values()
        if tuned_model(arm) == TUNED and not endpoints_of(arm.llm)
    ]
    if tuned:
        return f"{TUNED} takes {_minutes(estimate(scenario))}."
    small = [
        arm
        for arm in _deciding(scenario)
        if not arm.llm.model and not arm.llm.endpoints and arm.llm.url in ("", EMBEDDED)
    ]
    if not small:
        return ""
    why = UNREADABLE if any(map(_is_faithful, small)) else AT_CHANCE
    return f"The embedded model takes {_minutes(estimate(scenario))}; {why}."


def how_to_choose(scenario: Scenario, name: str) -> str:
    """Return what is missing, what the run would take, and how to get a model for it."""
    expected, embedded = estimate(scenario), f"--llm {EMBEDDED}"
    run = shell_command("run", Path(name)) if name else shell_command("run")
    calls, tokens = expected.calls, expected.prompt + expected.completion
    if any(map(_is_faithful, _deciding(scenario))):
        embedded += " --mind llm"
        expected = estimate(changed(scenario, mind="llm"))
    return f"""{name}: people decide by a language model, and none is given.
This run takes about {calls:,.0f} calls and {tokens:,.0f} tokens.
  {run} --llm URL [--model NAME] [--key-env NAME]
      any OpenAI-compatible endpoint: a server of your own (vLLM, llama.cpp, Ollama), such as
      http://127.0.0.1:8000/v1, or a provider; --estimate prints the cost
  {run} {embedded}
      the embedded model: {_minutes(expected)};
      {AT_CHANCE}
Fewer people and rounds take less: --agents N --rounds N"""


def _deciding(scenario: Scenario) -> list[Scenario]:
    """Return the arms in which a language model decides."""
    return [arm for arm in variants(scenario).values() if decides_by_model(arm)]


def _is_faithful(scenario: Scenario) -> bool:
    return scenario.mind.options.get("prompting") == "faithful"


def _minutes(expected: CostEstimate) -> str:
    seconds = expected.prompt / PROMPT_RATE + expected.completion / REPLY_RATE
    minutes = max(1, round(seconds / 60.0))
    return f"roughly {minutes:,} minutes on two cores, within a factor of three"
