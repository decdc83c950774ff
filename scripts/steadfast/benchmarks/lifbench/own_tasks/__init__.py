"""Tasks of the user's own: a data file each, and the functions that it names (docs/new-task.md)."""
