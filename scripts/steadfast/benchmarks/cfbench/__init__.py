"""CFBench: Chinese instructions with checklists, judged point by point (arXiv 2408.01122)."""
