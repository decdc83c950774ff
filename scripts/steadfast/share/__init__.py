"""A run as one file that travels, and benchmarks as data sets, described for other tools."""
