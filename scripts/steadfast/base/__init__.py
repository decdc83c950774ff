"""The base of all packages: files, errors, packaged data, names, provenance."""
