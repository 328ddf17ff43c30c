"""Benchmarks: what the program promises, measured. Run them with `make bench`."""
