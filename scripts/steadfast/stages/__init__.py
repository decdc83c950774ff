"""The stages: each reads files, calls a benchmark's components, and writes files."""
