"""All that touches Snakemake: how its jobs start, what a run shows, and why jobs failed."""
