"""The perspectives in which stability is seen (paper, section 4.2)."""

PERSPECTIVES = {"expression": "expression_id", "variable": "variable_id", "length": "length"}
"""What groups the samples of a task, and the column that says so."""
AVERAGE = "average"
"""The plain mean of the three."""
