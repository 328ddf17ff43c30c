"""Running with progress bars, then printing the findings, the costs and the warnings."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial, reduce
from hashlib import blake2b
from pathlib import Path

import click
from rich.markup import escape

from audience.cli import options as o
from audience.cli.gate import fail_if_any, print_rulings
from audience.cli.screen import Bar, PoolBar, print_findings, stoppable
from audience.engine import RecommenderFault, cores
from audience.errors import AudienceError, Interrupted, shell_command
from audience.llm import Counts
from audience.log import Log, NotWritten
from audience.results import Findings, Fitting, plain_band, write_report
from audience.runs import (
    WORDS,
    Condition,
    Outcome,
    Pool,
    TaskFault,
    conduct,
    failed_in,
    line_of,
    plain_rulings,
    pool_for,
    ruled,
    story,
    variants,
    with_sensitivity,
)
from audience.scenario import Scenario, SpendingOptions
from audience.terminal import Console

MANY = 0.05
"""The share of unusable answers above which a warning is printed."""


def conduct_on_screen(
    scenario: Scenario,
    folder: Path,
    *,
    as_json: bool,
    report: bool = True,
    spending: SpendingOptions | None = None,
    conditions: Sequence[Condition] = (),
    sensitivity: bool = False,
    fitting: Fitting | None = None,
    workers: int = 0,
    cluster: str = "",
    make_room: Callable[[], None] = lambda: None,
) -> None:
    """Run or resume what belongs in `folder`, showing progress, and report.

    `conditions` are a gate: exit with 1 if one holds. With `sensitivity`, the arms of an
    experiment are also tried before other audiences. `fitting` is what its people were fitted to.
    `workers` is how many processes are used; 0: one per core. `cluster` takes runs instead.
    `make_room` clears the folder, once all else that is needed is there.
    """
    errors = Console(stderr=True)
    arms = list(variants(scenario).values())
    with pool_for(arms, workers, cluster=cluster) as pool:
        make_room()
        outcome = conducted(
            *(scenario, folder, errors, spending),
            quiet=as_json,
            fitting=fitting,
            workers=workers,
            pool=pool,
        )
        if sensitivity:
            outcome = _tried(scenario, outcome, errors, pool, quiet=as_json)
    if not as_json:
        print_findings(outcome.findings)
    page = _reported(outcome, folder, errors) if report else None
    rulings = ruled(conditions, outcome.findings)
    if as_json:
        gate = {"failed": failed_in(rulings), "rulings": plain_rulings(rulings)}
        gated = {"gate": gate} if conditions else {}
        o.print_json(summary_of(outcome) | {"report": page} | gated)
    else:
        _print_rest(outcome, folder, page)
        print_rulings(rulings)
    fail_if_any(rulings)
    fail_if_withheld(outcome.findings)


def _tried(
    scenario: Scenario, outcome: Outcome, errors: Console, pool: Pool, *, quiet: bool
) -> Outcome:
    """Return an outcome whose verdict says how it fares before other audiences."""
    began = time.perf_counter()
    with errors.status("Trying other audiences …"), stoppable() as stopping:
        found = with_sensitivity(scenario, outcome, stopping, pool)
    if found.findings.band and not quiet:
        own = sum(done.seconds for done in outcome.finished)
        spent = time.perf_counter() - began
        errors.print(
            f"Other audiences: {len(found.findings.band.settings)} settings in {spent:.1f} s, "
            f"beside {own:.1f} s of the run; --no-sensitivity leaves them out.",
            highlight=False,
            soft_wrap=True,
        )
    return found


def fail_if_withheld(*findings: Findings) -> None:
    """Exit with 1 if too many decisions failed for a verdict."""
    if any(one.is_withheld for one in findings):
        raise click.exceptions.Exit(1)


def _print_rest(outcome: Outcome, folder: Path, page: str | None) -> None:
    lines = (spent_lines, failed_lines, memory_lines, served_lines)
    for line in (line for tell in lines for line in tell(outcome)):
        click.echo(line)
    last = outcome.finished[-1].measured.folder
    if any(one.spent.calls + one.spent.reused for one in outcome.finished):
        _let_hear(Path(last))
    report = shell_command("report", folder)
    click.echo(f"\nReport: {page or f'write it with `{report}`'}")
    click.echo(f"Look closer: {shell_command('show', Path(last))}")


def conducted(
    scenario: Scenario,
    folder: Path,
    errors: Console,
    spending: SpendingOptions | None,
    *,
    quiet: bool,
    fitting: Fitting | None = None,
    workers: int = 0,
    pool: Pool | None = None,
) -> Outcome:
    """Run or resume, showing progress; an error says how to continue."""
    runs = max(len(scenario.arms), 1) * scenario.seeds
    go_on = f"Continue with: {shell_command('resume', folder)}"
    if not quiet:
        _announce(scenario, errors, folder)
    work = partial(
        conduct,
        scenario,
        folder,
        spending=spending,
        fitting=fitting,
        workers=workers or cores(),
    )
    try:
        with stoppable() as stopping:
            if pool and not pool.is_here and runs > 1:
                with PoolBar(errors, runs, runs * scenario.rounds) as together:
                    return work(pool=pool, counted=together.watch, stopping=stopping)
            with Bar(errors, runs, scenario.rounds) as bar:
                return work(progress=bar, stopping=stopping, pool=pool)
    except Interrupted as stopped:
        why = stopped.__cause__ or "Stopped at a commit point"
        if quiet:
            o.print_json({"run": str(folder), "state": "stopped", "error": str(why)})
        raise Interrupted(f"{why}. {go_on}") from None
    except KeyboardInterrupt:
        raise Interrupted(f"Stopped at once; what was committed is kept. {go_on}") from None
    except (RecommenderFault, TaskFault) as fault:
        raise AudienceError(f"{fault}{line_of(fault)}\nWhat was lived is kept. {go_on}") from fault
    except NotWritten as fault:
        raise AudienceError(f"{fault}. {go_on}" if folder.exists() else str(fault)) from fault


def _announce(scenario: Scenario, console: Console, folder: Path) -> None:
    arms = ", ".join(scenario.arms) or scenario.recommender.kind
    seeds = f", {scenario.seeds} seeds" if scenario.seeds > 1 else ""
    rounds = "1 round" if scenario.rounds == 1 else f"{scenario.rounds} rounds"
    words = (
        f": {scenario.agents:,} people, {rounds} of {scenario.clock.step}{seeds}; "
        f"{scenario.mind.kind} minds; {arms} → {folder}"
    )
    console.print(
        f"[bold]{escape(scenario.title)}[/]{escape(words)}",
        highlight=False,
        soft_wrap=True,
    )


def _reported(outcome: Outcome, folder: Path, errors: Console) -> str:
    try:
        with errors.status("Writing the report and its figures …"):
            return str(write_report(outcome.findings, folder)[0])
    except KeyboardInterrupt:
        raise Interrupted(
            "Everything was run and is kept. Write the report with: "
            f"{shell_command('report', folder)}"
        ) from None


def summary_of(outcome: Outcome) -> dict[str, object]:
    """Return an outcome as the one object that `--json` prints."""
    each = [one.summary for one in outcome.finished]
    if len(each) == 1:
        return each[0]
    total = {key: sum(one[key] for one in each) for key in _SUMMED}  # type: ignore[misc]
    costs = [one["cost"] for one in each]
    digests = "".join(str(one["digest"]) for one in each)
    rounds = each[0]["rounds"]
    return {
        "run": outcome.folder,
        "digest": blake2b(digests.encode(), digest_size=16).hexdigest(),
        "agents": each[0]["agents"],
        "rounds": rounds,
        **total,
        "memory_problems": dict(_memory_problems(outcome)),
        "outcomes": reduce(Counts.plus, (one.spent for one in outcome.finished)).outcomes,
        "cost": None if None in costs else round(sum(costs), 6),  # type: ignore[arg-type]
        "seconds_per_round": round(total["seconds"] / (len(each) * int(rounds)), 4),  # type: ignore[call-overload]
        "verdict": outcome.verdict,
        "marks": outcome.findings.marks,
        "notes": list(outcome.findings.notes),
        "sensitivity": plain_band(outcome.findings),
        "runs": each,
    }


_SUMMED = (
    "decisions",
    "seconds",
    "picks",
    "refused",
    "failed",
    "failed_slates",
    "calls",
    "reused_calls",
    "failed_calls",
    "prompt_tokens",
    "completion_tokens",
)


def _let_hear(run: Path, lines: int = 12) -> None:
    """Print some of what people said in a run."""
    with Log.open(run) as log:
        told = list(story(log, log.complete_rounds(), only=WORDS))
    if told:
        click.echo("\nWhat they said:")
        for line in told[:lines]:
            click.echo(line.rstrip())
        click.echo(f"  All of it: {shell_command('show', run, '--said', '--lines', 0)}")


def spent_lines(outcome: Outcome) -> list[str]:
    """Return what models cost and how well they could be read; nothing where none was asked."""
    spent = [one.spent for one in outcome.finished]
    calls, reused = sum(one.calls for one in spent), sum(one.reused for one in spent)
    if not calls + reused:
        return []
    tokens = sum(one.prompt for one in spent), sum(one.completion for one in spent)
    unknown = sum(one.unpriced for one in spent)
    cost = f"${sum(one.dollars for one in spent):.4f}" if not unknown else "cost unknown"
    failed = sum(one.failed for one in spent)
    lines = [
        "",
        f"Models: {calls:,} calls ({reused:,} reused, {failed:,} failed), "
        f"{tokens[0]:,} + {tokens[1]:,} tokens, {cost}",
    ]
    return lines + _purposes(outcome) + _endpoints(outcome) + _voices(outcome)


def failed_lines(outcome: Outcome) -> list[str]:
    """Return how many decisions failed, and why most did; nothing where none did."""
    failed = sum(int(one.measured.totals["failed"]) for one in outcome.finished)
    failed -= sum(one.failed_slates for one in outcome.finished)
    if failed <= 0:
        return []
    reasons: Counter[str] = Counter()
    for one in outcome.finished:
        reasons.update(one.unusable)
    listed = ", ".join(f"{count:,} × {why}" for why, count in reasons.most_common(3))
    decisions = sum(one.decisions for one in outcome.finished)
    return [f"Failed: {failed:,} of {decisions:,} decisions" + (f" ({listed})" if listed else "")]


def memory_lines(outcome: Outcome) -> list[str]:
    """Return what memories could not use, by what was wrong; nothing where all went well."""
    problems = _memory_problems(outcome)
    listed = ", ".join(f"{count:,} × {problem}" for problem, count in problems.most_common())
    return [f"memory: {listed}"] if listed else []


def served_lines(outcome: Outcome) -> list[str]:
    """Return how many pages a recommender could not give; nothing where it gave them all."""
    failed = sum(one.failed_slates for one in outcome.finished)
    pages = sum(one.measured.totals["pages"] for one in outcome.finished)
    if not failed:
        return []
    return [
        f"Warning: {failed:,} slates failed beside {pages:,.0f} pages shown: the recommender gave "
        "nothing usable; see `audience show RUN`"
    ]


def _memory_problems(outcome: Outcome) -> Counter[str]:
    problems: Counter[str] = Counter()
    for one in outcome.finished:
        problems.update(one.memory_problems)
    return problems


def _purposes(outcome: Outcome) -> list[str]:
    """Return calls and failures by purpose, with a warning where many could not be used."""
    asked: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for one in outcome.finished:
        asked.update({name: sums.calls + sums.reused for name, sums in one.purposes.items()})
        failed.update(one.unusable)
    listed = (f"{name} {count:,}" + _unusable(failed[name]) for name, count in asked.most_common())
    lines = [f"  by purpose: {', '.join(listed)}"]
    for name, count in failed.items():
        if asked[name] and count > MANY * asked[name]:
            lines.append(
                f"Warning: {count / asked[name]:.0%} of the answers for {name} could not be used; "
                "see `audience show RUN --calls`, or try another model"
            )
    return lines


def _endpoints(outcome: Outcome) -> list[str]:
    """Return the calls that each of several endpoints answered."""
    asked: Counter[str] = Counter()
    for one in outcome.finished:
        asked.update(one.endpoints)
    listed = ", ".join(f"{name} {count:,}" for name, count in asked.most_common())
    return [f"  by endpoint: {listed}"] if len(asked) > 1 else []


def _unusable(count: int) -> str:
    return f" ({count:,} unusable)" if count else ""


def _voices(outcome: Outcome) -> list[str]:
    totals = [one.measured.totals for one in outcome.finished]
    spoken = sum(total["spoken_model"] for total in totals)
    template = sum(total["spoken_template"] for total in totals)
    if not template + spoken:
        return []
    share = template / (template + spoken)
    return [f"Words: {spoken:,.0f} by the model, {template:,.0f} by template ({share:.0%})"]
