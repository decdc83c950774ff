"""A rule's verdict in either mode."""

from collections.abc import Sequence

from steadfast.benchmarks.complexbench.modes import STRICT
from steadfast.benchmarks.complexbench.rules import released, strict
from steadfast.benchmarks.complexbench.rules.outcome import Verdict


def verdict(rule: str, segments: Sequence[str], mode: str) -> Verdict:
    """Whether the segments of an answer satisfy a rule.

    Returns:
        True, False, or in mode released ``UNDECIDED`` for a rule of no known kind.
    """
    return (strict if mode == STRICT else released).verdict(rule, segments)
