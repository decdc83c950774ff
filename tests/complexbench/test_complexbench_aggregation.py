"""Aggregation: dependencies, the cells of a question, and groups of instances."""

from complexbench_run import question, record
from steadfast.benchmarks.complexbench import aggregation
from steadfast.benchmarks.complexbench.rules.checks import UNDECIDED


def test_dependencies():
    chain = record(questions=[question(), question(dep=[0]), question(dep=[1])])
    two_parents = record(questions=[question(), question(), question(dep=[0, 1])])
    for instance, raw, expected in (
        (chain, [True, True, True], [True, True, True]),
        # One step: a failed question fails those that depend on it directly.
        (chain, [False, True, True], [False, False, True]),
        (chain, [False, True, False], [False, False, False]),
        (chain, [None, True, True], [None, None, True]),
        (chain, [None, False, True], [None, False, False]),
        (chain, [UNDECIDED, True, True], [UNDECIDED, True, True]),
        (chain, [True, None, True], [True, None, None]),
        (two_parents, [None, False, True], [None, False, False]),
    ):
        assert aggregation.apply_dependencies(raw, instance) == expected, raw


def test_undecided_rule_counts_for_constraint_types_only():
    assert not aggregation.counts_as_right("overall", UNDECIDED)
    assert aggregation.counts_as_right("constraint_type", UNDECIDED)


def test_cells_of_a_question():
    kinds = {"constraint_dimensions": ["Length", "Template"], "composition_types": ["Chain"]}
    instance = record(
        questions=[question(**kinds)],
        category="Selection_and_Chain_2",
        composition_types=["Selection", "Chain"],
    )
    common = [
        ("overall", ""),
        ("category", "Selection_and_Chain_2"),
        ("task", "Creative Writing"),
        ("nesting", "Chain_Selection"),
        ("dimension", "Length"),
        ("dimension", "Template"),
        ("dimension", "Chain"),
        ("constraint_type", "Chain"),
    ]
    strict = [("family", "Selection_and_Chain"), *[("constraint_type", "Format")] * 2]
    released = [("family", "Selection"), *[("constraint_type", "Structure")] * 2]
    for mode, by_mode in (("strict", strict), ("released", released)):
        cells = [(measure, key) for _, measure, key in aggregation.cells(instance, mode)]
        assert sorted(cells) == sorted(common + by_mode)


def test_families():
    for category, strict, released in (
        ("And", "And", "And"),
        ("Chain_2", "Chain", "Chain"),
        ("Selection_and_Chain_3", "Selection_and_Chain", "Selection"),
        ("Selection_and_Chain", "Selection_and_Chain", "Selection"),
        ("_", "_", ""),
        ("_2", "_2", ""),
    ):
        assert aggregation.family(category, "strict") == strict, category
        assert aggregation.family(category, "released") == released, category


def coherent_passes(groups: list[str], counts: list[int], verdicts: list[list]) -> dict:
    """Passes by measure and kind, of instances in these groups with so many selections."""
    instances = []
    for group, count in zip(groups, counts, strict=True):
        questions = [question(composition_types=["Selection"]) for _ in range(count)]
        kinds = {"category": "Selection_1", "composition_types": ["And", "Selection"]}
        instances.append(record(questions=questions, group=group, **kinds))
    passes_by_key: dict = {}
    for measure, kind, _, passes in aggregation.coherent_test(instances, verdicts):
        passes_by_key.setdefault((measure, kind), []).append(passes)
    return passes_by_key


def test_group_has_the_kind_of_its_first_instance():
    passes = coherent_passes(["a", "a"], [3, 1], [[True] * 3, [True]])
    assert set(passes) == {("origin", "multiple"), ("coherent", "multiple")}


def test_group_with_a_missing_verdict_fails_only_by_a_wrong_one():
    passes = coherent_passes(list("aabb"), [1] * 4, [[None], [False], [None], [True]])
    assert passes == {("origin", "single"): [False, True], ("coherent", "single"): [False]}
