"""Each rule by its name."""

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.rules.conditions import cumulative
from steadfast.benchmarks.followbench.rules.targets import COMPARISONS, last_match


def satisfied(rule: str, language: str, level: int, target: str, answer: str) -> bool:
    """Whether an answer satisfies its level's constraints.

    Example:
        >>> satisfied("option", "en", 1, "(C)", "Not (A) but (C)")
        True
    """
    if rule in COMPARISONS:
        return COMPARISONS[rule](target, answer)
    if rule in facts("followbench/rules.yaml")["last_match"]:
        return last_match(rule, language, target, answer)
    return cumulative(rule, language, level, answer)
