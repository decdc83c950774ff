"""Tables as data, and their renderings in LaTeX, Markdown and CSV."""
