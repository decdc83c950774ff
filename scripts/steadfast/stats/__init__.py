"""Shared code of all benchmarks' metrics: reading scores, statistics, tidy CSV files."""

FIRST_LOOK = 2
"""Rounds of an adaptive run before its first decision: one context of a kind has no variance."""
