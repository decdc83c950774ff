"""How well judges agree with each other and with people, and what people correct."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import pandas as pd

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench import frames
from steadfast.benchmarks.followbench.facts import (
    JUDGE,
    LEVELS,
    NO,
    PATH,
    RULE,
    YES,
    Prompt,
    ScoreRecord,
)
from steadfast.contract.components import Labels, Question, Sample, Scored
from steadfast.contract.votes import rater_name
from steadfast.stats.agreement import (
    AGAINST_TRUTH,
    COLUMNS,
    answer_agreement,
    consensus,
    on_rule_items,
)
from steadfast.stats.corrected import corrected_rows
from steadfast.stats.raters import (
    answer_name,
    by_answer,
    judge_verdicts,
    listed_verdicts,
    numbered_points,
    read_labels,
)

V = TypeVar("V")
CONSTRAINT = "constraint"
ITEM = "item"


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
        return {
            rater_name(*raters[name]) if several else name: rater_verdicts
            for name, rater_verdicts in verdicts.items()
        }

    by_path = [name for name, (_, way) in raters.items() if way == PATH]
    on_constraints = shown(judge_verdicts(judged, by_path, numbered_points))
    item_verdicts = judge_verdicts(judged, list(raters), _kept)
    of_people = read_labels(labels, scores, _label, judged=_is_judged)
    on_items, on_items_of_people = (
        by_answer(verdicts, lambda _, kept: min(kept)) for verdicts in (item_verdicts, of_people)
    )
    parts = [
        answer_agreement(on_constraints, of_people, judged).assign(measure=CONSTRAINT),
        answer_agreement(shown(on_items), on_items_of_people, judged).assign(measure=ITEM),
    ]
    by_rule = [score for score in scores if not _is_judged(score.record)]
    on_rules = on_rule_items(judges, by_rule, _kept).assign(measure=ITEM)
    if not on_rules.empty:
        parts.append(on_rules)
    agreement_rows = pd.concat(parts, ignore_index=True)
    return agreement_rows[
        ["measure", *(name for name in (*COLUMNS, *AGAINST_TRUTH) if name in agreement_rows)]
    ]


def labelled_verdicts(
    labels: Labels | None, scores: Sequence[Scored[ScoreRecord]]
) -> dict[tuple[str, str], dict[int, int]]:
    """Returns people's verdicts on the constraints of each answer that they labelled whole."""
    levels = {(score.model, answer_name(score.record)): score.record["level"] for score in scores}
    by_answer_name = consensus(read_labels(labels, scores, _label, judged=_is_judged))
    return {
        answer: verdicts
        for answer, verdicts in by_answer_name.items()
        if len(verdicts) == levels[answer]
    }


def questions(sample: Sample[Prompt]) -> list[Question]:
    """Returns what people are asked of an answer: each constraint, by the step that added it."""
    if sample.prompt["scorer"] != JUDGE:
        return []
    levels = sample.source["levels"]
    question = facts("followbench/tables.yaml")["asked_of_people"]
    return [
        Question(str(n), question.format(n=n, text=levels[n - 1]["instruction"]))
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


def corrected(
    scores: Sequence[Scored[ScoreRecord]],
    samples: pd.DataFrame,
    labels: Labels | None,
    language: str,
    raw: pd.DataFrame,
) -> pd.DataFrame:
    """Returns HSR, SSR and CSL in a language by ``corrected_rows``; people correct no rules."""
    verdicts = labelled_verdicts(labels, scores)
    labelled = []
    for scored in scores:
        if answer_verdicts := verdicts.get((scored.model, answer_name(scored.record))):
            points: dict[str, float | None] = {str(n): float(v) for n, v in answer_verdicts.items()}
            record: ScoreRecord = {
                **scored.record,
                "points": points,
                "total": float(min(answer_verdicts.values())),
            }
            labelled.append(scored._replace(record=record))
    language_samples = samples[samples["language"] == language]
    by_people = frames.sample_frame(labelled) if labelled else language_samples.iloc[:0]
    keys = ["model", "sample_id", "repeat"]
    human_hard = (
        language_samples[keys].merge(by_people[[*keys, "hard"]], "left", keys)["hard"].to_numpy()
    )
    with_humans = language_samples.assign(
        hard=language_samples["hard"].where(language_samples["kind"] == RULE, human_hard)
    )
    units = pd.concat([_items(language_samples), _groups(language_samples)], ignore_index=True)
    people = pd.concat([_items(by_people), _groups(with_humans)], ignore_index=True)
    highest = {"HSR": 100.0, "SSR": 100.0, "CSL": float(len(LEVELS))}
    return corrected_rows(units, people[~people["sure"]], raw, highest)


def _items(samples: pd.DataFrame) -> pd.DataFrame:
    """HSR and SSR in per cent: the mean of the categories' and levels' means."""
    parts = [
        _units(samples.assign(value=100 * samples[column]), "sample_id", measure, ["level"])
        for measure, column in (("HSR", "hard"), ("SSR", "soft"))
    ]
    return pd.concat(parts, ignore_index=True)


def _groups(samples: pd.DataFrame) -> pd.DataFrame:
    """CSL: the mean of the categories' means."""
    groups = frames.group_frame(samples)
    return _units(groups.assign(value=groups["levels"]), "cluster", "CSL", [])


def _units(rows: pd.DataFrame, name: str, measure: str, within: list[str]) -> pd.DataFrame:
    rows = rows.dropna(subset="value")
    cells = rows.groupby(["model", "category", *within])["value"]
    return pd.DataFrame(
        {
            "model": rows["model"],
            "measure": measure,
            "cluster": rows["cluster"],
            "unit": rows[name].astype(str) + "#" + rows["repeat"].astype(str),
            "weight": 1 / cells.transform("size"),
            "value": rows["value"],
            "sure": rows["kind"] == RULE,
        }
    )
