"""What LIFBench's records have beside the contract's fields."""

from typing import Any, NotRequired

from steadfast.contract import records


class Prompt(records.Prompt):
    """``format`` and ``domain`` are of prompts beyond the paper's."""

    expression_id: int
    variable_id: int
    variables: dict[str, Any]
    gold: NotRequired[dict[str, Any]]
    format: NotRequired[str]
    domain: NotRequired[str]


class ScoreRecord(records.ScoreRecord):
    """``depth`` is the place of what is asked in the context, from 0 to 1."""

    expression_id: int
    variable_id: int
    length: str
    rubric: str
    depth: float | None
