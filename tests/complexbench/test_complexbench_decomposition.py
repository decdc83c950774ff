"""Decomposition: whose question is whose, and what cannot be assigned."""

from hypothesis import given
from hypothesis import strategies as st

from complexbench_instances import instance
from steadfast.benchmarks.complexbench.data import InstanceRecord, turns

FIRST, SECOND, THIRD = (f"模型是否满足第{number}个要求？" for number in range(3))


def parts(*assigned: list, **named: list) -> dict:
    named = {f"sub_instruction_{n}": given for n, given in enumerate(assigned)} | named
    return {
        key: {"instruction": f"第{n}步", "scoring_questions": given}
        for n, (key, given) in enumerate(named.items())
    }


def assigned(sub_instructions: dict) -> list[tuple]:
    made = InstanceRecord.model_validate(instance(sub_instructions=sub_instructions))
    return [turn.points for turn in turns(made)]


def test_questions_are_assigned_by_text_or_position():
    for sub_instructions in (
        parts([FIRST], [SECOND, THIRD]),
        parts([0], [1, 2]),
        parts([FIRST], [1, 2]),
        parts(["模型满足了第0个要求吗？"], [SECOND, "模型是否满足了第2个要求？"]),
    ):
        assert assigned(sub_instructions) == [(0,), (1, 2)], sub_instructions


def test_the_turns_go_by_their_numbers():
    made = parts(sub_instruction_1=[1, 2], sub_instruction_0=[0])
    assert assigned(made) == [(0,), (1, 2)]
    many = instance(
        scoring_questions=[
            {**instance()["scoring_questions"][1], "point_id": n} for n in range(12)
        ],
        sub_instructions=parts(*[[n] for n in range(12)]),
    )
    found = turns(InstanceRecord.model_validate(many))
    assert [turn.points for turn in found] == [(n,) for n in range(12)]


def test_what_does_not_share_out_the_questions_has_no_turns():
    for sub_instructions in (
        parts([0], [1]),
        parts([0, 1], [1, 2]),
        parts([0, 2], [1]),
        parts([0], [2, 1]),
        parts([0], [1, 2, 3]),
        parts([0], [1, 2, -1]),
        parts([FIRST], [SECOND, THIRD, "还有一个要求吗？"]),
        parts([FIRST, THIRD], [SECOND]),
        parts([], [0, 1, 2]),
        parts([0], step_1=[1, 2]),
        parts([1, 2], [0]),  # 1 and 2 depend on 0, which would be asked later
    ):
        assert assigned(sub_instructions) == [], sub_instructions


@given(
    st.dictionaries(
        st.sampled_from(["sub_instruction_0", "sub_instruction_1", "sub_instruction_2", "x"]),
        st.lists(st.integers(-2, 5), max_size=5)
        | st.lists(st.sampled_from([FIRST, SECOND, THIRD, "?"]) | st.text(max_size=9), max_size=5),
        max_size=4,
    )
)
def test_whatever_is_assigned_is_a_partition_or_nothing(given):
    points = assigned(parts(**given))
    assert not points or [point for turn in points for point in turn] == [0, 1, 2]
