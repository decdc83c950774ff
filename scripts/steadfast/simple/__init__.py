"""Benchmarks of one score an answer: all but instances and a scorer has a default."""
