"""How much is scored, and by what: samples and questions of each model."""

from collections import Counter

import pandas as pd

from steadfast.complexbench.rules.outcome import UNDECIDED
from steadfast.complexbench.scored import INVALID, Scored
from steadfast.engines.request import STATUSES

KINDS = ("judge", "rule", "rule_judged")
"""What decides a question: a judge; a rule on what a judge copied; a judge, though it has a rule.
"""


def coverage(scored: Scored) -> pd.DataFrame:
    """How many questions and samples each model should have and how many have verdicts.

    Expected are the instances that any model was asked about.

    Returns:
        Columns model, language, split, expected and scored (questions), open (of those scored, by
        a rule that decides nothing), samples, one count of samples per status
        (``status_<name>``), and truncated.
    """
    rows = []
    for name, part in scored.parts.items():
        expected = sum(len(one["scoring_questions"]) for one in part.instances.values())
        samples = {
            record["sample_id"]
            for (_, of), records in scored.records.items()
            if of == name
            for record in records
        }
        for model in scored.models:
            records = scored.records.get((model, name), ())
            verdicts = scored.verdicts(model, name) if records else {}
            known = [v for its in verdicts.values() for v in its if v is not None]
            statuses = Counter(record["status"] for record in records)
            rows.append(
                {
                    "model": model,
                    "language": part.language,
                    "split": part.split,
                    "expected": expected,
                    "scored": len(known),
                    "open": sum(_is_open(verdict) for verdict in known),
                    "samples": len(samples),
                    **{f"status_{status}": statuses[status] for status in (*STATUSES, INVALID)},
                    "truncated": sum(bool(record["truncated"]) for record in records),
                }
            )
    return pd.DataFrame(rows)


def judging(scored: Scored) -> pd.DataFrame:
    """What decided the questions of each model's answers, and how often that failed.

    Returns:
        Columns model, language, split, judge, kind (one of ``KINDS``), n (questions asked of the
        judge), unread (replies that are missing or cannot be read) and open (rules that decide
        nothing).
    """
    rows = []
    asked = [(m, n) for m in scored.models for n in scored.parts if (m, n) in scored.records]
    for model, name in asked:
        part, records = scored.parts[name], scored.records[model, name]
        counts: dict[tuple[str, str], Counter] = {}
        for record in records:
            for point, how in (record["extracted"] or {}).items():
                counted = counts.setdefault((record["judge"], how["by"]), Counter())
                verdict = record["raw"][point]
                counted.update(n=1, unread=verdict is None, open=_is_open(verdict))
        for judge, kind in sorted(counts, key=lambda key: (key[0], KINDS.index(key[1]))):
            row = {"model": model, "language": part.language, "split": part.split}
            counted = counts[judge, kind]
            rows.append(
                row
                | {"judge": judge, "kind": kind}
                | {column: counted[column] for column in ("n", "unread", "open")}
            )
    columns = ["model", "language", "split", "judge", "kind", "n", "unread", "open"]
    return pd.DataFrame(rows, columns=columns)


def _is_open(verdict: object) -> bool:
    return verdict is not None and not isinstance(verdict, bool) and verdict == UNDECIDED
