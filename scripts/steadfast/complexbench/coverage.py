"""How much is scored, and by what: samples and questions of each model."""

from collections import Counter, defaultdict
from itertools import product

import pandas as pd

from steadfast.complexbench.rules.outcome import UNDECIDED
from steadfast.complexbench.scored import ScoredAnswers
from steadfast.metrics.scores import STATUSES

KINDS = ("judge", "rule", "rule_judged")
"""What decides a question: a judge; a rule on what a judge copied; a judge, though it has a rule.
"""
COUNTS = ("n", "unread", "open")


def coverage(scored: ScoredAnswers) -> pd.DataFrame:
    """How many questions and samples each model should have and how many have verdicts.

    Expected are the instances that any model was asked about.

    Returns:
        Columns model, language, split, expected and scored (questions), open (of those scored, by
        a rule that decides nothing), samples, one count of samples per status
        (``status_<name>``), and truncated.
    """
    rows = []
    for name, part in scored.parts.items():
        for model in scored.models:
            records = scored.records.get((model, name), ())
            verdicts = scored.verdicts.get((model, name), {})
            known = [v for its in verdicts.values() for v in its if v is not None]
            statuses = Counter(record["status"] for record in records)
            rows.append(
                {
                    "model": model,
                    "language": part.language,
                    "split": part.split,
                    "expected": sum(len(i["scoring_questions"]) for i in part.instances.values()),
                    "scored": len(known),
                    "open": known.count(UNDECIDED),
                    "samples": len({record["sample_id"] for record in scored.of_part(name)}),
                    **{f"status_{status}": statuses[status] for status in STATUSES},
                    "truncated": sum(bool(record["truncated"]) for record in records),
                }
            )
    return pd.DataFrame(rows)


def judging(scored: ScoredAnswers, judge: str) -> pd.DataFrame:
    """What decided the questions of each model's answers, and how often that failed.

    Args:
        scored: with the verdicts.
        judge: whose verdicts count.

    Returns:
        Columns model, language, split, judge, kind (one of ``KINDS``), n (questions asked of the
        judge), unread (replies that are missing or cannot be read) and open (rules that decide
        nothing).
    """
    rows = []
    for model, name in product(scored.models, scored.parts):
        part = scored.parts[name]
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for record in scored.records.get((model, name), ()):
            for point, how in (record["extracted"] or {}).items():
                verdict = record["raw"][point]
                unread, left_open = int(verdict is None), int(verdict == UNDECIDED)
                counts[how["by"]].update(n=1, unread=unread, open=left_open)
        for kind in sorted(counts, key=KINDS.index):
            numbers = (counts[kind][column] for column in COUNTS)
            rows.append((model, part.language, part.split, judge, kind, *numbers))
    columns = ["model", "language", "split", "judge", "kind", *COUNTS]
    return pd.DataFrame(rows, columns=columns)
