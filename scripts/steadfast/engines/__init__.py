"""The inference stage: prompts fitted to the window, engines, and the journal of responses."""
