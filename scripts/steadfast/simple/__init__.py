"""Benchmarks of one score an answer: by instances and a function, or by a file."""
