"""The benchmarks: each is a package that the contract alone knows, and touches no files."""
