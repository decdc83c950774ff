"""The project's own instances: without fault, and of every kind."""

from collections import defaultdict

from steadfast.base.files import read_json
from steadfast.base.resources import resource
from steadfast.benchmarks.complexbench.decomposition import turns
from steadfast.benchmarks.complexbench.facts import dimensions, taxonomy
from steadfast.benchmarks.complexbench.instance import checked
from steadfast.benchmarks.complexbench.rule_forms import read_rule

SAMPLE = read_json(resource("complexbench/sample.json"))


def questions(made: list[dict]) -> list[dict]:
    return [question for one in made for question in one["scoring_questions"]]


def test_they_are_without_fault():
    assert len(checked(SAMPLE, "sample")) == 60


def test_they_cover_every_kind():
    made = SAMPLE
    rules = {tuple(c.name for c in read_rule(q["rule"])) for q in questions(made) if q["rule"]}
    assert rules == {(name,) for name in taxonomy()["rules"]} | set(map(tuple, taxonomy()["pairs"]))
    assert {d for q in questions(made) for d in q["constraint_dimensions"]} == set(dimensions())
    assert {one["task_types"] for one in made} == set(taxonomy()["task_types"])
    wanted = {
        f"{name}_{depth}" if depth else name
        for name, facts in taxonomy()["categories"].items()
        for depth in facts["depths"] or [None]
    }
    assert {one["category"] for one in made} == wanted
    assert any(q["rule"] is None for q in questions(made))
    assert any(len(q["dep"]) > 1 for q in questions(made))


def test_a_group_has_one_instance_a_branch():
    groups = defaultdict(list)
    for one in SAMPLE:
        groups[one["group"]].append(one)
    sizes = set()
    for group in groups.values():
        assert [one["idx_in_group"] for one in group] == list(range(1, len(group) + 1))
        selecting = "Selection" in group[0]["composition_types"]
        assert (len(group) > 1) == selecting
        sizes.add(len(group))
        # They differ in the conditions stated, and so in what is asked first.
        assert len({one["instruction"] for one in group}) == len(group)
        assert len({one["instruction"].partition("\n")[2] for one in group}) == 1
    assert sizes == {1, 2, 3}


def test_dependencies_name_all_that_must_hold():
    for one in SAMPLE:
        asked = one["scoring_questions"]
        for question in asked:
            assert {a for p in question["dep"] for a in asked[p]["dep"]} <= set(question["dep"])


def test_composed_instructions_are_decomposed_and_others_are_not():
    for one in checked(SAMPLE, "sample"):
        found = turns(one)
        assert bool(found) == bool({"Chain", "Selection"} & set(one.composition_types))
        assigned = [point for turn in found for point in turn.points]
        assert not found or assigned == list(range(len(one.scoring_questions)))
        assert len(found) != 1 and all(turn.part.instruction_en for turn in found)
