"""How well judges agree with each other and with people: on questions, and on the better answer."""

from collections.abc import Collection, Sequence

import pandas as pd

from steadfast.base.files import Record
from steadfast.benchmarks.complexbench.facts import WHOLE
from steadfast.benchmarks.complexbench.records import ScoreRecord
from steadfast.benchmarks.complexbench.scored import ScoredAnswers
from steadfast.contract.components import Labels, Scored
from steadfast.stats.agreement import answer_agreement
from steadfast.stats.preferences import preferences
from steadfast.stats.raters import judge_verdicts, read_labels

WORDS = {"yes": True, "no": False}


def agreement(
    scored: ScoredAnswers, judges: Sequence[str], labels: Labels | None = None
) -> pd.DataFrame:
    """Returns agreement on the questions' verdicts before dependencies; open ones are none."""
    scores = _named(scored)
    of_judges = judge_verdicts(scores, judges, _judged)
    people = read_labels(labels, scores, _labelled, preferences=True)
    return answer_agreement(of_judges, people, scores)


def preferred(
    scored: ScoredAnswers,
    judges: Sequence[str],
    labels: Labels | None = None,
    references: Collection[str] = (),
) -> pd.DataFrame:
    """Win, tie and lose of every two models on whole instructions, by shares of questions."""
    whole, turns = [], set()
    for one in _named(scored):
        if scored.parts[one.part].split == WHOLE:
            whole.append(one)
        else:
            turns.add(one.record["sample_id"])
    return preferences(whole, judges, labels, references, turns)


def _named(scored: ScoredAnswers) -> list[Scored[ScoreRecord]]:
    """The scores with part and sample for an id: an instance has the same one in each language."""
    return [
        Scored(model, part, record | {"sample_id": f"{part}/{record['sample_id']}"})
        for (model, part), records in scored.records.items()
        for record in records
    ]


def _judged(rated: Record) -> dict[str, bool]:
    raw = rated["raw"] or {}
    return {point: verdict for point, verdict in raw.items() if isinstance(verdict, bool)}


def _labelled(verdicts: object, score: Record) -> dict[str, bool]:
    if not isinstance(verdicts, dict) or not set(map(str, verdicts.values())) <= set(WORDS):
        raise ValueError('verdicts must be yes or no by question, such as {"0": "yes"}')
    known = list(map(str, score["questions"]))
    for point in verdicts:
        if point not in known:
            raise ValueError(f"there is no question {point!r}, only {', '.join(known)}")
    return {point: WORDS[word] for point, word in verdicts.items()}
