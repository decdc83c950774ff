"""The sampling spaces of the tasks' variables (paper, section 3.3, appendix C)."""

from collections.abc import Sequence

from steadfast.errors import UserError
from steadfast.files import Record
from steadfast.resources import facts


def sampling_space(task: str) -> tuple[list[str], Record]:
    """What a template of the task must show, and the space of our own variables.

    Returns:
        (names, space): a name ``a|b`` means that a template shows either of the two.
    """
    known = facts("lifbench/variables.yaml")[task]
    space = known["space"]
    return known["shown"], _label_rules(space) if task == "MB" else space


def _label_rules(space: Record) -> Record:
    """Batch-label's settings from label sets: candidates, their order's key, the rules' text."""
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
            f"lifbench/variables.yaml: the labels {', '.join(names)} cannot be scored; choose four "
            "with different first characters, none inside another, without commas, brackets or "
            "'doc'"
        )
