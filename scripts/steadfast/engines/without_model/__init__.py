"""Engines without a model: they answer from what a benchmark or a file knows."""
