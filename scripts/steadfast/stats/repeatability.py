"""How much answers and scores of equal requests differ: the floor under every difference."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, combinations, zip_longest
from operator import itemgetter
from pathlib import Path
from statistics import fmean, median, stdev, variance

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_rows
from steadfast.contract.records import OVERALL

COLUMNS = (
    "task", "cache", "n", "repeats", "identical", "cached", "score", "score_sd", "ifs", "beside",
    "differ", "place", "hit", "hit_low", "hit_high", "answer_sd",
)  # fmt: skip
"""``cache`` is cold, warm, a hit between or all; the perspective of ``ifs`` is "repeat"; ``beside``
is how many requests were asked together; ``hit`` is in tokens."""
ALL = "all"
STATES = {"cold": 0.0, "warm": 1.0}
"""States of the cache that requests alone are asked in, and the share of a prompt that it holds."""
NEAR = 0.1
"""How far a hit may be from what was meant, of a prompt: caches hold blocks of up to 128 tokens."""
FIRST = (0, "cold")
"""The pass with which the others are compared."""
BY_COUNTS = (
    "The rows have each answer by what it was; docs/cost.md says how a server's cache is emptied."
)
SNIPPET = 40
"""Characters of each text that a certificate shows, half of them before the difference."""

Pass = Mapping[str, Settings]
"""By sample: ``task``, ``text``, ``total`` (None: not scored), ``prompt`` and ``cached`` tokens."""
Passes = Mapping[tuple[int, str | int], Pass]
"""By repeat, and state of the cache of requests alone or number of requests together."""
Deviations = Mapping[str, Mapping[str, float]]
"""By benchmark and model the standard deviation of one answer's score."""
Asks = Mapping[str, Sequence[Settings]]
"""By sample all that was answered in one way, each with its ``repeat`` and the state ``meant``."""


def noise_rows(
    passes: Passes,
    states: Mapping[str, float] = STATES,
    counts: Mapping[str, int] | None = None,
    weights: Mapping[str, float] | None = None,
) -> list[Record]:
    """Returns the engine's noise, as rows of ``COLUMNS``, per task and overall.

    The rows of requests alone come first, by the state in which the cache was: as meant where the
    answer counts a hit ``NEAR`` that, or counts nothing; else the state in ``states`` that is
    nearest to its count. A state that never was has no rows. Then come those of each company.

    identical is the share of pairs of answers to one request with the same text; cached is of all
    prompt tokens, hit is the median of the cached tokens, between its lowest and highest; score is
    the mean score of the repeats, score_sd its standard deviation over them; ifs is
    score_sd over score, as LIFBench's equation 5 has it with repeats for groups (None where score
    is 0). answer_sd is the standard deviation of one answer's score, the root of the mean variance
    between the answers to one request. The overall score is the mean over tasks, its deviation that
    of this mean, overall ifs the mean of the tasks' (equation 6). The overall answer_sd is such
    that the overall value of the part, of its N answers, has the standard deviation answer_sd / √N:
    N Σ (w / Σ w)² v / n is its square, of each task's weight w, variance v and n answers. A task
    that was not drawn has the mean variance of the others. differ is the share of samples with a
    text other than that of ``FIRST``; place is the median, over those samples, of the first
    character that differs in any, counted from 1 (None where none differs). repeats is how often
    each was answered so, at least.

    Args:
        passes: all answers.
        states: shares of the prompt that the cache was to hold.
        counts: how many answers of each task the part has; by default those that were drawn.
        weights: of the tasks in the overall value; None: answers count alike.
    """
    rows = []
    counts = counts or Counter(sample["task"] for sample in passes[FIRST].values())
    for (beside, state), asks in _ways(passes, states).items():
        made = partial(_row, state=state, beside=beside, first=passes[FIRST])
        tasks: dict[str, dict[str, Sequence[Settings]]] = defaultdict(dict)
        for sample, of in asks.items():
            tasks[of[0]["task"]][sample] = of
        of_tasks = [made(task, asks=tasks[task]) for task in sorted(tasks)]
        stabilities = [row["ifs"] for row in of_tasks if row["ifs"] is not None]
        ifs = fmean(stabilities) if stabilities else None
        deviation = _overall_deviation(of_tasks, counts, weights)
        rows += [*of_tasks, made(OVERALL, asks=asks) | {"ifs": ifs, "answer_sd": deviation}]
    return rows


def noise_certificate(
    rows: Sequence[Settings], passes: Passes, states: Mapping[str, float] = STATES
) -> list[Record]:
    """Returns the overall noise of requests alone, by hit and in all, and in each company.

    Each has its first difference, by repeat and order of the samples: ``sample_id``, ``repeat``
    (from 0), ``character`` (from 1), and around it the text of ``FIRST`` and the ``other``; None
    where all texts are the same.
    """
    ways = _ways(passes, states)
    return [
        {column: row[column] for column in COLUMNS if column not in ("task", "ifs")}
        | {"first_difference": _first_difference(passes[FIRST], ways[row["beside"], row["cache"]])}
        for row in rows
        if row["task"] == OVERALL
    ]


def hits_missed(passes: Passes, states: Mapping[str, float] = STATES) -> list[str]:
    """Returns a sentence on each state of the cache that was meant and was not always there."""
    alone = list(chain.from_iterable(_ways(passes, states)[1, ALL].values()))
    if all(record["cached"] is None for record in alone):
        return [
            "What came from the cache was not reported: cold, warm and hits between are what was "
            "meant."
        ]
    found = []
    for state in states:
        meant = [record for record in alone if record["meant"] == state]
        had = sum(_state(record, states) == state for record in meant)
        cached = [record["cached"] for record in meant if record["cached"] is not None]
        if had < len(meant):
            found.append(
                f"{had or 'None'} of {len(meant)} answers that were meant as {state} were so: by "
                f"their counts {spelled(min(cached), max(cached))} tokens of each prompt came from "
                "the cache."
            )
    return [*found, BY_COUNTS] if found else []


