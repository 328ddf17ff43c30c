"""Science on top of runs: evaluations, judging, probes, verdicts, studies, spread."""
