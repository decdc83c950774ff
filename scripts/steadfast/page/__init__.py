"""The page: one HTML file with a run's tables, figures and samples, for a browser."""
