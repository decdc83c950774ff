"""Run-to-run variation: how much responses and scores of equal requests differ."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_rows
from steadfast.contract.records import ALONE, OVERALL, TOGETHER

COLUMNS = (
    "task", "way", "n", "repeats", "identical", "differ", "score", "score_sd", "answer_sd",
)  # fmt: skip
WAYS = (ALONE, TOGETHER)

Pass = Mapping[str, Settings]
"""By sample: ``task``, ``text`` and ``total`` (None: not scored)."""
Passes = Mapping[tuple[int, str], Pass]
"""By repeat and way."""
Deviations = Mapping[str, Mapping[str, float]]
"""By benchmark and model the standard deviation of one answer's score."""


def nondeterminism_rows(
    passes: Passes, counts: Mapping[str, int], weights: Mapping[str, float] | None = None
) -> list[Record]:
    """Returns rows of ``COLUMNS``: each way per task and overall.

    - identical: share of the pairs of responses to one request with the same text
    - differ: share of samples with a text other than that of the first response, which was alone
    - score, score_sd: mean score of the repeats, and its standard deviation over them; overall
      means over tasks
    - answer_sd: standard deviation of one response's score, the root of the mean variance between
      the responses to one request. The overall one is such that the overall value of the part, of
      its N answers, has the standard deviation answer_sd / √N:
      answer_sd² = N Σ (w / Σ w)² v / n, of each task's weight w, variance v and answers n

    Args:
        passes: all responses.
        counts: how many answers of each task the part has.
        weights: of the tasks in the overall value; None: answers count alike.
    """
    first = passes[0, ALONE]
    responses = pd.DataFrame(
        {
            "repeat": repeat,
            "way": way,
            "sample": sample,
            "task": response["task"],
            "text": response["text"],
            "total": response["total"],
            "differs": response["text"] != first[sample]["text"],
        }
        for (repeat, way), of_samples in passes.items()
        for sample, response in of_samples.items()
    ).astype({"total": float})
    rows = []
    for way in WAYS:
        part = responses[responses["way"] == way]
        of_tasks = [_row(str(task), way, of_task) for task, of_task in part.groupby("task")]
        overall = _row(OVERALL, way, part)
        overall["answer_sd"] = _overall_deviation(of_tasks, counts, weights)
        rows += [*of_tasks, overall]
    return rows


def _row(task: str, way: str, responses: pd.DataFrame) -> Record:
    by_sample = responses.groupby("sample")
    repeats = by_sample.size()
    # Of r responses to a request, r (r − 1) ordered pairs; of those with one text likewise.
    pairs = (repeats * (repeats - 1)).sum()
    of_text = responses.groupby(["sample", "text"]).size()
    equal_pairs = (of_text * (of_text - 1)).sum()
    of_tasks = responses.groupby(["repeat", "task"])["total"].mean()
    scores = of_tasks.groupby("repeat").mean()
    variance = by_sample["total"].var().mean()
    numbers = {
        "identical": equal_pairs / pairs if pairs else math.nan,
        "differ": by_sample["differs"].any().mean(),
        "score": scores.mean(),
        "score_sd": scores.std(),
        "answer_sd": math.sqrt(variance),
    }
    row: Record = {"task": task, "way": way, "n": len(repeats), "repeats": int(repeats.min())}
    present = {name: None if math.isnan(value) else float(value) for name, value in numbers.items()}
    return row | present


def _overall_deviation(
    of_tasks: Sequence[Settings], counts: Mapping[str, int], weights: Mapping[str, float] | None
) -> float | None:
    known = {row["task"]: row["answer_sd"] ** 2 for row in of_tasks if row["answer_sd"] is not None}
    counted = [task for task in counts if weights is None or task in weights]
    if not known or not counted:
        return None
    shares = {task: counts[task] if weights is None else weights[task] for task in counted}
    # A task that was not sampled has the mean variance of the others.
    total = sum(shares.values())
    usual = fmean(known.values())
    variances = (
        (share / total) ** 2 * known.get(task, usual) / counts[task]
        for task, share in shares.items()
    )
    return math.sqrt(sum(counts[task] for task in counted) * sum(variances))


def answer_deviations(files: Iterable[Path]) -> Deviations:
    """The standard deviation of one response's score, from files of ``nondeterminism_rows``.

    The larger of the two ways counts; over a model's parts the mean of the variances.

    Raises:
        UserError: a file is not as it was written.
    """
    deviations: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for path in files:
        rows = read_rows(path)
        try:
            overall = [row["answer_sd"] for row in rows if row["task"] == OVERALL]
            values = [float(value) for value in overall if value]
            if not all(0 <= sd < math.inf for sd in values):
                raise ValueError
        except (KeyError, ValueError):
            raise UserError(
                f"{path}: not as the workflow writes it; remove it, or run the target "
                "nondeterminism again"
            ) from None
        if values:
            deviations[path.parts[-3]][path.parts[-2]].append(max(values))
    return {
        benchmark: {
            model: math.sqrt(fmean(sd**2 for sd in part_sds)) for model, part_sds in models.items()
        }
        for benchmark, models in deviations.items()
    }
