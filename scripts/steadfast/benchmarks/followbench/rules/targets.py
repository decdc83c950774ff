"""Rules that compare an answer with the item's reference, or with its form."""

import re
from collections.abc import Callable

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.answer_form import affixes
from steadfast.benchmarks.followbench.literals import string_list

COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "exact": lambda target, answer: answer == target,
    # Only lines of the reference; how many, in which order and how often does not matter.
    "lines": lambda target, answer: set(answer.split("\n")) <= set(target.split("\n")),
    # One of the references, which are written as a list of strings.
    "member": lambda target, answer: answer in (string_list(target) or ()),
    "contained": lambda target, answer: target in answer,
    "template": lambda target, answer: _has_form(target, answer),
}


def last_match(rule: str, language: str, target: str, answer: str) -> bool:
    """Whether the last match of the rule's pattern is the reference."""
    pattern = facts("followbench/rules.yaml")["last_match"][rule][language]
    return re.findall(pattern, answer)[-1:] == [target]


def _has_form(target: str, answer: str) -> bool:
    """Whether the whole answer has the template's form, with any text on one line in its slot."""
    before, after = affixes(target)
    end = len(answer) - len(after)
    return (
        len(before) <= end
        and answer.startswith(before)
        and answer.endswith(after)
        and "\n" not in answer[len(before) : end]
    )
