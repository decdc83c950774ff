"""Reference answers: every rule gives them 1, but for levels that no answer can pass.

An answer for a judge says on its last line which constraints it keeps; the judges without a model
read that line.
"""

from collections.abc import Collection

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.answer_form import affixes
from steadfast.benchmarks.followbench.literals import string_list
from steadfast.benchmarks.followbench.records import Prompt
from steadfast.judging.stand_in import signature

ANSWER_IN_FORM = "42"


def reference_answer(prompt: Prompt, group: Record) -> str:
    """An answer that keeps all constraints of a prompt's level."""
    rule, level = group["scorer"], prompt["level"]
    wanted = group["levels"][level - 1]["target"]
    match rule:
        case "exact" | "option" | "date" | "money" | "contained":
            return wanted
        case "judge":
            return described(range(1, level + 1))
        case "lines":
            return "\n".join(wanted.split("\n")[:level])
        case "member":
            return next(iter(string_list(wanted) or ()))
        case "template":
            return ANSWER_IN_FORM.join(affixes(wanted))
    texts = facts("followbench/reference.yaml")[group["language"]][rule]
    if isinstance(texts, str):
        return texts
    return texts[max(start for start in texts if start <= level)]


def described(kept: Collection[int]) -> str:
    """An answer in words for a judge without a model, keeping the constraints of those numbers."""
    return f"An answer stands here.\n{signature(kept)}"
