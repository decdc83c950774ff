"""What the levels of one group tell, with verdicts missing or unreadable."""

from hypothesis import given
from hypothesis import strategies as st

from steadfast.benchmarks.followbench.frames import consecutive_levels, failure_consistency


def test_one_group():
    for hard, levels, consistency in (
        ([1, 1, 1, 1, 1], 5, "no failure"),
        ([1, 1, 1, 1, 0], 4, "no failure"),
        ([1, 0, 0, 0, 0], 1, "consistent"),
        ([0, 0, 0, 0, 1], 0, "inconsistent"),
        ([1, -1, 1, 1, 1], 1, "no failure"),
        ([1, 0, -1, 0, 0], 1, "consistent"),
        ([1, None, 0, 0, 0], None, "consistent"),
        ([1, 0, None, 0, 0], 1, None),
        ([1, 0, None, 1, 0], 1, "inconsistent"),
        ([None, 1, 1, 1, 1], None, None),
        ([1, 1, 1, 1, None], None, "no failure"),
        ([None] * 5, None, None),
    ):
        assert consecutive_levels(hard) == levels, hard
        assert failure_consistency(hard) == consistency, hard


@given(st.lists(st.sampled_from([0, 1, -1, None]), min_size=5, max_size=5), st.data())
def test_a_missing_verdict_never_changes_what_is_told(hard, data):
    filled = [data.draw(st.sampled_from([0, 1])) if v is None else v for v in hard]
    assert consecutive_levels(hard) in (None, consecutive_levels(filled))
    assert failure_consistency(hard) in (None, failure_consistency(filled))
