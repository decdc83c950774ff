"""Reading and checking the config, and the parameters that rules take from it."""
