"""The config: its schema, and what rules take of it."""
