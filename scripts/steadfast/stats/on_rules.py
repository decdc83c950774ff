"""How well judges do on what rules decide, which is the truth without people."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from steadfast.base.files import Record
from steadfast.contract.components import ON_RULES, Scored, rater_name
from steadfast.stats.agreement import COLUMNS, RULES, by_model, contexts_of, pair_row
from steadfast.stats.raters import answer_name, first_draws

RATES = {"sensitivity": 1, "specificity": 0}
"""Shares of what holds, or does not hold, by the rule that a judge says the same of."""
AGAINST_RULES = [f"{rate}{end}" for rate in RATES for end in ("", "_low", "_high")]
"""Further columns of rows of kind ``RULES``."""
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
        for model, (said, true) in by_model([given, by_rule], lambda item: item[0]).items():
            row: Record = {"kind": RULES, "first": judge, "second": "rule", "model": model}
            row |= pair_row([said, true], cluster)
            for rate, value in RATES.items():
                part = {item: verdict for item, verdict in true.items() if verdict == value}
                found_of = pair_row([said, part], cluster)
                row |= {f"{rate}{end}": found_of.get(f"raw{end}") for end in ("", "_low", "_high")}
            rows.append(row)
    return pd.DataFrame(rows, columns=[*COLUMNS, *AGAINST_RULES])
