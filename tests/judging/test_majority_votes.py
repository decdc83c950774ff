"""What most judges say, point by point."""

from steadfast.contract.components import Score
from steadfast.judging.majority import voted_points


def test_the_majority_is_of_each_point_and_the_total_of_all_that_are_known():
    judged = [
        Score("invalid"),
        Score("ok", {"a": 1, "b": 1, "c": None}, 1, extracted="second"),
        Score("ok", {"a": 0, "b": 1, "c": None}, 0),
        Score("ok", {"a": 0, "b": 1}, 0),
    ]
    found = voted_points(judged)
    # Nobody says anything of c, which counts for nothing.
    assert (found.points, found.total) == ({"a": 0, "b": 1, "c": None}, 0)
    assert (found.status, found.extracted) == ("ok", "second")
    assert voted_points([judged[0], judged[1], judged[1]]).total == 1


def test_without_points_the_first_counts():
    unscored = [Score("invalid"), Score("error")]
    assert voted_points(unscored) == unscored[0]
