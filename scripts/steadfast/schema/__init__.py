"""What a config may say: every key, its type, its default and what it is for."""
