"""What a config runs: jobs, their files and lineages, loads of models, resources."""
