"""What people's labels would buy: how wide corrected intervals are, by answers that are judged."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from steadfast.base.markdown import markdown_table
from steadfast.contract.components import Sample, component
from steadfast.stats.corrected import FEWEST, expected_reach

NUMBERS = (75, 150, 300, 600, 1200)
"""Answers that people judge, of all models together, as ``make labels`` counts them."""
JUDGES = (0.5, 0.8, 0.9, 0.95)
"""Shares of a judge's verdicts that are right; the first knows nothing."""
ALIKE = (0.0, 0.5)
"""Correlations of a cluster's answers in what holds; a judge's errors have half of it."""

WITHIN = (
    "; answers of a cluster that are alike so far in what holds (correlation 0 or 0.5), and half "
    "as far in the judge's errors"
)


def labels_page(questions: Sequence[Any], samples: Sequence[Sample], models: int) -> list[str]:
    """Returns the lines about a benchmark's first part; none where nobody judges it.

    Args:
        questions: what people are asked of a sample, as a component's plain values.
        samples: of the part.
        models: whose answers are labelled.
    """
    ask = component(questions).make
    clusters = [one.prompt["context_id"] for one in samples if ask(one)]
    found = len(set(clusters))
    if found <= FEWEST or not models:
        return []
    size = len(clusters) / found
    columns = [(alike, right) for alike in (ALIKE if size > 1 else ALIKE[:1]) for right in JUDGES]
    rows = list(_rows(found, size, models, columns))
    if not rows:
        return []
    head = ["answers", "clusters"]
    for alike, right in columns:
        judge = f"{right:.0%} right" if right > 0.5 else "judge of no use"
        head.append(f"{judge}, alike {alike:g}" if size > 1 else judge)
    within = WITHIN if size > 1 else ""
    return [
        "",
        "## What labels would buy",
        "",
        "Half the width of the corrected 95 % interval of a model's share of the judged answers, "
        f"where people label so many answers (make labels), of {models} models together, in whole "
        f"clusters. {found:,} clusters are judged, with {size:.1f} answers of a model each. "
        f"Assumed: a share near one half, the widest; a judge that is right so often{within}. "
        "None of this is known before people have judged. Shares of single questions are known "
        "better than those of whole answers.",
        "",
        markdown_table(head, rows, padded=False),
    ]


def _rows(
    clusters: int, size: float, models: int, columns: Sequence[tuple[float, float]]
) -> Iterator[list[str]]:
    for number in NUMBERS:
        labelled = math.ceil(number / (size * models))
        if FEWEST <= labelled <= clusters:
            reaches = (
                expected_reach(labelled, clusters - labelled, size, right, alike, alike / 2)
                for alike, right in columns
            )
            yield [f"{number:,}", f"{labelled:,}", *(f"± {reach:.3f}" for reach in reaches)]
