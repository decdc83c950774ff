"""The plan of a run: requests, tokens, hours, cost, and power analysis."""
