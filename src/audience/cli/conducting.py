"""Running with progress bars, then printing the answer and where the report lies."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import click
from rich.console import Console

from audience.cli import options as o
from audience.cli.screen import Bar, stoppable, summary_table
from audience.errors import Interrupted
from audience.experiments import Outcome, Scenario, conduct, write_report


def conduct_on_screen(scenario: Scenario, folder: Path, *, as_json: bool) -> None:
    """Run or go on with what `folder` is to hold, showing progress, and report."""
    runs = max(len(scenario.arms), 1) * scenario.seeds
    errors = Console(stderr=True)
    if not as_json:
        _announce(scenario, errors, folder)
    try:
        with Bar(errors, runs, scenario.rounds) as bar, stoppable() as stopping:
            outcome = conduct(scenario, folder, progress=bar, stopping=stopping)
    except Interrupted:
        raise Interrupted(
            f"Stopped at a commit point. Go on with: audience resume {folder}"
        ) from None
    paths = write_report(outcome.findings, folder)
    if as_json:
        o.print_json(summary_of(outcome))
        return
    console = Console()
    console.print(summary_table(outcome.findings))
    console.print()
    console.print(outcome.verdict, style="bold", highlight=False)
    click.echo(f"\nReport: {paths[0]}")
    click.echo(f"Look closer: audience show {outcome.finished[-1].measured.folder}")


def _announce(scenario: Scenario, console: Console, folder: Path) -> None:
    arms = ", ".join(scenario.arms) or scenario.recommender.kind
    seeds = f", {scenario.seeds} seeds" if scenario.seeds > 1 else ""
    console.print(
        f"[bold]{scenario.title}[/]: {scenario.agents:,} people, {scenario.rounds} rounds of "
        f"{scenario.clock.step}{seeds}; {scenario.mind.kind} minds; {arms} → {folder}",
        highlight=False,
    )


def summary_of(outcome: Outcome) -> dict[str, object]:
    """Return an outcome as the one object that `--json` prints."""
    each = [one.summary for one in outcome.finished]
    if len(each) == 1:
        return each[0] | {"report": outcome.report}
    total = {key: sum(one[key] for one in each) for key in _SUMMED}  # type: ignore[misc]
    digests = "".join(str(one["digest"]) for one in each)
    rounds = each[0]["rounds"]
    return {
        "run": outcome.folder,
        "digest": blake2b(digests.encode(), digest_size=16).hexdigest(),
        "agents": each[0]["agents"],
        "rounds": rounds,
        **total,
        "seconds_per_round": round(total["seconds"] / (len(each) * int(rounds)), 4),  # type: ignore[call-overload]
        "verdict": outcome.verdict,
        "report": outcome.report,
        "runs": each,
    }


_SUMMED = (
    "decisions",
    "seconds",
    "picks",
    "refused",
    "failed",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "cost",
)
