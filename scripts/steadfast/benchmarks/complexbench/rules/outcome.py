"""What a rule can come to."""

from typing import Literal

UNDECIDED: Literal[2] = 2
"""The verdict of a rule that tells nothing, as the released code writes it."""

Verdict = bool | Literal[2]


class RuleError(ValueError):
    """A rule that cannot be read.

    Attributes:
        name: the exception that the released code ends with, such as IndexError.
    """

    def __init__(self, name: str, reason: str):
        super().__init__(reason)
        self.name = name
