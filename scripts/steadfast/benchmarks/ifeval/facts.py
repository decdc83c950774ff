"""What IFEval's records and metrics share: names, and the fields beside the contract's."""

from typing import Any, Literal, NotRequired

from steadfast.base.resources import facts
from steadfast.contract import records

# The part in which prompts stand alone, as published.
ALONE = "0"
SYNTHETIC = "synthetic"
RELEASED = facts("ifeval/released.yaml")
# Sets of prompts, which are the tasks.
SETS = (SYNTHETIC, *RELEASED)
Position = Literal["after", "before", "both", "filler"]
# A position too: after a neutral filler that is as long as the text.
FILLER = "filler"
Version = Literal["released", "corrected"]
STRICT = "strict"
LOOSE = "loose"


def reported_accuracy(task: str) -> str:
    """Returns the criterion, strict or loose, by which a set's authors report accuracy."""
    return str(RELEASED[task]["reported"]) if task in RELEASED else STRICT


class Prompt(records.Prompt):
    """``context_id`` is the prompt's name in all parts.

    ``expression_id`` is the framing of the sentences between it and the text.
    """

    position: NotRequired[Position]
    expression_id: int


class ScoreRecord(records.ScoreRecord):
    """Verdicts stand in the order of the prompt's instructions; None where there is none."""

    kinds: list[str]
    strict: list[Any]
    loose: list[Any]
    position: str
    expression_id: int
