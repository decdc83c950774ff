"""What a config runs: jobs, their files and input_digests, loads of models, resources."""
