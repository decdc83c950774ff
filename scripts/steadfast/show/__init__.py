"""What the tables and figures of all benchmarks share."""
