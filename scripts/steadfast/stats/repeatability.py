"""Run-to-run variation: how much responses and scores of equal requests differ."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, zip_longest
from pathlib import Path
from statistics import fmean, median, stdev, variance

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_rows
from steadfast.contract.records import ALONE, OVERALL, TOGETHER

COLUMNS = (
    "task", "way", "n", "repeats", "identical", "differ", "place", "score", "score_sd", "answer_sd",
)  # fmt: skip
WAYS = (ALONE, TOGETHER)

Pass = Mapping[str, Settings]
"""By sample: ``task``, ``text`` and ``total`` (None: not scored)."""
Passes = Mapping[tuple[int, str], Pass]
"""By repeat and way."""
Deviations = Mapping[str, Mapping[str, float]]
"""By benchmark and model the standard deviation of one answer's score."""
Repeats = Mapping[str, Sequence[Settings]]
"""The responses to each sample in one way."""


def noise_rows(
    passes: Passes, counts: Mapping[str, int], weights: Mapping[str, float] | None = None
) -> list[Record]:
    """Returns rows of ``COLUMNS``: each way per task and overall.

    - identical: share of the pairs of responses to one request with the same text
    - differ: share of samples with a text other than that of the first response, which was alone;
      place: the median, over them, of the first character that differs, counted from 1
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
    rows = []
    for way in WAYS:
        repeats = _repeats(passes, way)
        tasks: dict[str, dict[str, Sequence[Settings]]] = defaultdict(dict)
        for sample, responses in repeats.items():
            tasks[responses[0]["task"]][sample] = responses
        of_tasks = [_row(task, way, tasks[task], first) for task in sorted(tasks)]
        overall = _row(OVERALL, way, repeats, first)
        overall["answer_sd"] = _overall_deviation(of_tasks, counts, weights)
        rows += [*of_tasks, overall]
    return rows


def answer_deviations(files: Iterable[Path]) -> Deviations:
    """Returns the standard deviation of one answer's score, as written to files of ``noise_rows``.

    Of the two ways the larger counts, over a model's parts the mean variance.

    Raises:
        UserError: a file is not as it was written.
    """
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for path in files:
        rows = read_rows(path)
        try:
            overall = [row["answer_sd"] for row in rows if row["task"] == OVERALL]
            known = [float(value) for value in overall if value]
            if not all(0 <= sd < math.inf for sd in known):
                raise ValueError
        except (KeyError, ValueError):
            raise UserError(
                f"{path}: not as noise is written; remove it or measure again"
            ) from None
        if known:
            found[path.parts[-3]][path.parts[-2]].append(max(known))
    return {
        benchmark: {model: math.sqrt(fmean(sd**2 for sd in of)) for model, of in models.items()}
        for benchmark, models in found.items()
    }


def first_difference(passes: Passes, way: str) -> Record | None:
    """The first response of a way with another text than the first of all: sample, repeat (from 0)
    and character (from 1); None where all are the same."""
    for (repeat, name), responses in sorted(passes.items()):
        for sample, first in passes[0, ALONE].items():
            place = _place(first["text"], responses[sample]["text"]) if name == way else None
            if place:
                return {"sample_id": sample, "repeat": repeat, "character": place}
    return None


def _repeats(passes: Passes, way: str) -> Repeats:
    found: dict[str, list[Settings]] = defaultdict(list)
    for (_, name), responses in passes.items():
        if name == way:
            for sample, response in responses.items():
                found[sample].append(response)
    return found


def _row(task: str, way: str, repeats: Repeats, first: Pass) -> Record:
    pairs = [
        one["text"] == other["text"]
        for responses in repeats.values()
        for one, other in combinations(responses, 2)
    ]
    places = []
    for sample, responses in repeats.items():
        differing = [_place(first[sample]["text"], one["text"]) for one in responses]
        if known := [place for place in differing if place]:
            places.append(min(known))
    number = min(map(len, repeats.values()))
    means = [_score([of[repeat] for of in repeats.values()]) for repeat in range(number)]
    scores = [mean for mean in means if mean is not None]
    totals = [[of["total"] for of in one if of["total"] is not None] for one in repeats.values()]
    variances = [variance(of_sample) for of_sample in totals if len(of_sample) > 1]
    return {
        "task": task,
        "way": way,
        "n": len(repeats),
        "repeats": number,
        "identical": fmean(pairs) if pairs else None,
        "differ": len(places) / len(repeats),
        "place": median(places) if places else None,
        "score": fmean(scores) if scores else None,
        "score_sd": stdev(scores) if len(scores) > 1 else None,
        "answer_sd": math.sqrt(fmean(variances)) if variances else None,
    }


def _score(responses: Sequence[Settings]) -> float | None:
    """The mean over tasks of their mean scores."""
    tasks: dict[str, list[float]] = defaultdict(list)
    for response in responses:
        if response["total"] is not None:
            tasks[response["task"]].append(response["total"])
    return fmean(map(fmean, tasks.values())) if tasks else None


def _place(one: str, other: str) -> int | None:
    """The first character that differs, counted from 1; None where the texts are the same."""
    pairs = enumerate(zip_longest(one, other), start=1)
    return next((place for place, (mine, its) in pairs if mine != its), None)


def _overall_deviation(
    of_tasks: Sequence[Settings], counts: Mapping[str, int], weights: Mapping[str, float] | None
) -> float | None:
    known = {row["task"]: row["answer_sd"] ** 2 for row in of_tasks if row["answer_sd"] is not None}
    counted = [task for task in counts if weights is None or task in weights]
    if not known or not counted:
        return None
    shares = {task: counts[task] if weights is None else weights[task] for task in counted}
    # A task that was not sampled has the mean variance of the others.
    whole, usual = sum(shares.values()), fmean(known.values())
    variances = (
        (share / whole) ** 2 * known.get(task, usual) / counts[task]
        for task, share in shares.items()
    )
    return math.sqrt(sum(counts[task] for task in counted) * sum(variances))
