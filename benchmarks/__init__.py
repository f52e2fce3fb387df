"""Benchmarks: ratios measured in one run, for people to read; no test depends on them."""
