"""How much there is and is scored, and by what: groups, samples and questions of each model."""

from collections import Counter, defaultdict
from itertools import product

import pandas as pd

from steadfast.benchmarks.complexbench.aggregation import CLASSES
from steadfast.benchmarks.complexbench.branches import selecting, selections
from steadfast.benchmarks.complexbench.parts import WHOLE
from steadfast.benchmarks.complexbench.rules.outcome import UNDECIDED
from steadfast.benchmarks.complexbench.scored import ScoredAnswers
from steadfast.stats.asked import with_prompts
from steadfast.stats.scores import STATUSES, is_empty

KINDS = ("judge", "rule", "rule_judged")
"""What decides a question: a judge; a rule on what a judge copied; a judge, though it has a rule.
"""
COUNTS = ("n", "unread", "open")


def coverage(scored: ScoredAnswers) -> pd.DataFrame:
    """How many questions and samples each model should have and how many have verdicts.

    Expected are the instances that any model was asked about, once for each draw of a model.

    Returns:
        Columns model, language, split, expected and scored (questions), open (of those scored, by
        a rule that decides nothing), samples, one count of samples per status
        (``status_<name>``), truncated, empty (answers without any text), and prompts (whose).
    """
    rows, draws = [], scored.asked.set_index("model")["draws"]
    for name, part in scored.parts.items():
        for model in scored.models:
            records = scored.records.get((model, name), ())
            verdicts = scored.verdicts.get((model, name), {})
            known = [
                verdict
                for by_instance in verdicts.values()
                for its in by_instance.values()
                for verdict in its
                if verdict is not None
            ]
            questions = sum(len(i["scoring_questions"]) for i in part.instances.values())
            samples = {record["sample_id"] for record in scored.of_part(name)}
            statuses = Counter(record["status"] for record in records)
            rows.append(
                {
                    "model": model,
                    "language": part.language,
                    "split": part.split,
                    "expected": questions * draws[model],
                    "scored": len(known),
                    "open": known.count(UNDECIDED),
                    "samples": len(samples) * draws[model],
                    **{f"status_{status}": statuses[status] for status in STATUSES},
                    "truncated": sum(bool(record["truncated"]) for record in records),
                    "empty": sum(map(is_empty, records)),
                }
            )
    return with_prompts(pd.DataFrame(rows), scored.asked)


def judging(scored: ScoredAnswers) -> pd.DataFrame:
    """What decided the questions of each model's answers, and how often that failed.

    Returns:
        Columns model, language, split, judge (whose verdicts count), kind (one of ``KINDS``), n
        (questions asked of the judge), unread (replies that are missing or cannot be read) and open
        (rules that decide nothing).
    """
    rows = []
    for model, name in product(scored.models, scored.parts):
        part = scored.parts[name]
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for record in scored.records.get((model, name), ()):
            for point, how in (record["extracted"] or {}).items():
                verdict = (record["raw"] or {})[point]
                unread, left_open = int(verdict is None), int(verdict == UNDECIDED)
                by = record["judge"] or "", how["by"]
                counts[by].update(n=1, unread=unread, open=left_open)
        for judge, kind in sorted(counts, key=lambda by: (by[0], KINDS.index(by[1]))):
            numbers = (counts[judge, kind][column] for column in COUNTS)
            rows.append((model, part.language, part.split, judge, kind, *numbers))
    columns = ["model", "language", "split", "judge", "kind", *COUNTS]
    return pd.DataFrame(rows, columns=columns)


def branches(scored: ScoredAnswers) -> pd.DataFrame:
    """Groups with Selection that were asked, by their instances, and which lack a branch.

    Returns:
        Columns language, kind (single, multiple: as in the coherent test), size (instances of a
        group), groups, and lacking (of these, that lack a branch).
    """
    rows = [
        (part.language, selections(group[0]) > 1, len(group), clause is not None)
        for part in scored.parts.values()
        if part.split == WHOLE
        for _, group, clause in selecting(part.instances.values())
    ]
    keys = ["language", "kind", "size"]
    counted = pd.DataFrame(rows, columns=[*keys, "lacking"]).groupby(keys, sort=True)["lacking"]
    found = counted.agg(groups="size", lacking="sum").reset_index()
    return found.assign(kind=found["kind"].map(lambda several: CLASSES[several]))
