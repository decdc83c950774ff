"""What ComplexBench's records have beside the contract's fields."""

from typing import Any

from steadfast.contract import records


class Prompt(records.Prompt):
    """``points`` numbers the scoring questions asked here; ``layers`` are the composition's."""

    main_id: int
    points: list[int]
    layers: Any


class ScoreRecord(records.ScoreRecord):
    """``raw`` has each question's verdict before dependencies count."""

    instance: int
    questions: list[int]
    raw: dict[str, Any] | None
