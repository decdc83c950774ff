"""Contexts of the three scenarios, filled exactly to a token budget (paper, section 3.2)."""
