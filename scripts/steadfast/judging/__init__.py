"""Judging: answers go to a model as prompts, and its replies are read as verdicts."""
