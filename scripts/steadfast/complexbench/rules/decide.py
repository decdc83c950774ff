"""A rule's verdict in either mode."""

from collections.abc import Sequence

from steadfast.complexbench.rules import released, strict
from steadfast.complexbench.rules.outcome import STRICT, Verdict


def verdict(rule: str, segments: Sequence[str], mode: str) -> Verdict:
    """Whether the segments of an answer satisfy a rule.

    Args:
        rule: as the data has it.
        segments: the parts of the answer that it is about.
        mode: strict or released.

    Returns:
        True, False, or in mode released ``UNDECIDED`` for a rule of no known kind.

    Raises:
        RuleError: mode released, and the released code ends with an exception.
        RuleFormError: mode strict, and ``usable`` says no.
    """
    return (strict if mode == STRICT else released).verdict(rule, segments)


def usable(rule: str, mode: str) -> bool:
    """Whether a question with this rule is decided by it; otherwise a judge answers it plainly."""
    return mode != STRICT or strict.readable(rule)


def asks_each(rule: str, mode: str) -> bool:
    """Whether a usable rule is about several parts of the answer, so that all are copied out."""
    return strict.asks_each(rule) if mode == STRICT else "each" in rule
