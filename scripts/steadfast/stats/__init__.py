"""Shared code of all benchmarks' metrics: reading scores, statistics, tidy CSV files."""

# Rounds of an adaptive run before its first decision: one context of a kind has no variance.
FIRST_LOOK = 2
