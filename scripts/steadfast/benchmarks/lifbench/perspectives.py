"""The perspectives in which stability is seen (paper, section 4.2)."""

from collections.abc import Mapping, Sequence

PERSPECTIVES = {"expression": "expression_id", "variable": "variable_id", "length": "length"}
"""What groups the samples of a task, and the column that says so."""
FURTHER = ("format", "domain")
"""Those that the paper leaves open (section "Limitations"), and the columns that say so."""
Beyond = Mapping[str, Mapping[str, Sequence[str]]]
"""The groups that are compared in each further perspective, by scenario."""
ASKED = (*FURTHER, "perspective")
"""Fields of prompts and scores: what the paper's prompts have not, and the one further perspective
that others are asked for alone."""
AVERAGE = "average"  # the plain mean of the paper's three
