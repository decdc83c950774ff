"""How well judges agree with each other and with people, on constraints and on whole items."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import pandas as pd

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import JUDGE, NO, PATH, YES, Prompt, ScoreRecord
from steadfast.contract.components import Labels, Question, Sample, Scored
from steadfast.contract.votes import rater_name
from steadfast.stats.agreement import AGAINST_TRUTH, COLUMNS, answer_agreement, consensus
from steadfast.stats.on_rules import on_rule_items
from steadfast.stats.raters import (
    answer_name,
    by_answer,
    judge_verdicts,
    listed_verdicts,
    numbered_points,
    read_labels,
)

V = TypeVar("V")
CONSTRAINT, ITEM = "constraint", "item"


def agreement(
    scores: Sequence[Scored[ScoreRecord]],
    judges: Sequence[str],
    labels: Labels | None = None,
    ways: Sequence[str] = (PATH,),
) -> pd.DataFrame:
    """Returns agreement of every two raters on constraints, and on whole items as in Table 3.

    A judge that is asked in several ways is a rater in each. On constraints those are compared that
    saw the whole path; others count and order the constraints as they see fit.
    """
    judged = [score for score in scores if _is_judged(score.record)]
    raters = {
        (judge if way == ways[0] else rater_name(judge, way)): (judge, way)
        for judge in judges
        for way in ways
    }

    def shown(verdicts: Mapping[str, V]) -> dict[str, V]:
        """Verdicts by the raters' names in tables, which say the way where there are several."""
        several = len(ways) > 1
        return {rater_name(*raters[name]) if several else name: of for name, of in verdicts.items()}

    by_path = [name for name, (_, way) in raters.items() if way == PATH]
    on_constraints = shown(judge_verdicts(judged, by_path, numbered_points))
    whole = judge_verdicts(judged, list(raters), _kept)
    of_people = read_labels(labels, scores, _label, judged=_is_judged)
    on_items, on_items_of_people = (
        by_answer(of, lambda _, kept: min(kept)) for of in (whole, of_people)
    )
    parts = [
        answer_agreement(on_constraints, of_people, judged).assign(measure=CONSTRAINT),
        answer_agreement(shown(on_items), on_items_of_people, judged).assign(measure=ITEM),
    ]
    by_rule = [score for score in scores if not _is_judged(score.record)]
    on_rules = on_rule_items(judges, by_rule, _kept).assign(measure=ITEM)
    if not on_rules.empty:
        parts.append(on_rules)
    found = pd.concat(parts, ignore_index=True)
    return found[["measure", *(name for name in (*COLUMNS, *AGAINST_TRUTH) if name in found)]]


def labelled_verdicts(
    labels: Labels | None, scores: Sequence[Scored[ScoreRecord]]
) -> dict[tuple[str, str], dict[int, int]]:
    """Returns people's verdicts on the constraints of each answer that they labelled whole."""
    levels = {(one.model, answer_name(one.record)): one.record["level"] for one in scores}
    found = consensus(read_labels(labels, scores, _label, judged=_is_judged))
    return {answer: of for answer, of in found.items() if len(of) == levels[answer]}


def questions(sample: Sample[Prompt]) -> list[Question]:
    """Returns what people are asked of an answer: each constraint, by the step that added it."""
    if sample.prompt["scorer"] != JUDGE:
        return []
    levels, said = sample.source["levels"], facts("followbench/tables.yaml")["asked_of_people"]
    return [
        Question(str(n), said.format(n=n, text=levels[n - 1]["instruction"]))
        for n in range(1, sample.prompt["level"] + 1)
    ]


def _is_judged(score: ScoreRecord) -> bool:
    return bool(score["scorer"] == JUDGE)


def _kept(rated: Record) -> dict[int, int]:
    """Whether a rater takes all constraints for kept; of a reply that counts −1, nothing."""
    total = rated["total"]
    return {} if total is None or total < 0 else {0: int(total)}


def _label(verdicts: object, score: Record) -> dict[int, int]:
    return listed_verdicts(verdicts, score["level"], "constraint", YES, NO)
