"""From verdicts to DRFR: dependencies between questions, and what each verdict counts for.

Instances are mappings with ``group``, ``category``, ``task_types``, ``composition_types`` and
``scoring_questions``; those have ``constraint_dimensions``, ``composition_types`` and ``dep``, the
places of the questions that they depend on.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steadfast.complexbench.rules.outcome import STRICT, Verdict
from steadfast.complexbench.taxonomy import dimensions, taxonomy

Instance = Mapping[str, Any]
Verdicts = Sequence[Verdict | None]
"""One a question; None where there is no verdict, which is neither right nor wrong."""

DRFR_MEASURES = ("overall", "category", "family", "task", "nesting")
CONSTRAINT_MEASURES = ("constraint_type", "dimension")
COHERENT_MEASURES = ("origin", "coherent")
DROP = "relative_drop"  # from the first of them to the second
OTHERS = "Others"
CLASSES = ("single", "multiple")
"""Of the coherent test: groups with one selection, and with several."""


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


def cells(instance: Instance, mode: str) -> Iterator[tuple[int, str, str]]:
    """What each question counts for: its place, a measure, and a key within the measure.

    A question counts once for each of its dimensions and composition types, and so twice for a
    constraint type that two of its dimensions belong to.

    Args:
        instance: its annotations.
        mode: released merges Selection_and_Chain into Selection and spells types as its code does.
    """
    category = instance["category"]
    keys = (
        "",
        category,
        family(category, mode),
        instance["task_types"],
        "_".join(sorted(instance["composition_types"])),
    )
    for place, question in enumerate(instance["scoring_questions"]):
        for measure, key in zip(DRFR_MEASURES, keys, strict=True):
            yield place, measure, key
        for name in question["constraint_dimensions"]:
            yield place, "constraint_type", constraint_type(name, mode)
            yield place, "dimension", name
        for name in question["composition_types"]:
            yield place, "constraint_type", name
            yield place, "dimension", name


def counts(measure: str, verdict: Verdict) -> bool:
    """Whether a verdict counts as right.

    An open one, which mode strict has not, is wrong in DRFR and right in the accuracies.
    """
    return verdict is True if measure in DRFR_MEASURES else bool(verdict)


def group_of(instance: Instance) -> str:
    """The group of an instance; one without is a group of its own."""
    return instance["group"] or f"instance-{instance['main_id']}"


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


def coherent_test(
    instances: Sequence[Instance], verdicts: Sequence[Verdicts]
) -> Iterator[tuple[str, str, str, bool]]:
    """Instances and groups of the coherent test for Selection, and whether they pass.

    The instances of a group differ in what is to be selected. Of class single are groups whose
    first instance has one question with Selection, of multiple those with more. An instance passes
    where no question of it is wrong, a group where all its instances pass; what misses a verdict
    that could fail it is left out.

    Args:
        instances: in the data's order.
        verdicts: of each instance, as ``dependent`` gives them.

    Returns:
        Measure (origin: an instance; coherent: a group), class, group, whether it passes.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for place, instance in enumerate(instances):
        groups[group_of(instance)].append(place)
    for group, places in groups.items():
        questions = instances[places[0]]["scoring_questions"]
        depth = sum("Selection" in question["composition_types"] for question in questions)
        if depth:
            name = CLASSES[min(depth, 2) - 1]
            passed = [_passed(verdicts[place]) for place in places]
            for one in passed:
                if one is not None:
                    yield "origin", name, group, one
            whole = _passed(passed)
            if whole is not None:
                yield "coherent", name, group, whole


def _passed(verdicts: Verdicts) -> bool | None:
    if any(verdict is False for verdict in verdicts):
        return False
    return None if any(verdict is None for verdict in verdicts) else True
