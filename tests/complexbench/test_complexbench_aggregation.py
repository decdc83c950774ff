"""Aggregation: dependencies as released for every recorded case, and verdicts that are missing."""

from steadfast.benchmarks.complexbench import aggregation
from steadfast.benchmarks.complexbench.rules.checks import UNDECIDED


def instance(*deps: list[int], group: str = "g", category: str = "And", **fields) -> dict:
    question = {"constraint_dimensions": ["Length"], "composition_types": []}
    questions = [question | {"dep": dep} for dep in deps]
    kinds = ["And"] if category == "And" else ["And", category.partition("_")[0]]
    given = {"task_types": "Creative Writing", "composition_types": kinds}
    return given | {"group": group, "category": category, "scoring_questions": questions} | fields


def test_dependencies():
    for raw, expected in (
        ([True, True, True], [True, True, True]),
        ([False, True, True], [False, False, True]),
        # One step: what depends on a question that only depends on a wrong one counts.
        ([False, True, False], [False, False, False]),
        ([None, True, True], [None, None, True]),
        ([None, False, True], [None, False, False]),
        ([UNDECIDED, True, True], [UNDECIDED, True, True]),
        ([True, None, True], [True, None, None]),
    ):
        assert aggregation.dependent(raw, instance([], [0], [1])) == expected, raw


def test_what_a_question_counts_for():
    made = instance([], category="Selection_and_Chain_2", composition_types=["Selection", "Chain"])
    (question,) = made["scoring_questions"]
    question |= {"constraint_dimensions": ["Length", "Template"], "composition_types": ["Chain"]}
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
    for mode, own in (("strict", strict), ("released", released)):
        found = [(measure, key) for _, measure, key in aggregation.cells(made, mode)]
        assert sorted(found) == sorted(common + own)


def test_open_verdicts_and_wrong_parents_by_hand():
    assert not aggregation.counts("overall", UNDECIDED)
    assert aggregation.counts("constraint_type", UNDECIDED)
    assert aggregation.dependent([None, False, True], instance([], [], [0, 1]))[2] is False


def test_families():
    for category, strict, released in (
        ("And", "And", "And"),
        ("Chain_2", "Chain", "Chain"),
        ("Selection_and_Chain_3", "Selection_and_Chain", "Selection"),
        ("_", "_", ""),
    ):
        assert aggregation.family(category, "strict") == strict, category
        assert aggregation.family(category, "released") == released, category


def selection(group: str, count: int = 1) -> dict:
    made = instance(*[[] for _ in range(count)], group=group, category="Selection_1")
    questions = [q | {"composition_types": ["Selection"]} for q in made["scoring_questions"]]
    return made | {"scoring_questions": questions}


def coherent(instances: list[dict], verdicts: list[list]) -> dict:
    found: dict = {}
    for measure, kind, _, passes in aggregation.coherent_test(instances, verdicts):
        found.setdefault((measure, kind), []).append(passes)
    return found


def test_groups_are_of_the_class_of_their_first_instance_and_may_be_open():
    instances = [selection("a", 2), selection("a", 1)]
    assert set(coherent(instances, [[True, True], [True]])) == {
        ("origin", "multiple"),
        ("coherent", "multiple"),
    }
    instances = [selection("a"), selection("a"), selection("b"), selection("b")]
    found = coherent(instances, [[None], [False], [None], [True]])
    assert found == {("origin", "single"): [False, True], ("coherent", "single"): [False]}
