"""Runs a job's requests through an engine: journal, progress, provenance."""
