"""What a rule can come to, and the two modes of reading it."""

from typing import Literal

STRICT = "strict"
"""The mode without the accidents of the released code; the other is released."""

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
