"""A run as one file that travels: what is in it, and its descriptions for other tools."""
