"""How well judges agree with each other and with people, and what people correct."""

from collections.abc import Sequence
from itertools import product

import pandas as pd

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench import facts as followbench
from steadfast.benchmarks.followbench import frames
from steadfast.benchmarks.followbench.facts import Prompt, ScoreRecord
from steadfast.contract.components import Labels, Question, Sample, Scored
from steadfast.contract.votes import rater_name
from steadfast.stats import raters
from steadfast.stats.agreement import (
    AGAINST_TRUTH,
    COLUMNS,
    answer_agreement,
    consensus,
    on_rule_items,
)
from steadfast.stats.corrected import corrected_rows

CONSTRAINT = "constraint"
ITEM = "item"


def agreement(
    scores: Sequence[Scored[ScoreRecord]],
    judges: Sequence[str],
    labels: Labels | None = None,
    judge_prompts: Sequence[str] = (followbench.PATH,),
) -> pd.DataFrame:
    """Returns agreement of every two raters on constraints, and on whole items as in Table 3.

    A judge with several prompts is a rater with each. Only verdicts by the prompt with the whole
    path are compared on constraints; by others a judge counts and orders them as it sees fit.
    """
    judged = [score for score in scores if _is_judged(score.record)]
    by_rule = [score for score in scores if not _is_judged(score.record)]
    by_path = []
    # By the rater's name in scores; with the judge's prompt if there are several.
    labels_in_tables = {}
    for judge, judge_prompt in product(judges, judge_prompts):
        name = judge if judge_prompt == judge_prompts[0] else rater_name(judge, judge_prompt)
        labels_in_tables[name] = rater_name(judge, judge_prompt) if len(judge_prompts) > 1 else name
        if judge_prompt == followbench.PATH:
            by_path.append(name)
    on_constraints = raters.judge_verdicts(judged, by_path, raters.numbered_points)
    on_items = raters.by_answer(
        raters.judge_verdicts(judged, list(labels_in_tables), _kept), _all_kept
    )
    people = raters.read_labels(labels, scores, _label, judged=_is_judged)
    people_on_items = raters.by_answer(people, _all_kept)
    constraint_verdicts = {labels_in_tables[name]: on_constraints[name] for name in on_constraints}
    item_verdicts = {labels_in_tables[name]: on_items[name] for name in on_items}
    parts = [
        answer_agreement(constraint_verdicts, people, judged).assign(measure=CONSTRAINT),
        answer_agreement(item_verdicts, people_on_items, judged).assign(measure=ITEM),
    ]
    on_rules = on_rule_items(judges, by_rule, _kept)
    if not on_rules.empty:
        parts.append(on_rules.assign(measure=ITEM))
    rows = pd.concat(parts, ignore_index=True)
    columns = [name for name in (*COLUMNS, *AGAINST_TRUTH) if name in rows]
    return rows[["measure", *columns]]


def questions(sample: Sample[Prompt]) -> list[Question]:
    """Returns the questions to people about a response: each constraint, by its level."""
    if sample.prompt["scorer"] != followbench.JUDGE:
        return []
    form = facts("followbench/tables.yaml")["question_for_people"]
    levels = sample.source["levels"][: sample.prompt["level"]]
    instructions = [level["instruction"] for level in levels]
    return [Question(str(n), form.format(n=n, text=t)) for n, t in enumerate(instructions, start=1)]


def _is_judged(score: ScoreRecord) -> bool:
    return bool(score["scorer"] == followbench.JUDGE)


def _kept(rated: Record) -> dict[int, int]:
    """Returns whether all constraints are kept; nothing for a reply that counts −1."""
    total = rated["total"]
    return {} if total is None or total < 0 else {0: int(total)}


def _all_kept(answer: str, verdicts: Sequence[int]) -> int:
    return min(verdicts)


def _label(verdicts: object, score: Record) -> dict[int, int]:
    words = (followbench.YES, followbench.NO)
    return raters.listed_verdicts(verdicts, score["level"], CONSTRAINT, *words)


def corrected(
    scores: Sequence[Scored[ScoreRecord]],
    samples: pd.DataFrame,
    labels: Labels | None,
    language: str,
    raw: pd.DataFrame,
) -> pd.DataFrame:
    """Returns HSR, SSR and CSL in a language by ``corrected_rows``; people correct no rules."""
    people = consensus(raters.read_labels(labels, scores, _label, judged=_is_judged))
    labelled = []
    for scored in scores:
        verdicts = people.get((scored.model, raters.answer_name(scored.record)), {})
        if len(verdicts) == scored.record["level"]:  # on all of its constraints
            points: dict[str, float | None] = {str(n): float(v) for n, v in verdicts.items()}
            total = float(min(verdicts.values()))
            record: ScoreRecord = {**scored.record, "points": points, "total": total}
            labelled.append(scored._replace(record=record))
    language_samples = samples[samples["language"] == language]
    by_people = frames.sample_frame(labelled) if labelled else language_samples.iloc[:0]
    keys = ["model", "sample_id", "repeat"]
    joined = language_samples[keys].merge(by_people[[*keys, "hard"]], "left", keys)
    is_ruled = language_samples["kind"] == followbench.RULE
    hard = language_samples["hard"].where(is_ruled, joined["hard"].to_numpy())
    with_humans = language_samples.assign(hard=hard)
    units = pd.concat([_items(language_samples), _groups(language_samples)], ignore_index=True)
    labelled_units = pd.concat([_items(by_people), _groups(with_humans)], ignore_index=True)
    highest = {"HSR": 100.0, "SSR": 100.0, "CSL": float(len(followbench.LEVELS))}
    return corrected_rows(units, labelled_units[~labelled_units["sure"]], raw, highest)


def _items(samples: pd.DataFrame) -> pd.DataFrame:
    """HSR and SSR in per cent: the mean of the categories' and levels' means."""
    parts = []
    for measure, column in (("HSR", "hard"), ("SSR", "soft")):
        in_percent = samples.assign(value=100 * samples[column])
        parts.append(_units(in_percent, "sample_id", measure, ["level"]))
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
            "sure": rows["kind"] == followbench.RULE,
        }
    )
