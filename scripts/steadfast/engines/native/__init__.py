"""Engines ``anthropic`` and ``gemini``: models asked in their providers' own dialects."""
