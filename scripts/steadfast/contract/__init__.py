"""What a benchmark is: its task, components and records, and how benchmarks are found."""
