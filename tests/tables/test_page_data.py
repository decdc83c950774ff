"""What the page holds of an answer to filter by."""

from steadfast.page.sample_data import answer_row
from steadfast.run.finished import FinishedAnswer

SCORE = {"status": "ok", "total": 0.5, "points": {"format": 1.0}, "other_raters": {}}


def row(output, score):
    return answer_row(FinishedAnswer("m", 0, output, score))


def test_an_answer_without_a_score_has_a_status_and_no_total():
    assert row(None, None) == ["missing", None, None, 0]
    assert row({"status": "overflow"}, None) == ["overflow", None, None, 0]


def test_raters_differ_only_where_their_totals_do():
    assert row(None, SCORE) == ["ok", 0.5, {"format": 1.0}, 0]
    for total, differ in ((0.5, 0), (0.25, 1)):
        assert row(None, {**SCORE, "other_raters": {"judge": {"total": total}}})[3] == differ
