"""How much answers and scores of equal requests differ: the floor under every difference."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, zip_longest
from statistics import fmean, median, stdev

from steadfast.base.files import Record, Settings
from steadfast.base.markdown import markdown_table
from steadfast.contract.records import OVERALL

STATES = ("cold", "warm", "all")
COLUMNS = (
    "task", "cache", "n", "repeats", "identical", "cached", "score", "score_sd", "ifs", "beside",
    "differ", "place",
)  # fmt: skip
"""``cache`` is cold, warm or all; the perspective of ``ifs`` is "repeat"; ``beside`` is how many
requests were asked together."""
FIRST = (0, "cold")
"""The pass with which the others are compared."""
SNIPPET = 40
"""Characters of each text that a certificate shows, half of them before the difference."""

Pass = Mapping[str, Settings]
"""By sample: ``task``, ``text``, ``total`` (None: not scored), ``prompt`` and ``cached`` tokens."""
Passes = Mapping[tuple[int, str | int], Pass]
"""By repeat, and state of the cache of requests alone or number of requests together."""


def noise_rows(passes: Passes) -> list[Record]:
    """Returns the engine's noise, as rows of ``COLUMNS``, per task and overall.

    The rows of requests alone come first, by state of the cache; then those of each company.

    identical is the share of pairs of repeats with the same text; cached is of all prompt tokens;
    score is the mean score of the repeats, score_sd its standard deviation over them; ifs is
    score_sd over score, as LIFBench's equation 5 has it with repeats for groups (None where score
    is 0). The overall score is the mean over tasks, its deviation that of this mean, and overall
    ifs the mean of the tasks' (equation 6). differ is the share of samples with a text other than
    that of ``FIRST``; place is the median, over those samples, of the first character that differs
    in any, counted from 1 (None where none differs).
    """
    rows = []
    tasks = sorted({sample["task"] for sample in passes[FIRST].values()})
    for beside, state in _kinds(passes):
        chosen = list(_chosen(passes, beside, state).values())
        made = partial(_row, state=state, passes=chosen, beside=beside, first=passes[FIRST])
        of_tasks = [made(task) for task in tasks]
        stabilities = [row["ifs"] for row in of_tasks if row["ifs"] is not None]
        ifs = fmean(stabilities) if stabilities else None
        rows += [*of_tasks, made(OVERALL) | {"ifs": ifs}]
    return rows


def noise_certificate(rows: Sequence[Settings], passes: Passes) -> list[Record]:
    """Returns the overall noise of requests alone and in each company, with the first difference.

    That is the first by repeat and order of the samples: ``sample_id``, ``repeat`` (from 0),
    ``character`` (from 1), and around it the text of ``FIRST`` and the ``other``; None where all
    texts are the same.
    """
    shown = ("beside", "repeats", "identical", "differ", "place", "score", "score_sd")
    return [
        {column: row[column] for column in shown}
        | {"first_difference": _first_difference(passes, row["beside"])}
        for row in rows
        if (row["task"], row["cache"]) == (OVERALL, "all")
    ]


def _kinds(passes: Passes) -> list[tuple[int, str]]:
    """How many requests were asked together, and the state of the cache, of each set of rows."""
    companies = sorted({kind for _, kind in passes if isinstance(kind, int)})
    return [*((1, state) for state in STATES), *((size, "all") for size in companies)]


def _chosen(passes: Passes, beside: int, state: str) -> dict[tuple[int, str | int], Pass]:
    kinds = {beside} if beside > 1 else {"cold", "warm"} if state == "all" else {state}
    return {key: taken for key, taken in passes.items() if key[1] in kinds}


def _first_difference(passes: Passes, beside: int) -> Record | None:
    for (repeat, _), taken in _chosen(passes, beside, "all").items():
        for sample, record in passes[FIRST].items():
            texts = {"first": record["text"], "other": taken[sample]["text"]}
            if place := _place(*texts.values()):
                start = max(0, place - 1 - SNIPPET // 2)
                around = {name: text[start : start + SNIPPET] for name, text in texts.items()}
                return {"sample_id": sample, "repeat": repeat, "character": place, **around}
    return None


def _place(one: str, other: str) -> int | None:
    """The first character that differs, counted from 1; None where the texts are the same."""
    pairs = enumerate(zip_longest(one, other), start=1)
    return next((place for place, (mine, its) in pairs if mine != its), None)


def _row(task: str, state: str, passes: Sequence[Pass], beside: int, first: Pass) -> Record:
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
    places = [
        min(different)
        for s in samples
        if (different := [p for t in passes if (p := _place(first[s]["text"], t[s]["text"]))])
    ]
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
        "beside": beside,
        "differ": len(places) / len(samples),
        "place": median(places) if places else None,
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
    for row in rows:
        if row["beside"] > 1 and row["task"] == OVERALL:
            lines += [
                "",
                f"Among {row['beside']}, {row['differ']:.1%} of the requests have an answer other "
                "than the first alone"
                + (f", from character {row['place']:g} (median) on." if row["place"] else "."),
            ]
    cells = [[show(row[column]) for column in COLUMNS] for row in rows]
    lines += ["", markdown_table(COLUMNS, cells, padded=False)]
    lines += ["", asked] if asked else []
    return "\n".join(lines) + "\n"
