"""The HTML report: one HTML file with a run's tables, figures and samples, for a browser."""
