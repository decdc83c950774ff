"""Decomposition: whose question is whose, and what cannot be assigned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from complexbench_instances import instance
from steadfast.benchmarks.complexbench.decomposition import turns
from steadfast.benchmarks.complexbench.instance import InstanceRecord
from steadfast.benchmarks.complexbench.schema import check

FIRST, SECOND, THIRD = (f"模型是否满足第{number}个要求？" for number in range(3))


def parts(*assigned: list, **named: list) -> dict:
    named = {f"sub_instruction_{n}": given for n, given in enumerate(assigned)} | named
    return {
        key: {"instruction": f"第{n}步", "scoring_questions": given}
        for n, (key, given) in enumerate(named.items())
    }


def assigned(sub_instructions: dict) -> tuple[list[tuple], list[str]]:
    made = InstanceRecord.model_validate(instance(sub_instructions=sub_instructions))
    found, problems = turns(made)
    return [turn.points for turn in found], [problem.sentence for problem in problems]


@pytest.mark.parametrize(
    "given",
    [
        parts([FIRST], [SECOND, THIRD]),
        parts([0], [1, 2]),
        parts([FIRST], [1, 2]),
        parts(["模型满足了第0个要求吗？"], [SECOND, "模型是否满足了第2个要求？"]),
    ],
)
def test_questions_are_assigned_by_text_or_position(given):
    assert assigned(given) == ([(0,), (1, 2)], [])


def test_the_turns_go_by_their_numbers():
    made = parts(sub_instruction_1=[1, 2], sub_instruction_0=[0])
    assert assigned(made) == ([(0,), (1, 2)], [])
    many = instance(
        scoring_questions=[
            {**instance()["scoring_questions"][1], "point_id": n} for n in range(12)
        ],
        sub_instructions=parts(*[[n] for n in range(12)]),
    )
    found, _ = turns(InstanceRecord.model_validate(many))
    assert [turn.points for turn in found] == [(n,) for n in range(12)]


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (parts([0], [1]), "question 2 is no turn's"),
        (parts([FIRST], [SECOND]), "question 2 is no turn's"),
        (parts([0, 1], [1, 2]), "question 1 is sub_instruction_0's"),
        (parts([0, 2], [1]), "are no run"),
        (parts([0], [2, 1]), "are no run"),
        (parts([0], [1, 2, 3]), "runs to question 3 of 3"),
        (parts([0], [1, 2, -1]), "add none"),
        (parts([FIRST], [SECOND, THIRD, "还有一个要求吗？"]), "runs to question 3 of 3"),
        (parts([FIRST, THIRD], [SECOND]), "has question 2 where question 1 follows"),
        (parts([], [0, 1, 2]), "has no scoring questions"),
        (parts([FIRST], ["你好", THIRD]), "hardly resembles question 1"),
        (parts([0], step_1=[1, 2]), "the turns are named sub_instruction_0 to sub_instruction_1"),
    ],
)
def test_what_is_not_a_partition_is_named(given, part):
    problems = assigned(given)[1]
    assert any(part in problem for problem in problems), problems
    # The schema tells the same, at the turn's place.
    found = check([instance(sub_instructions=given)])[1]
    assert any(f.field.startswith("sub_instructions") and part in f.sentence for f in found)


@pytest.mark.parametrize(("published", "severity"), [(False, "error"), (True, "warning")])
def test_a_question_must_not_depend_on_one_of_a_later_turn(published, severity):
    late, early = parts([1, 2], [0]), parts([0, 1], [2])
    found = beside_branches(instance(sub_instructions=late), published)
    assert {(f.severity, f.field) for f in found} == {
        (severity, "sub_instructions.sub_instruction_0")
    }
    later = "depends on question 0 of a later turn, sub_instruction_1; ask that turn first"
    assert [f.sentence for f in found] == [f"question {point} {later}" for point in (1, 2)]
    assert beside_branches(instance(sub_instructions=early), published) == []


def beside_branches(made: dict, published: bool) -> list:
    """What is wrong with an instance but that its other branch is missing."""
    return [found for found in check([made], published)[1] if found.field != "branches"]


def test_an_and_instruction_needs_no_turns():
    made = instance(
        category="And",
        composition_types=["And"],
        scoring_questions=[
            {**question, "composition_types": [], "dep": [], "constraint_dimensions": ["Length"]}
            for question in instance()["scoring_questions"]
        ],
        constraint_dimensions=["Length"],
    )
    (found,) = check([made])[1]
    assert found.severity == "warning" and "neither Chain nor Selection" in found.sentence


@given(
    st.dictionaries(
        st.sampled_from(["sub_instruction_0", "sub_instruction_1", "sub_instruction_2", "x"]),
        st.lists(st.integers(-2, 5), max_size=5)
        | st.lists(st.sampled_from([FIRST, SECOND, THIRD, "?"]) | st.text(max_size=9), max_size=5),
        max_size=4,
    )
)
def test_whatever_is_assigned_is_a_partition_or_a_problem(given):
    points, problems = assigned(parts(**given))
    flat = [point for turn in points for point in turn]
    whole = sorted(flat) == [0, 1, 2] and all(
        list(turn) == list(range(turn[0], turn[0] + len(turn))) for turn in points if turn
    )
    assert not given or whole or problems
