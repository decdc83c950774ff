"""What FollowBench's records have beside the contract's fields."""

from steadfast.contract import records


class Prompt(records.Prompt):
    """``scorer`` says how an answer is scored: by a judge, or by the rule of that name."""

    level: int
    scorer: str


class ScoreRecord(records.ScoreRecord):
    """``level`` and ``scorer`` are the prompt's."""

    level: int
    scorer: str
