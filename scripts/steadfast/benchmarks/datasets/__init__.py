"""Data sets of the user's own: a file, and a scorer by its name."""
