"""Rules: whether an answer satisfies all the constraints of its level, as released.

A rule gives one verdict for all constraints of an item. Answers are taken as they are: nothing
is stripped or folded unless a rule's docstring says so.
"""

from collections.abc import Callable

from steadfast.followbench.rules import formats, summaries, targets

Rule = Callable[[str, int, str, str], bool]

RULES: dict[str, Rule] = {
    "exact": targets.exact,
    "lines": targets.lines,
    "member": targets.member,
    "option": targets.option,
    "date": targets.date,
    "money": targets.money,
    "contained": targets.contained,
    "template": targets.template,
    "cnn_dailymail": summaries.cnn_dailymail,
    "xsum": summaries.xsum,
    "samsum": summaries.samsum,
    "gigaword": summaries.gigaword,
    "arxiv": summaries.arxiv,
    "wooden_table": formats.wooden_table,
    "ministerial_speech": formats.ministerial_speech,
}


def satisfied(rule: str, language: str, level: int, target: str, answer: str) -> bool:
    """Whether an answer satisfies its level's constraints.

    Args:
        rule: a key of ``RULES``.
        language: en or zh.
        level: 1 to 5.
        target: the item's reference, where the rule compares with one.
        answer: the model's text, unstripped.
    """
    return RULES[rule](language, level, target, answer)
