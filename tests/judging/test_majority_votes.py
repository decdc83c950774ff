"""The majority of several judges, for each score point."""

from steadfast.contract.components import Score
from steadfast.judging.majority import voted_points


def test_majority_is_by_point_and_gives_the_total():
    scores = [
        Score("invalid"),
        Score("ok", {"a": 1, "b": 1, "c": None}, 1, extracted="second"),
        Score("ok", {"a": 0, "b": 1, "c": None}, 0),
        Score("ok", {"a": 0, "b": 1}, 0),
    ]
    voted = voted_points(scores)
    # No judge has a verdict on c.
    assert (voted.points, voted.total) == ({"a": 0, "b": 1, "c": None}, 0)
    assert (voted.status, voted.extracted) == ("ok", "second")
    assert voted_points([scores[0], scores[1], scores[1]]).total == 1


def test_first_score_counts_where_no_score_has_points():
    unscored = [Score("invalid"), Score("error")]
    assert voted_points(unscored) == unscored[0]
