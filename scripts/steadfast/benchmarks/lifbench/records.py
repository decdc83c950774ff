"""What LIFBench's records have beside the contract's fields."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired

from steadfast.contract import records


class Prompt(records.Prompt):
    """``family`` names the nested contexts that a context is of; ``format`` and ``domain`` are of
    prompts beyond the paper's."""

    expression_id: int
    variable_id: int
    variables: dict[str, Any]
    reference_answer: NotRequired[dict[str, Any]]
    family: NotRequired[str]
    format: NotRequired[str]
    domain: NotRequired[str]


class ScoreRecord(records.ScoreRecord):
    """``depth`` is the target's position in the context, from 0 to 1."""

    expression_id: int
    variable_id: int
    length: str
    rubric: str
    depth: float | None
    family: NotRequired[str]


# Perspectives of stability, and the column whose values are the groups that are compared.
PERSPECTIVES = {"expression": "expression_id", "variable": "variable_id", "length": "length"}
# Perspectives that the paper leaves open (section "Limitations"); their columns have these names.
FURTHER = ("format", "domain")
# The groups that are compared in each further perspective, by scenario.
Beyond = Mapping[str, Mapping[str, Sequence[str]]]
# Fields that only prompts beyond the paper's have; ``perspective`` is the further perspective for
# which alone a prompt is sent.
FURTHER_FIELDS = (*FURTHER, "perspective")
AVERAGE = "average"  # the plain mean of the paper's three
