"""The schema of the config: every key with its type, default and description."""
