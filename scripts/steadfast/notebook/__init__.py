"""A finished run as data frames, and the score of single answers, for a notebook."""
