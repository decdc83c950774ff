"""Generated instances: without fault, the same for the same seed, and of every kind."""

from collections import defaultdict

import pytest

from steadfast.benchmarks.complexbench.decomposition import turns
from steadfast.benchmarks.complexbench.facts import dimensions, taxonomy
from steadfast.benchmarks.complexbench.instance import checked
from steadfast.benchmarks.complexbench.rule_forms import read_rule
from steadfast.benchmarks.complexbench.synthetic import generated

COVERING = 40  # as the documentation says
SEEDS = (0, 1, 7)


def questions(made: list[dict]) -> list[dict]:
    return [question for one in made for question in one["scoring_questions"]]


@pytest.mark.parametrize("seed", SEEDS)
def test_they_are_without_fault(seed):
    assert len(checked(generated(120, seed), "generated")) == 120


def test_the_same_seed_gives_the_same_and_another_others():
    assert generated(60, 1) == generated(60, 1)
    assert generated(60, 1) != generated(60, 2)
    assert generated(60, 1)[:30] == generated(90, 1)[:30]


@pytest.mark.parametrize("count", [1, 2, 13, 60])
def test_there_are_as_many_as_asked_for(count):
    made = generated(count, 3)
    assert [one["main_id"] for one in made] == list(range(count))


@pytest.mark.parametrize("seed", SEEDS)
def test_they_cover_every_kind(seed):
    made = generated(COVERING, seed)
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
    for one in generated(60, 1):
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
    for one in generated(60, 1):
        asked = one["scoring_questions"]
        for question in asked:
            assert {a for p in question["dep"] for a in asked[p]["dep"]} <= set(question["dep"])


def test_composed_instructions_are_decomposed_and_others_are_not():
    for one in checked(generated(60, 1), "generated"):
        found = turns(one)
        assert bool(found) == bool({"Chain", "Selection"} & set(one.composition_types))
        assigned = [point for turn in found for point in turn.points]
        assert not found or assigned == list(range(len(one.scoring_questions)))
        assert len(found) != 1 and all(turn.part.instruction_en for turn in found)
