"""From verdicts to DRFR: dependencies between questions, and what each verdict counts for.

Instances are mappings with ``group``, ``category``, ``task_types``, ``composition_types`` and
``scoring_questions``; those have ``constraint_dimensions``, ``composition_types`` and ``dep``, the
places of the questions that they depend on.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steadfast.complexbench.rules.decide import STRICT
from steadfast.complexbench.rules.errors import Verdict
from steadfast.complexbench.taxonomy import dimensions, taxonomy

Instance = Mapping[str, Any]
Verdicts = Sequence[Verdict | None]
"""One a question; None where there is no verdict, which is neither right nor wrong."""

DRFR_MEASURES = ("overall", "category", "family", "task", "nesting")
CONSTRAINT_MEASURES = ("constraint_type", "dimension")
COHERENT_MEASURES = ("origin", "coherent")
OTHERS = "Others"
CLASSES = ("single", "multiple")
"""Of the coherent test: groups with one selection, and with several."""


@dataclass(frozen=True)
class Share:
    """What one question, instance or group adds to the share that a measure is of.

    Attributes:
        measure: such as category.
        key: within the measure, such as Chain_2; "" for all.
        group: of the instance.
        passed: whether it counts as right.
    """

    measure: str
    key: str
    group: str
    passed: bool


def dependent(raw: Verdicts, instance: Instance) -> list[Verdict | None]:
    """The verdicts once dependencies count: r'_ij = r_ij · Π r_ik over the k that j depends on.

    One step: the data lists ancestors that are not direct. A question whose own verdict, or one
    that it depends on, is missing has none, unless another of them already decides it.
    """
    return [
        _dependent(raw[place], [raw[parent] for parent in question["dep"]])
        for place, question in enumerate(instance["scoring_questions"])
    ]


def _dependent(own: Verdict | None, parents: Verdicts) -> Verdict | None:
    if own is False or any(parent is False for parent in parents):
        return False
    return None if any(parent is None for parent in parents) else own


def shares(instance: Instance, verdicts: Verdicts, mode: str) -> Iterator[Share]:
    """What the questions of one instance add to DRFR and to the constraints' accuracies.

    Args:
        instance: its annotations.
        verdicts: as ``dependent`` gives them; questions without one add nothing.
        mode: released merges Selection_and_Chain into Selection, and takes an open verdict for
            wrong in DRFR but for right in the accuracies.
    """
    group, category = instance["group"], instance["category"]
    keys = (
        "",
        category,
        family(category, mode),
        instance["task_types"],
        "_".join(sorted(instance["composition_types"])),
    )
    for question, verdict in zip(instance["scoring_questions"], verdicts, strict=True):
        if verdict is None:
            continue
        for measure, key in zip(DRFR_MEASURES, keys, strict=True):
            yield Share(measure, key, group, verdict is True)
        for name in question["constraint_dimensions"]:
            yield Share("constraint_type", constraint_type(name, mode), group, bool(verdict))
            yield Share("dimension", name, group, bool(verdict))
        for name in question["composition_types"]:
            yield Share("constraint_type", name, group, bool(verdict))
            yield Share("dimension", name, group, bool(verdict))


def family(category: str, mode: str) -> str:
    """The category without its nesting; released takes what precedes the first underscore."""
    if mode != STRICT:
        return category.partition("_")[0]
    name, _, depth = category.rpartition("_")
    return name if depth.isdecimal() and name else category


def constraint_type(dimension: str, mode: str) -> str:
    """The constraint type of a dimension, in the spelling of the mode; Others where it has none."""
    name = dimensions().get(dimension)
    if name is None:
        return OTHERS
    return name if mode == STRICT else taxonomy()["constraint_types"][name]["released"]


def coherent_shares(instances: Sequence[Instance], verdicts: Sequence[Verdicts]) -> Iterator[Share]:
    """What instances and groups add to the coherent test for Selection.

    The instances of a group differ in what is to be selected. Of class single are groups whose
    first instance has one question with Selection, of multiple those with more. An instance passes
    where no question of it is wrong, a group where all its instances pass; what misses a verdict
    that could fail it adds nothing.

    Args:
        instances: in the data's order.
        verdicts: of each instance, as ``dependent`` gives them.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for place, instance in enumerate(instances):
        groups[instance["group"]].append(place)
    for group, places in groups.items():
        questions = instances[places[0]]["scoring_questions"]
        depth = sum("Selection" in question["composition_types"] for question in questions)
        if depth:
            name = CLASSES[min(depth, 2) - 1]
            passed = [_passed(verdicts[place]) for place in places]
            for one in passed:
                if one is not None:
                    yield Share("origin", name, group, one)
            whole = _passed(passed)
            if whole is not None:
                yield Share("coherent", name, group, whole)


def _passed(verdicts: Verdicts) -> bool | None:
    if any(verdict is False for verdict in verdicts):
        return False
    return None if any(verdict is None for verdict in verdicts) else True


def relative_drop(origin: float, coherent: float) -> float:
    """By how much of itself the share falls when whole groups must pass.

    Raises:
        ZeroDivisionError: no instance passes.
    """
    return (origin - coherent) / origin


_RELEASED_KEYS = {
    "category": "categorized_drfr",
    "family": "categorized_avg_drfr",
    "task": "task_types_drfr",
    "nesting": "nested_methods_drfr",
    "constraint_type": "constraint_types_and_composition_types_acc",
    "dimension": "each_constraint_dimensions_and_composition_types_acc",
}
# The misspelling is the released code's.
_RELEASED_DROPS = {"single": "single_relative_drop", "multiple": "miltiple_relative_drop"}


def released_statistics(instances: Sequence[Instance], raw: Sequence[Verdicts]) -> dict[str, Any]:
    """All numbers of the released code's summary, under its names.

    Args:
        instances: in the data's order.
        raw: the verdicts on each instance's questions, before dependencies.

    Raises:
        ZeroDivisionError: as the released code's, where a class of the coherent test is empty or
            no instance of it passes.
    """
    verdicts = [dependent(*pair) for pair in zip(raw, instances, strict=True)]
    found = [
        share
        for instance, its in zip(instances, verdicts, strict=True)
        for share in shares(instance, its, "released")
    ]
    found += coherent_shares(instances, verdicts)
    passed: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for share in found:
        passed[share.measure, share.key].append(share.passed)
    means = {cell: sum(each) / len(each) for cell, each in passed.items()}
    statistics: dict[str, Any] = {"overall_drfr": means["overall", ""]}
    for measure, name in _RELEASED_KEYS.items():
        statistics[name] = {key: mean for (of, key), mean in means.items() if of == measure}
    for name in CLASSES:
        origin, coherent = (_mean(passed[measure, name]) for measure in COHERENT_MEASURES)
        statistics[f"{name}_origin_test"] = origin
        statistics[f"{name}_coherent_test"] = coherent
        statistics[_RELEASED_DROPS[name]] = relative_drop(origin, coherent)
    return statistics


def _mean(passed: list[bool]) -> float:
    return sum(passed) / len(passed)
