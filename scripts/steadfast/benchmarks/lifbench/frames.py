"""LIFBench's scores as one data frame, what it holds, and how much of it is scored."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import nan
from typing import Any, cast

import numpy as np
import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.benchmarks.lifbench.records import ASKED, AVERAGE, FURTHER, PERSPECTIVES, ScoreRecord
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS, SCORED_TASKS
from steadfast.contract.components import Scored
from steadfast.contract.records import OVERALL, OWN
from steadfast.contract.request import STATUSES
from steadfast.stats.scores import answers_expected, is_empty, prompts_of, with_prompts
from steadfast.stats.tidy import in_order
from steadfast.stats.variance import REPEAT, RESIDUAL

CAPABILITIES = ("Ori", "Num", "Spat", "Fmt", "Logic", "Recog")  # section 4.2
POINT = "point."
OTHER = "other."
PLAIN_NUMBERS = ("repeat", "expression_id", "variable_id", "prompt_truncated", "total", "depth")
FLAGS = ("prompt_truncated", "empty")
NESTED = "nested"
"""Of contexts that are beginnings of each other: the name of their family, and its stratum's."""


def score_frame(
    scores: Iterable[Scored[ScoreRecord]], rubric: str, beyond: bool = False
) -> pd.DataFrame:
    """Returns the scores of several models and lengths, one row an answer.

    stratum is the scenario, cluster the context (of each prompts' source by itself), or the family
    of nested contexts, which all lengths share; ``point.<name>`` the fraction of a score point's
    weight, ``other.<name>`` the total by another rubric. A number that there is not is empty.
    """
    # Packed as they come: of a large run the records are many times the frame.
    texts: dict[str, Codes] = defaultdict(Codes)
    numbers: dict[str, array[float]] = {}
    for name in (*PLAIN_NUMBERS, "empty"):
        numbers[name] = array("d")
    # Of the others each record has few.
    sparse: dict[str, Sparse] = {}
    for task in SCORED_TASKS.values():
        for name in task.points:
            sparse[f"{POINT}{name}"] = Sparse()
    for name in RUBRICS:
        if name != rubric:
            sparse[f"{OTHER}{name}"] = Sparse()
    for row, scored in enumerate(scores):
        record: Any = scored.record
        for name, text in _texts(scored, rubric, ASKED if beyond else ()).items():
            texts[name].append(text)
        for name in PLAIN_NUMBERS:
            numbers[name].append(nan if record[name] is None else record[name])
        numbers["empty"].append(is_empty(record))
        fractions = {f"{POINT}{name}": value for name, value in (record["points"] or {}).items()}
        for name, by in record["other_raters"].items():
            fractions[f"{OTHER}{name}"] = by["total"]
        for name, value in fractions.items():
            if value is not None and name in sparse:
                sparse[name].add(row, value)
    columns: dict[str, Any] = {}
    for name, codes in texts.items():
        columns[name] = codes.column()
    for name, values in numbers.items():
        columns[name] = np.asarray(values)
    for name, column in sparse.items():
        if column.rows or name.startswith(POINT):
            columns[name] = column.column(len(numbers["total"]))
    frame = pd.DataFrame(columns)
    frame["model"] = pd.Categorical(frame["model"], sorted(texts["model"].codes), ordered=True)
    frame["length"] = pd.Categorical(frame["length"], texts["length"].codes, ordered=True)
    return frame.astype({"task": "category", "cluster": "category", **dict.fromkeys(FLAGS, bool)})


class Codes:
    """Holds a column of texts of which most occur again and again."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        self._rows = array("i")

    def append(self, text: str) -> None:
        """Adds the text of a further row."""
        self._rows.append(self.codes.setdefault(text, len(self.codes)))

    def column(self) -> Any:
        """Returns the texts of all rows."""
        return pd.Series(list(self.codes)).array.take(np.asarray(self._rows))


class Sparse:
    """Holds a column of numbers that few rows have."""

    def __init__(self) -> None:
        self.rows = array("q")
        self._values = array("d")

    def add(self, row: int, value: float) -> None:
        """Adds the number of a row."""
        self.rows.append(row)
        self._values.append(value)

    def column(self, size: int) -> np.ndarray:
        """Returns the numbers of so many rows, empty where a row has none."""
        values = np.full(size, np.nan)
        values[np.asarray(self.rows)] = np.asarray(self._values)
        return values


def _texts(scored: Scored[ScoreRecord], rubric: str, asked: Iterable[str]) -> dict[str, str]:
    model, length, record = scored
    task = record["task"]
    if task not in SCORED_TASKS:
        raise UserError(f"scores: unknown task {task!r}; LIFBench has {', '.join(SCORED_TASKS)}")
    if record["rubric"] != rubric:
        raise UserError(
            f"scores: scored by the rubric {record['rubric']!r}, not {rubric!r}; score again"
        )
    scenario = SCORED_TASKS[task].scenario
    prompts = prompts_of(record)
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
        **{name: cast(Settings, record).get(name, "") for name in asked},
    }


def sampled(drawn: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Returns the rows of sampled contexts by stratum, and whether these are nested families.

    Families beside contexts of the config's own are left out: a note says what they are.
    """
    nested = drawn["stratum"].astype(str).str.endswith(f"/{NESTED}")
    return (drawn, True) if nested.all() else (drawn[~nested], False)


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
    """Returns rows sorted by some keys, as ``row_order`` says or as given."""
    all_orders = {"other": frame["model"].cat.categories, **row_order(frame), **orders}
    return in_order(rows, {key: all_orders[key] for key in keys})


def data_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Counts expressions, variables and samples of each task (Table 2), the config's own first."""
    own_rows = frame[frame["prompts"] == frame["prompts"].min()]  # own stands before released
    samples = own_rows.drop_duplicates(["length", "sample_id"]).groupby("task", observed=True)
    counts = samples.agg(
        expressions=("expression_id", "nunique"),
        variables=("variable_id", "nunique"),
        samples=("sample_id", "size"),
    )
    tasks = [task for task in SCORED_TASKS if task in counts.index]
    return counts.reindex(list(tasks)).reset_index()


def coverage(frame: pd.DataFrame) -> pd.DataFrame:
    """Counts expected and scored samples of each model by task and length, with their sums."""
    flags = {"scored": frame["total"].notna()}
    for status in STATUSES:
        flags[f"status_{status}"] = frame["status"] == status
    flags |= {flag: frame[flag] for flag in FLAGS}
    flagged = frame[["model", "task", "length"]].assign(**flags).astype({"model": str})

    def counted(by: list[str]) -> pd.DataFrame:
        keys = ["model", *by]
        counts = flagged.groupby(keys, observed=True)[list(flags)].sum()
        expected = answers_expected(frame, by, ["length", "sample_id"]).set_index(keys)
        return expected.join(counts).fillna(0).astype(int).reset_index()

    parts = map(counted, (["task", "length"], ["task"], ["length"], []))
    rows = pd.concat(parts, ignore_index=True)
    rows = rows.reindex(columns=["model", "task", "length", "expected", *flags])
    keys = rows[["task", "length"]].astype(object)
    rows[["task", "length"]] = keys.fillna({"task": OVERALL, "length": ""})
    return sorted_rows(with_prompts(rows, frame), frame, ["model", "task", "length"])
