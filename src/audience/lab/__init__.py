"""Science on top of runs: evaluations, judging, probes, verdicts, calibration, studies, spread."""
