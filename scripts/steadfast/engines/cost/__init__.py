"""Tokens, time and cost of requests: billed, expected and planned."""
