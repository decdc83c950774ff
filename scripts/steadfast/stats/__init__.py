"""What the metrics of all benchmarks share: scores as read, statistics, and tidy CSV files."""
