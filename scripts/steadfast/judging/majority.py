"""The majority's verdict on each point of a response."""

from collections.abc import Sequence
from dataclasses import replace

from steadfast.contract.components import Score
from steadfast.contract.votes import majority_vote


def voted_points(scores: Sequence[Score]) -> Score:
    """Returns the first score that has points, with the majority's verdicts; else the first."""
    score = next((score for score in scores if score.points), scores[0])
    if not score.points:
        return score
    points = {}
    for name in score.points:
        points[name] = majority_vote(
            [(judge_score.points or {}).get(name) for judge_score in scores]
        )
    # The total is 1 if all points are; those without a verdict (None) do not count.
    total = min(point for point in points.values() if point is not None)
    return replace(score, points=points, total=total)
