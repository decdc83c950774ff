"""How well judges do on what rules decide, which is the truth without people."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from steadfast.base.files import Record
from steadfast.contract.components import Scored
from steadfast.contract.votes import ON_RULES, rater_name
from steadfast.stats.agreement import (
    AGAINST_TRUTH,
    COLUMNS,
    RULES,
    against_truth,
    by_model,
    contexts_of,
    pair_row,
)
from steadfast.stats.raters import answer_name, first_draws

Given = dict[tuple[str, str, Any], Any]
"""Verdicts by model, answer and question."""


def on_rule_items(
    judges: Sequence[str],
    scores: Sequence[Scored[Any]],
    read: Callable[[Any], Mapping[Any, Any]],
    decided: Callable[[Any], Collection[Any]] | None = None,
) -> pd.DataFrame:
    """Returns rows as ``agreement_rows`` does, with ``RATES`` and their ends, by model.

    It is empty if no judge was asked about what a rule decides.

    Args:
        judges: those to compare, in the order to show.
        scores: of answers of which something is decided by a rule.
        read: makes of the rule's rating, and of a judge's, a verdict (1 or 0) for each question.
        decided: the questions on an answer that a rule decides; None: all.
    """
    by_rule: Given = {}
    by_judge: dict[str, Given] = {judge: {} for judge in first_draws(judges)}
    for model, _, record in scores:
        known = set(decided(record)) if decided else None
        for judge, found in by_judge.items():
            if rated := record["other_raters"].get(rater_name(judge, ON_RULES)):
                for given, of in ((found, rated), (by_rule, record)):
                    given |= {
                        (model, answer_name(record), question): verdict
                        for question, verdict in read(of).items()
                        if known is None or question in known
                    }
    contexts, rows = contexts_of(scores), list[Record]()

    def cluster(item: tuple[str, str, Any]) -> object:
        return contexts[item[:2]]

    for judge, given in by_judge.items() if by_rule else ():
        for model, sides in by_model([given, by_rule], lambda item: item[0]).items():
            row: Record = {"kind": RULES, "first": judge, "second": "rule", "model": model}
            rows.append(row | pair_row(sides, cluster) | against_truth(sides, cluster))
    return pd.DataFrame(rows, columns=[*COLUMNS, *AGAINST_TRUTH])
