"""How much answers and scores of equal requests differ: the floor under every difference."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, stdev

from steadfast.base.files import Record, Settings
from steadfast.base.markdown import markdown_table
from steadfast.contract.records import OVERALL

STATES = ("cold", "warm", "all")
COLUMNS = ("task", "cache", "n", "repeats", "identical", "cached", "score", "score_sd", "ifs")
"""``cache`` is cold, warm or all; the perspective of ``ifs`` is "repeat"."""

Pass = Mapping[str, Settings]
"""By sample: ``task``, ``text``, ``total`` (None: not scored), ``prompt`` and ``cached`` tokens."""


def noise_rows(passes: Mapping[tuple[int, str], Pass]) -> list[Record]:
    """Returns the engine's noise, as rows of ``COLUMNS``, per task and overall.

    identical is the share of pairs of repeats with the same text; cached is of all prompt tokens;
    score is the mean score of the repeats, score_sd its standard deviation over them; ifs is
    score_sd over score, as LIFBench's equation 5 has it with repeats for groups (None where score
    is 0). The overall score is the mean over tasks, its deviation that of this mean, and overall
    ifs the mean of the tasks' (equation 6).
    """
    rows = []
    for state in STATES:
        chosen = [taken for (_, kind), taken in passes.items() if state in (kind, "all")]
        tasks = sorted({sample["task"] for sample in chosen[0].values()})
        of_tasks = [_row(task, state, chosen) for task in tasks]
        stabilities = [row["ifs"] for row in of_tasks if row["ifs"] is not None]
        ifs = fmean(stabilities) if stabilities else None
        rows += [*of_tasks, _row(OVERALL, state, chosen) | {"ifs": ifs}]
    return rows


def _row(task: str, state: str, passes: Sequence[Pass]) -> Record:
    samples = [s for s, record in passes[0].items() if task in (OVERALL, record["task"])]
    pairs = [
        first[sample]["text"] == second[sample]["text"]
        for first, second in combinations(passes, 2)
        for sample in samples
    ]
    records = [taken[sample] for taken in passes for sample in samples]
    prompt = sum(record["prompt"] or 0 for record in records)
    cached = [record["cached"] for record in records if record["cached"] is not None]
    scores = [_score([taken[sample] for sample in samples]) for taken in passes]
    known = [score for score in scores if score is not None]
    score = fmean(known) if known else None
    deviation = stdev(known) if len(known) > 1 else None
    return {
        "task": task,
        "cache": state,
        "n": len(samples),
        "repeats": len(passes),
        "identical": fmean(pairs),
        "cached": sum(cached) / prompt if cached and prompt else None,
        "score": score,
        "score_sd": deviation,
        "ifs": deviation / score if score and deviation is not None else None,
    }


def _score(records: Sequence[Settings]) -> float | None:
    """The mean over tasks of their mean scores."""
    tasks: dict[str, list[float]] = defaultdict(list)
    for record in records:
        if record["total"] is not None:
            tasks[record["task"]].append(record["total"])
    return fmean(map(fmean, tasks.values())) if tasks else None


def noise_page(
    title: str, rows: Sequence[Settings], show: Callable[[object], str], asked: str = ""
) -> str:
    """The rows for people, in Markdown, the finding first and last what text was asked."""
    whole = next(row for row in rows if (row["task"], row["cache"]) == (OVERALL, "all"))
    lines = [
        f"# Noise of {title}",
        "",
        f"{whole['n']} requests, {whole['repeats']} times each: {whole['identical']:.1%} of the "
        "pairs of answers are identical.",
    ]
    if whole["ifs"] is not None:
        lines.append(
            f"Between repeats IFS is {whole['ifs']:.4f}, and the score has a standard deviation of "
            f"{whole['score_sd']:.4f}: on samples of this size a difference of that order between "
            "groups of samples may be the engine's own."
        )
    cells = [[show(row[column]) for column in COLUMNS] for row in rows]
    lines += ["", markdown_table(COLUMNS, cells, padded=False)]
    lines += ["", asked] if asked else []
    return "\n".join(lines) + "\n"