def answer_deviations(files: Iterable[Path]) -> Deviations:
    """Returns the standard deviation of one answer's score, as written to files of noise.

    Of alone and each company the largest counts, over a model's parts the mean variance. A file
    that is none of noise is a UserError.
    """
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for path in files:
        rows = read_rows(path)
        try:
            overall = (row for row in rows if (row["task"], row["cache"]) == (OVERALL, ALL))
            known = [float(row["answer_sd"]) for row in overall if row["answer_sd"]]
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


def spelled(low: int, high: int) -> str:
    """Returns a range of tokens in words, or one number.

    >>> spelled(0, 2048), spelled(16, 16)
    ('0 to 2,048', '16')
    """
    return f"{low:,} to {high:,}" if low < high else f"{low:,}"


def _ways(passes: Passes, states: Mapping[str, float]) -> dict[tuple[int, str], Asks]:
    """The answers by how many requests were asked together, and the state of the cache."""
    found: dict[tuple[int, str], dict[str, list[Settings]]] = {
        (1, state): defaultdict(list) for state in [*states, ALL]
    }
    for (repeat, way), taken in passes.items():
        for sample, answer in taken.items():
            record = {**answer, "repeat": repeat, "meant": way}
            keys = [(way, ALL)] if isinstance(way, int) else [(1, _state(record, states)), (1, ALL)]
            for key in keys:
                found.setdefault(key, defaultdict(list))[sample].append(record)
    return {key: asks for key, asks in found.items() if asks}


def _state(record: Settings, states: Mapping[str, float]) -> str:
    """The state of the cache that an answer's counts say, or the one meant."""
    meant: str = record["meant"]
    if record["cached"] is None or not record["prompt"]:
        return meant
    share = record["cached"] / record["prompt"]
    near = abs(states[meant] - share) <= NEAR
    return meant if near else min(states, key=lambda state: abs(states[state] - share))


def _first_difference(first: Pass, asks: Asks) -> Record | None:
    differing = (
        (record["repeat"], number, sample, place, record["text"])
        for number, sample in enumerate(first)
        for record in asks.get(sample, ())
        if (place := _place(first[sample]["text"], record["text"]))
    )
    found = min(differing, key=itemgetter(0, 1), default=None)
    if found is None:
        return None
    repeat, _, sample, place, other = found
    start = max(0, place - 1 - SNIPPET // 2)
    texts = {"first": first[sample]["text"], "other": other}
    around = {name: text[start : start + SNIPPET] for name, text in texts.items()}
    return {"sample_id": sample, "repeat": repeat, "character": place, **around}


def _place(one: str, other: str) -> int | None:
    """The first character that differs, counted from 1; None where the texts are the same."""
    pairs = enumerate(zip_longest(one, other), start=1)
    return next((place for place, (mine, its) in pairs if mine != its), None)


def _row(task: str, state: str, asks: Asks, beside: int, first: Pass) -> Record:
    pairs = [
        one["text"] == other["text"] for of in asks.values() for one, other in combinations(of, 2)
    ]
    records = list(chain.from_iterable(asks.values()))
    prompt = sum(record["prompt"] or 0 for record in records)
    cached = [record["cached"] for record in records if record["cached"] is not None]
    repeats = min(map(len, asks.values()))
    scores = [_score([of[repeat] for of in asks.values()]) for repeat in range(repeats)]
    known = [score for score in scores if score is not None]
    score = fmean(known) if known else None
    deviation = stdev(known) if len(known) > 1 else None
    places = [
        min(different)
        for s, of in asks.items()
        if (different := [p for one in of if (p := _place(first[s]["text"], one["text"]))])
    ]
    totals = ([one["total"] for one in of if one["total"] is not None] for of in asks.values())
    variances = [variance(of_sample) for of_sample in totals if len(of_sample) > 1]
    return {
        "task": task,
        "cache": state,
        "n": len(asks),
        "repeats": repeats,
        "identical": fmean(pairs) if pairs else None,
        "cached": sum(cached) / prompt if cached and prompt else None,
        "score": score,
        "score_sd": deviation,
        "ifs": deviation / score if score and deviation is not None else None,
        "beside": beside,
        "differ": len(places) / len(asks),
        "place": median(places) if places else None,
        "hit": median(cached) if cached else None,
        "hit_low": min(cached, default=None),
        "hit_high": max(cached, default=None),
        "answer_sd": math.sqrt(fmean(variances)) if variances else None,
    }


def _overall_deviation(
    of_tasks: Sequence[Settings], counts: Mapping[str, int], weights: Mapping[str, float] | None
) -> float | None:
    known = {r["task"]: r["answer_sd"] ** 2 for r in of_tasks if r["answer_sd"] is not None}
    counted = [task for task in counts if weights is None or task in weights]
    if not known or not counted:
        return None
    shares = {task: counts[task] if weights is None else weights[task] for task in counted}
    whole, usual = sum(shares.values()), fmean(known.values())
    variances = (
        (share / whole) ** 2 * known.get(task, usual) / counts[task]
        for task, share in shares.items()
    )
    return math.sqrt(sum(counts[task] for task in counted) * sum(variances))


def _score(records: Sequence[Settings]) -> float | None:
    """The mean over tasks of their mean scores."""
    tasks: dict[str, list[float]] = defaultdict(list)
    for record in records:
        if record["total"] is not None:
            tasks[record["task"]].append(record["total"])
    return fmean(map(fmean, tasks.values())) if tasks else None
