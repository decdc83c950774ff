"""From verdicts to DRFR: dependencies between questions, and what each verdict counts for.

Instances are mappings with ``group``, ``category``, ``task_types``, ``composition_types`` and
``scoring_questions``; those have ``constraint_dimensions``, ``composition_types`` and ``dep``, the
indices of the questions that they depend on.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from steadfast.base.files import Settings
from steadfast.benchmarks.complexbench.facts import STRICT, dimensions, taxonomy
from steadfast.benchmarks.complexbench.rules.checks import Verdict

# An instance's annotations.
Instance = Settings
# One a question; None where there is no verdict, which is neither right nor wrong.
Verdicts = Sequence[Verdict | None]

DRFR_MEASURES = ("overall", "category", "family", "task", "nesting")
CONSTRAINT_MEASURES = ("constraint_type", "dimension")
COHERENT_MEASURES = ("origin", "coherent")
DROP = "relative_drop"  # from the first of them to the second
OTHERS = "Others"
# Of the coherent test: groups with one selection, and with several.
CLASSES = ("single", "multiple")


def apply_dependencies(raw: Verdicts, instance: Instance) -> list[Verdict | None]:
    """Returns verdicts with dependencies: r'_ij = r_ij · Π r_ik over the k that j depends on.

    One step: the data lists ancestors that are not direct. A question whose own verdict, or one
    that it depends on, is missing has none, unless another of them already decides it.
    """
    counted = []
    for index, question in enumerate(instance["scoring_questions"]):
        parents = [raw[parent] for parent in question["dep"]]
        counted.append(_unless_wrong(raw[index], parents))
    return counted


def _unless_wrong(verdict: Verdict | None, conditions: Verdicts) -> Verdict | None:
    """Returns a verdict, unless one of its conditions is wrong or, if none is, missing."""
    if verdict is False or any(condition is False for condition in conditions):
        return False
    return None if any(condition is None for condition in conditions) else verdict


def cells(instance: Instance, mode: str) -> Iterator[tuple[int, str, str]]:
    """Yields the cells that a question counts in: its index, a measure, a key of the measure.

    A question counts once for each of its dimensions and composition types, and so twice for a
    constraint type that two of its dimensions belong to.
    """
    category = instance["category"]
    nesting = "_".join(sorted(instance["composition_types"]))
    keys = "", category, family(category, mode), instance["task_types"], nesting
    for index, question in enumerate(instance["scoring_questions"]):
        for measure, key in zip(DRFR_MEASURES, keys, strict=True):
            yield index, measure, key
        for name in question["constraint_dimensions"]:
            yield index, "constraint_type", constraint_type(name, mode)
            yield index, "dimension", name
        for name in question["composition_types"]:
            yield index, "constraint_type", name
            yield index, "dimension", name


def counts_as_right(measure: str, verdict: Verdict) -> bool:
    """Returns whether a verdict counts as right.

    An undecided one, which only mode released has, is wrong in DRFR and right in the accuracies.
    """
    return verdict is True if measure in DRFR_MEASURES else bool(verdict)


def group_of(instance: Instance) -> str:
    """Returns the group of an instance; one without is a group of its own."""
    return instance["group"] or f"instance-{instance['main_id']}"


def family(category: str, mode: str) -> str:
    """Returns the category without its nesting; released cuts it at the first underscore."""
    if mode != STRICT:
        return category.partition("_")[0]
    name, _, depth = category.rpartition("_")
    return name if depth.isdecimal() and name else category


def constraint_type(dimension: str, mode: str) -> str:
    """The constraint type of a dimension, in the spelling of the mode; else Others."""
    name = dimensions().get(dimension)
    if name is None:
        return OTHERS
    return name if mode == STRICT else taxonomy()["constraint_types"][name]["released"]


def coherent_test(
    instances: Sequence[Instance], verdicts: Sequence[Verdicts]
) -> Iterator[tuple[str, str, str, bool]]:
    """Yields instances and groups of the coherent test for Selection, and whether they pass.

    The instances of a group differ in what is to be selected. Groups whose first instance has one
    question with Selection are of class single, those with more of multiple. An instance passes
    where none of its questions is wrong, a group where all its instances pass; both are left out
    where a missing verdict could fail them.

    A row has measure (origin: an instance; coherent: a group), class, group, whether it passes.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for index, instance in enumerate(instances):
        groups[group_of(instance)].append(index)
    for group, indices in groups.items():
        questions = instances[indices[0]]["scoring_questions"]
        depth = sum("Selection" in question["composition_types"] for question in questions)
        if depth:
            name = CLASSES[min(depth, 2) - 1]
            passed = [_unless_wrong(True, verdicts[index]) for index in indices]
            for verdict in passed:
                if verdict is not None:
                    yield "origin", name, group, verdict is True
            all_verdicts = _unless_wrong(True, passed)
            if all_verdicts is not None:
                yield "coherent", name, group, all_verdicts is True
