"""Reading the config, and what rules take of it."""
