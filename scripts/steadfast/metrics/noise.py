"""How much answers and scores of equal requests differ: the floor under every difference."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

OVERALL = "overall"
STATES = ("cold", "warm", "all")
COLUMNS = ("task", "cache", "n", "repeats", "identical", "cached", "ars", "ars_sd", "ifs")
"""``cache`` is cold, warm or all; the perspective of ``ifs`` is "repeat"."""

Pass = Mapping[str, Mapping[str, Any]]
"""By sample: ``task``, ``text``, ``total`` (None: not scored), ``prompt`` and ``cached`` tokens."""


def noise_rows(passes: Mapping[tuple[int, str], Pass]) -> list[dict[str, Any]]:
    """The engine's noise per task and overall, cold, warm and over both.

    Args:
        passes: the samples as answered in each repeat and state of the cache.

    Returns:
        Rows of ``COLUMNS``. identical: share of pairs of repeats with the same text; cached:
        cached of all prompt tokens; ars: mean score of the repeats, ars_sd its standard deviation
        over them; ifs: ars_sd over ars, as equation 5 has it with repeats for groups (None where
        ars is 0). Overall ars is the mean over tasks, its deviation that of this mean, and overall
        ifs the mean of the tasks' (equation 6).
    """
    rows = []
    for state in STATES:
        chosen = [taken for (_, kind), taken in passes.items() if state in (kind, "all")]
        tasks = sorted({sample["task"] for sample in chosen[0].values()})
        of_tasks = [_row(task, state, chosen, task) for task in tasks]
        overall = _row(None, state, chosen, OVERALL)
        stabilities = [row["ifs"] for row in of_tasks if row["ifs"] is not None]
        overall["ifs"] = fmean(stabilities) if stabilities else None
        rows += [*of_tasks, overall]
    return rows


def _row(task: str | None, state: str, passes: Sequence[Pass], name: str) -> dict[str, Any]:
    samples = [s for s, record in passes[0].items() if task in (None, record["task"])]
    pairs = [
        first[sample]["text"] == second[sample]["text"]
        for first, second in combinations(passes, 2)
        for sample in samples
    ]
    records = [taken[sample] for taken in passes for sample in samples]
    prompt = sum(record["prompt"] or 0 for record in records)
    cached = [record["cached"] for record in records if record["cached"] is not None]
    means = [mean for taken in passes if (mean := _ars([taken[s] for s in samples])) is not None]
    ars = fmean(means) if means else None
    deviation = stdev(means) if len(means) > 1 else None
    return {
        "task": name,
        "cache": state,
        "n": len(samples),
        "repeats": len(passes),
        "identical": fmean(pairs),
        "cached": sum(cached) / prompt if cached and prompt else None,
        "ars": ars,
        "ars_sd": deviation,
        "ifs": deviation / ars if ars and deviation is not None else None,
    }


def _ars(records: Sequence[Mapping[str, Any]]) -> float | None:
    tasks: dict[str, list[float]] = {}
    for record in records:
        if record["total"] is not None:
            tasks.setdefault(record["task"], []).append(record["total"])
    return fmean(map(fmean, tasks.values())) if tasks else None


def noise_page(title: str, rows: Sequence[Mapping[str, Any]], show: Callable[[Any], str]) -> str:
    """The rows for people, in Markdown, the finding first."""
    whole = next(row for row in rows if (row["task"], row["cache"]) == (OVERALL, "all"))
    lines = [
        f"# Noise of {title}",
        "",
        f"{whole['n']} requests, {whole['repeats']} times each: {whole['identical']:.1%} of the "
        "pairs of answers are identical.",
    ]
    if whole["ifs"] is not None:
        lines.append(
            f"Between repeats IFS is {whole['ifs']:.4f}, and ARS has a standard deviation of "
            f"{whole['ars_sd']:.4f}: on samples of this size a difference of that order between "
            "expressions or variables may be the engine's own."
        )
    lines += ["", f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
    lines += [f"| {' | '.join(show(row[column]) for column in COLUMNS)} |" for row in rows]
    return "\n".join(lines) + "\n"
