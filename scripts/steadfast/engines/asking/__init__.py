"""A job's requests through an engine: looked up, asked, kept, counted."""
