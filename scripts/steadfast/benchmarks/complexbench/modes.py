"""The modes of judging."""

STRICT = "strict"
"""The mode without the accidents of the released code; the other is released."""
