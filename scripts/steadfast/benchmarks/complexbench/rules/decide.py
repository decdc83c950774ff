"""A rule's verdict in either mode."""

from collections.abc import Sequence

from steadfast.benchmarks.complexbench.modes import STRICT
from steadfast.benchmarks.complexbench.rules import released, strict
from steadfast.benchmarks.complexbench.rules.outcome import Verdict


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
        RuleFormError: mode strict, and ``routes.usable`` says no.
    """
    return (strict if mode == STRICT else released).verdict(rule, segments)
