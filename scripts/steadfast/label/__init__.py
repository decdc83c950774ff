"""Responses for people to label, sampled before any score is seen: a sheet and a page."""
