"""The project's own instances: without fault, and of every kind."""

from steadfast.base.files import read_json
from steadfast.base.resources import resource
from steadfast.benchmarks.complexbench.data import checked
from steadfast.benchmarks.complexbench.facts import dimensions, taxonomy
from steadfast.benchmarks.complexbench.rule_forms import read_rule

SAMPLE = read_json(resource("complexbench/sample.json"))


def questions(made: list[dict]) -> list[dict]:
    return [question for one in made for question in one["scoring_questions"]]


def test_own_instances_are_without_fault_and_of_every_kind():
    assert len(checked(SAMPLE, "sample")) == 60
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
