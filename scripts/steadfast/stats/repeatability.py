"""Run-to-run variation: how much responses and scores of equal requests differ."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_rows
from steadfast.contract.records import ALONE, OVERALL, TOGETHER
from steadfast.stats.tidy import records

COLUMNS = (
    "task", "way", "n", "repeats", "identical", "differ", "score", "score_sd", "answer_sd",
)  # fmt: skip
WAYS = (ALONE, TOGETHER)

# The standard deviation of one response's score, by benchmark and model.
Deviations = Mapping[str, Mapping[str, float]]


def nondeterminism_rows(
    responses: pd.DataFrame, counts: Mapping[str, int], weights: Mapping[str, float] | None = None
) -> list[Record]:
    """Rows with ``COLUMNS``: each way by task and overall.

    - identical: share of the pairs of responses to one request with the same text
    - differ: share of samples with another text than that of the first response, sent alone
    - score, score_sd: mean score of the repeats, and its standard deviation over them; overall
      means over tasks
    - answer_sd: standard deviation of one response's score, the root of the mean variance between
      the responses to one request; overall by ``_overall_deviation``, so that the value of a part
      with N responses has the standard deviation answer_sd / √N

    Args:
        responses: a row each: ``repeat``, ``way``, ``sample``, ``task``, ``text`` and ``total``
            (None: not scored).
        counts: number of responses of each task in the part.
        weights: of the tasks in the overall value; None: all responses have the same weight.
    """
    first_pass = responses[(responses["repeat"] == 0) & (responses["way"] == ALONE)]
    first_texts = first_pass.set_index("sample")["text"]
    differs = responses["text"] != responses["sample"].map(first_texts)
    responses = responses.assign(differs=differs).astype({"total": float})
    rows = []
    for way in WAYS:
        part = responses[responses["way"] == way]
        task_rows = [_row(str(task), way, group) for task, group in part.groupby("task")]
        overall = _row(OVERALL, way, part)
        overall["answer_sd"] = _overall_deviation(task_rows, counts, weights)
        rows += [*task_rows, overall]
    return records(pd.DataFrame(rows))


def _row(task: str, way: str, responses: pd.DataFrame) -> Record:
    by_sample = responses.groupby("sample")
    repeats = by_sample.size()
    # r responses to a request have r (r − 1) ordered pairs; those with the same text likewise.
    pairs = (repeats * (repeats - 1)).sum()
    text_repeats = responses.groupby(["sample", "text"]).size()
    equal_pairs = (text_repeats * (text_repeats - 1)).sum()
    task_scores = responses.groupby(["repeat", "task"])["total"].mean()
    scores = task_scores.groupby("repeat").mean()
    return {
        "task": task,
        "way": way,
        "n": len(repeats),
        "repeats": repeats.min(),
        "identical": equal_pairs / pairs if pairs else math.nan,
        "differ": by_sample["differs"].any().mean(),
        "score": scores.mean(),
        "score_sd": scores.std(),
        "answer_sd": math.sqrt(by_sample["total"].var().mean()),
    }


def _overall_deviation(
    task_rows: Sequence[Record], counts: Mapping[str, int], weights: Mapping[str, float] | None
) -> float:
    """√(N Σ (w ÷ Σ w)² v ÷ n) of tasks with weight w, variance v and n of all N responses."""
    tasks = pd.DataFrame({"n": counts}, dtype=float)
    # In plain means over responses the tasks' weights are their counts.
    tasks["weight"] = pd.Series(counts if weights is None else weights, dtype=float)
    variances = pd.DataFrame(task_rows).set_index("task")["answer_sd"] ** 2
    tasks["variance"] = variances
    # A task that was not sampled has the mean variance of the others.
    tasks = tasks.fillna({"variance": variances.mean()}).dropna()
    shares = tasks["weight"] / tasks["weight"].sum()
    variance = (shares**2 * tasks["variance"] / tasks["n"]).sum(min_count=1)
    return math.sqrt(tasks["n"].sum() * variance)


def answer_deviations(files: Iterable[Path]) -> Deviations:
    """The standard deviation of one response's score, from files of ``nondeterminism_rows``.

    The larger of the two ways counts; over a model's parts the mean of the variances.

    Raises:
        UserError: a file is not as it was written.
    """
    variances: dict[tuple[str, str], list[float]] = defaultdict(list)
    for path in files:
        rows = read_rows(path)
        try:
            overall = [row["answer_sd"] for row in rows if row["task"] == OVERALL]
            values = [float(value) for value in overall if value]
            if not all(0 <= sd < math.inf for sd in values):  # nan is neither
                raise ValueError
        except (KeyError, ValueError):
            raise UserError(
                f"{path}: not as the workflow writes it; remove it, or run the target "
                "nondeterminism again"
            ) from None
        if values:
            # …/benchmark/model/part.csv
            variances[path.parts[-3], path.parts[-2]].append(max(values) ** 2)
    means: dict[str, dict[str, float]] = {}
    for (benchmark, model), part_variances in variances.items():
        means.setdefault(benchmark, {})[model] = math.sqrt(fmean(part_variances))
    return means
