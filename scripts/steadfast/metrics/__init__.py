"""What the metrics of all benchmarks share: score frames, coverage, and tidy CSV files."""
