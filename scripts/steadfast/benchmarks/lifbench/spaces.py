"""The sampling spaces of the tasks' variables (paper, section 3.3, appendix C)."""

from collections.abc import Sequence

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.benchmarks.lifbench.tasks import Variables


def sampling_space(variables: Variables) -> Settings:
    """Returns the space of a task's variables; label sets in it are written out as settings."""
    return _label_rules(variables.space) if "label_sets" in variables.space else variables.space


def _label_rules(space: Settings) -> Settings:
    """Returns batch-label's settings of label sets: candidates, key of their order, rules' text."""
    settings = []
    for labels in space["label_sets"]:
        names = labels["labels"]
        _check_labels(names)
        rules = zip(space["cases"], names, strict=True)
        settings.append(
            {
                "rule_key": "".join(name[0] for name in names),
                "candidates": labels.get("shown", names),
                "rules": "\n".join(space["rule"].format(case=c, label=name) for c, name in rules),
            }
        )
    return {"settings": settings}


def _check_labels(names: Sequence[str]) -> None:
    distinct = len({name[0] for name in names}) == len(names) == 4
    separate = not any(a != b and a in b for a in names for b in names)
    plain = not any(mark in name for name in names for mark in (*",{}[]", "doc"))
    if not (distinct and separate and plain):
        raise UserError(
            f"lifbench/tasks/MB.yaml: the labels {', '.join(names)} cannot be scored; choose four "
            "with different first characters, none inside another, without commas, brackets or "
            "'doc'"
        )
