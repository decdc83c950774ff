"""What a config runs: jobs, their files and input digests, shared model loads, resources."""
