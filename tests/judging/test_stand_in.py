"""The line by which stand-ins for models tell stand-ins for judges what they kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.judging.stand_in import UNSIGNED, signature, signed


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("好。\n[simulated: kept 0, 2]", {0, 2}),
        ("[simulated: kept 12]\n\n", {12}),
        ("[simulated: kept ]", set()),
        ("[simulated: kept 0, 1]\n后面还有一句。", None),
        ("他说 [simulated: kept 0, 1]", None),
        ("一个真正的模型的回复。", None),
        ("", None),
        ("[simulated: kept " + "1, " * 100_000 + "]", None),
        (UNSIGNED, None),
    ],
)
def test_the_last_line_tells_or_nothing_does(answer, expected):
    assert signed(answer) == expected


@given(text=st.text(), kept=st.sets(st.integers(0, 500), max_size=50))
def test_what_is_signed_is_read(text, kept):
    assert signed(f"{text}\n{signature(kept)}") == kept


@given(answer=st.text())
def test_any_answer_can_be_asked(answer):
    assert signed(answer) is None or "[simulated: kept" in answer
