"""LIFBench's scores as one data frame, what it holds, and how much of it is scored."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import nan
from typing import cast

import numpy as np
import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.records import (
    AVERAGE,
    FURTHER,
    FURTHER_FIELDS,
    PERSPECTIVES,
    ScoreRecord,
)
from steadfast.benchmarks.lifbench.scored_tasks import JUDGE, RUBRICS, SCORED_TASKS
from steadfast.contract.components import Scored
from steadfast.contract.records import OVERALL, OWN
from steadfast.contract.request import STATUSES
from steadfast.contract.votes import rater_name
from steadfast.stats import scores
from steadfast.stats.tidy import in_order
from steadfast.stats.variance import REPEAT, RESIDUAL

CAPABILITIES = ("Ori", "Num", "Spat", "Fmt", "Logic", "Recog")  # section 4.2
POINT = "point."
OTHER = "other."
PLAIN_NUMBERS = ("repeat", "expression_id", "variable_id", "prompt_truncated", "total", "depth")
FLAGS = ("prompt_truncated", "empty")
SAMPLE = ["length", "sample_id"]
# Of contexts that are beginnings of each other: the name of their family, and its stratum's.
NESTED = "nested"


def score_frame(
    scored_samples: Iterable[Scored[ScoreRecord]], rubric: str, beyond: bool = False
) -> pd.DataFrame:
    """Returns the scores of several models and lengths, one row an answer.

    stratum is the scenario; cluster the context, or the family of nested contexts, which all
    lengths share; ``point.<name>`` the fraction of a score point's weight; ``other.<name>`` the
    total by another rubric or the judge. A missing number is empty.
    """
    # Collected in arrays: the records of a large run take many times the frame's memory.
    texts: dict[str, list[str]] = defaultdict(list)
    interned: dict[str, str] = {}  # most texts occur again and again
    points: list[str] = []
    for task in SCORED_TASKS.values():
        points += [f"{POINT}{name}" for name in task.points]
    other_raters = [name for name in (*RUBRICS, JUDGE) if name != rubric]
    others = [f"{OTHER}{name}" for name in other_raters]
    numbers = {name: array("d") for name in (*PLAIN_NUMBERS, "empty", *points, *others)}
    for scored in scored_samples:
        record = scored.record
        for name, text in _texts(scored, rubric, FURTHER_FIELDS if beyond else ()).items():
            texts[name].append(interned.setdefault(text, text))
        row: Record = {**record, "empty": scores.is_empty(record)}
        for name, fraction in (record["points"] or {}).items():
            row[f"{POINT}{name}"] = fraction
        for name in other_raters:
            rating = record["other_raters"].get(rater_name(record["judge"] or "", name))
            row[f"{OTHER}{name}"] = rating["total"] if rating else None
        # A record has the points of its own task only.
        for name, column in numbers.items():
            value = row.get(name)
            column.append(nan if value is None else value)
    columns = {name: np.asarray(column) for name, column in numbers.items()}
    for name in others:
        # Scores of one rubric alone, as the released ones, are compared with no other.
        if np.isnan(columns[name]).all():
            del columns[name]
    frame = pd.DataFrame({**texts, **columns})
    frame["model"] = pd.Categorical(frame["model"], sorted(set(texts["model"])), ordered=True)
    frame["length"] = pd.Categorical(frame["length"], dict.fromkeys(texts["length"]), ordered=True)
    return frame.astype({"task": "category", "cluster": "category", **dict.fromkeys(FLAGS, bool)})


def _texts(scored: Scored[ScoreRecord], rubric: str, columns: Iterable[str]) -> dict[str, str]:
    model, length, record = scored
    task = record["task"]
    if task not in SCORED_TASKS:
        raise UserError(f"scores: unknown task {task!r}; LIFBench has {', '.join(SCORED_TASKS)}")
    if record["rubric"] != rubric:
        raise UserError(
            f"scores: scored by the rubric {record['rubric']!r}, not {rubric!r}; score again"
        )
    scenario = SCORED_TASKS[task].scenario
    prompts = scores.prompts_of(record)
    stratum = scenario if prompts == OWN else f"{prompts}/{scenario}"
    context = record["context_id"]
    family = cast(Settings, record).get("family")
    # All text of a released context stands in the next longer one too. They have no seed.
    if context == f"{scenario}-{length}":
        family = NESTED
    return {
        "model": model,
        "length": length,
        "prompts": prompts,
        "task": task,
        "status": record["status"],
        "sample_id": record["sample_id"],
        "stratum": stratum,
        # Where the prompts differ, one context is two clusters: equal names pair no answers.
        "cluster": f"{stratum}/{family}" if family else f"{stratum}-{length}/{context}",
        **{name: cast(Settings, record).get(name, "") for name in columns},
    }


def other_totals(frame: pd.DataFrame) -> dict[str, str]:
    """Returns the columns of totals by other rubrics and the judge, by their names."""
    return {column.removeprefix(OTHER): column for column in frame if column.startswith(OTHER)}


def sampled(units: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Returns the rows of sampled contexts by stratum, and whether these are nested families.

    Families beside contexts of the config's own are left out: a note says what they are.
    """
    nested = units["stratum"].astype(str).str.endswith(f"/{NESTED}")
    return (units, True) if nested.all() else (units[~nested], False)


def row_order(frame: pd.DataFrame) -> dict[str, Sequence[str]]:
    """Returns how the rows of metrics are sorted, by key."""
    return {
        "model": list(frame["model"].cat.categories),
        "task": [*SCORED_TASKS, OVERALL],
        "length": list(frame["length"].cat.categories),
        "perspective": ["context", *PERSPECTIVES, AVERAGE, *FURTHER, REPEAT, RESIDUAL],
        "capability": CAPABILITIES,
    }


def sorted_rows(
    rows: pd.DataFrame, frame: pd.DataFrame, keys: Sequence[str], **orders: Sequence[object]
) -> pd.DataFrame:
    """Returns rows sorted by some keys, in the given orders or else those of ``row_order``."""
    all_orders = {"other": frame["model"].cat.categories, **row_order(frame), **orders}
    return in_order(rows, {key: all_orders[key] for key in keys})


def data_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Counts expressions, variables and samples of each task (Table 2), the config's own first."""
    own_rows = frame[frame["prompts"] == frame["prompts"].min()]  # own stands before released
    samples = own_rows.drop_duplicates(SAMPLE).groupby("task", observed=True)
    counts = samples.agg(
        expressions=("expression_id", "nunique"),
        variables=("variable_id", "nunique"),
        samples=("sample_id", "size"),
    )
    return counts.loc[[task for task in SCORED_TASKS if task in counts.index]].reset_index()


def coverage(frame: pd.DataFrame) -> pd.DataFrame:
    """Counts expected and scored samples of each model by task and length, with their sums."""
    keys = ["model", "task", "length"]
    answers = frame.astype(dict.fromkeys(keys, str))
    parts = []
    for by in (["task", "length"], ["task"], ["length"], []):
        parts.append(scores.coverage(answers, SAMPLE, ["prompt_truncated"], by))
    rows = pd.concat(parts, ignore_index=True).fillna({"task": OVERALL, "length": ""})
    statuses = [f"status_{status}" for status in STATUSES]
    columns = [*keys, "expected", "scored", *statuses, *FLAGS, "prompts"]
    return sorted_rows(rows[columns], frame, keys)
