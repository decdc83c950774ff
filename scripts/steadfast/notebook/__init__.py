"""A finished run as data frames, and the score of single responses, for a notebook."""
