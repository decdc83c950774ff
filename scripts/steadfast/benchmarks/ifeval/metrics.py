"""IFEval's metrics of all models.

The sampling unit is the prompt, stratified by set: its responses are paired across lengths, and
intervals (``stats.intervals``) are about other prompts beside the same contexts. A sample without a
score is in no mean; it lowers the coverage.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from steadfast.base.files import Record
from steadfast.benchmarks.ifeval.facts import (
    ALONE,
    FILLER,
    LOOSE,
    SETS,
    STRICT,
    ScoreRecord,
    reported_accuracy,
)
from steadfast.contract.components import Data, Frames, Labels, Scored
from steadfast.contract.records import OVERALL
from steadfast.stats import bootstrap as spreads
from steadfast.stats.bootstrap import Bootstrap
from steadfast.stats.chance import crossed
from steadfast.stats.effective_context_length import (
    difference_from_share,
    retention_by_length,
    with_effective_lengths,
)
from steadfast.stats.intervals import Clusters, Estimates, joined
from steadfast.stats.pairs import joint_summary, overall_pairs, sampling_units
from steadfast.stats.scores import answer_row, coverage, expected_responses
from steadfast.stats.tidy import in_order

# The summary: accuracy by prompt, strict or loose as the set's authors report it.
SCORE = "Score"
BY_PROMPT = ("prompt_strict", "prompt_loose")
BY_INSTRUCTION = ("instruction_strict", "instruction_loose")
MEASURES = (SCORE, "prompt_strict", "instruction_strict", "prompt_loose", "instruction_loose")
PERSPECTIVES = {"framing": "expression_id", "length": "length"}
KEYS = ["model", "task", "length"]
SAMPLE = ["length", "sample_id"]
FIELDS = ("length", "task", "position", "expression_id", "prompt_truncated", "kinds", STRICT, LOOSE)


def metrics(
    scores: Iterable[Scored[ScoreRecord]],
    data: Mapping[str, Data],
    labels: Labels | None,
    lengths: Sequence[str],
    positions: Sequence[str],
    references: Collection[str] = (),
) -> Frames:
    """Returns the metrics by name; of data and labels nothing is needed.

    Args:
        lengths: from the shortest to the longest, ``ALONE`` first.
        positions: of the prompts; all but one metric are of the first.
        references: models that are compared with none.
    """
    answers = score_frame(scores, lengths)
    # Without a context a prompt has no position.
    frame = answers[answers["position"].isin(["", positions[0]])]
    by_length = over_lengths(frame)
    comparisons = overall_pairs(by_length.assign(repeat=0), references)
    units = sampling_units(frame, None, ["task"])
    overall_score = overall(by_length).assign(measure=SCORE)
    counts = coverage(frame, SAMPLE)
    summary = joint_summary(counts, overall_score, {SCORE: comparisons}, units, "prompts")
    retention = retention_by_length(length_means(frame), lengths)
    contenders = retention[~retention["model"].isin(references)]
    frames = {
        "accuracy": accuracy(frame),
        "drops": drops(frame),
        "effective_context_length": retention,
        "reliable": reliable(frame),
        "stability": stability(frame),
        "kinds": by_kind(frame),
        "coverage": coverage(answers, SAMPLE, ["prompt_truncated"]),
        "comparisons": comparisons,
        "sampling_units": units,
        "summary": with_effective_lengths(summary, contenders, SCORE),
    }
    if len(positions) > 1:
        frames["positions"] = by_position(answers, positions)
    if FILLER in positions:
        frames[FILLER] = costs(answers, positions[0])
    return frames


def score_frame(scores: Iterable[Scored[ScoreRecord]], lengths: Sequence[str]) -> pd.DataFrame:
    """Returns a row an answer, scored or not; ``cluster`` is the prompt, ``task`` its set."""
    rows = []
    for scored in scores:
        record: Record = {"length": scored.part, **scored.record}
        rows.append(answer_row(scored) | {name: record[name] for name in FIELDS})
    frame = pd.DataFrame(rows).astype({"total": float})
    frame["length"] = pd.Categorical(frame["length"], list(lengths), ordered=True)
    return frame


def clusters(frame: pd.DataFrame) -> Clusters:
    """Returns the prompts as sampling units, stratified by set."""
    return Clusters(frame, ["task"])


def set_means(
    units: Clusters, rows: pd.DataFrame, further: Sequence[str] = (), value: str = "total"
) -> Estimates:
    """Returns means by model, set, length and further keys, and the sets' plain mean (OVERALL)."""
    means = units.means(rows, [*KEYS, *further], value)
    if means.cells.index.get_level_values("task").nunique() < 2:
        return means
    over_sets = means.mean(["model", "length", *further])
    return joined([means, over_sets.labelled(task=OVERALL)])


def accuracy(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns accuracy by prompt and by instruction, strict and loose, in each set and length.

    ``OVERALL`` is the plain mean of the sets.
    """
    units = clusters(frame)
    scored = frame[frame["total"].notna()]
    # A prompt is followed where all of its instructions are.
    by_prompt = scored.assign(**{SCORE: scored["total"]})
    for measure in BY_PROMPT:
        by_prompt[measure] = scored[_criterion(measure)].map(all).astype(float)
    exploded = scored.explode([STRICT, LOOSE]).astype({STRICT: float, LOOSE: float})
    parts = []
    for measure in (SCORE, *BY_PROMPT):
        parts.append(set_means(units, by_prompt, value=measure).labelled(measure=measure))
    for measure in BY_INSTRUCTION:
        means = set_means(units, exploded, value=_criterion(measure))
        parts.append(means.labelled(measure=measure))
    keys = [*KEYS, "measure"]
    rows = pd.concat(part.rows() for part in parts)
    expected = expected_responses(frame, ["task", "length"], SAMPLE)
    rows = rows.merge(expected.astype({"length": str}), "left", KEYS)
    return _sorted(rows, frame)[[*keys, "value", "low", "high", "n", "expected"]]


def _criterion(measure: str) -> str:
    return measure.rpartition("_")[2]


def length_means(frame: pd.DataFrame) -> Estimates:
    """Returns the score of each model at each length: the plain mean of the sets."""
    return clusters(frame).means(frame, KEYS).mean(["model", "length"])


def drops(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns by how much the score at each length lies below that at length 0, paired by prompt.

    The interval is of the difference: prompts that both lengths have are compared with themselves.
    """
    means = set_means(clusters(frame), frame)
    return _sorted(_differences(means, {"length": ALONE}), frame)


def _differences(
    means: Estimates, base: Mapping[str, str], position: str | None = None
) -> pd.DataFrame:
    """Returns base − mean of each cell (of a position), paired by prompt.

    The base of a cell is the cell with the keys of ``base`` in place of its own.
    """
    keys = means.cells.index.to_frame()
    base_rows = means.cells.index.get_indexer(pd.MultiIndex.from_frame(keys.assign(**base)))
    is_compared = (base_rows >= 0) & (base_rows != np.arange(len(base_rows)))
    if position is not None:
        is_compared &= (keys["position"] == position).to_numpy()
    rows = np.flatnonzero(is_compared)
    gains = difference_from_share(means.take(rows), means.take(base_rows[rows]), 1.0).rows()
    # 0 − x, since −x of 0 would be printed as −0.
    return gains.assign(value=0 - gains["value"], low=0 - gains["high"], high=0 - gains["low"])


def reliable(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns the share of prompts whose k responses all pass, k: framing sentences times repeats.

    A prompt that lacks a score among them counts where one fails, and in no mean otherwise. Lengths
    at which a prompt has fewer answers are left out: fewer hold more easily.
    """
    answers = frame.groupby([*KEYS, "cluster"], observed=True)["total"]
    prompts = answers.agg(lowest="min", scored="count", k="size").reset_index()
    is_decided = (prompts["scored"] == prompts["k"]) | (prompts["lowest"] == 0)
    rows = prompts.assign(total=prompts["lowest"].where(is_decided))
    k = rows.groupby("length", observed=True)["k"].max()
    rows = rows[rows["length"].isin(k.index[k == k.max()])]
    means = set_means(clusters(frame), rows).rows()
    return _sorted(means.assign(k=means["length"].map(k).astype(int)), frame)


def stability(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns IFS by framing and by length: the standard deviation of scores over their mean.

    As LIFBench's (its equations 5 and 6), over all sets: of framing sentences at all lengths with a
    context, of lengths including 0. n counts the groups that are compared, column chance has the
    IFS of a perfectly stable model.
    """
    boot = Bootstrap(frame, ["task"])
    parts = []
    by_chance = []
    for name, column in PERSPECTIVES.items():
        rows = frame if name == "length" else frame[frame["length"] != ALONE]
        if rows[column].nunique() > 1:
            cells = boot.replicates(rows, ["model", column])
            parts.append(cells.variation(["model"]).labelled(perspective=name))
            block = ["cluster"] if name == "length" else ["cluster", "length"]
            chance = crossed(rows.assign(task=OVERALL), column, block).rename("chance")
            by_chance.append(chance.reset_index()[["model", "chance"]].assign(perspective=name))
    keys = ["model", "perspective"]
    if not parts:
        return pd.DataFrame(columns=[*keys, "value", "low", "high", "n", "chance"])
    order = {"model": _models(frame), "perspective": list(PERSPECTIVES)}
    rows = in_order(spreads.joined(parts).rows(), order)
    return rows.merge(pd.concat(by_chance), "left", keys)


def by_kind(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns the share of instructions of each kind that are followed, at each length.

    Strictly or loosely, as the set's score is; a kind is named with its set's name before it where
    there are several sets.
    """
    scored = frame[frame["total"].notna()]
    is_strict = scored["task"].map(reported_accuracy) == STRICT
    counted = scored[STRICT].where(is_strict, scored[LOOSE])
    rows = scored[[*KEYS, "cluster", "kinds"]].assign(total=counted).explode(["kinds", "total"])
    rows = rows.astype({"total": float}).rename(columns={"kinds": "category"})
    means = clusters(frame).means(rows, [*KEYS, "category"]).rows()
    return _sorted(means, frame, {"category": sorted(set(means["category"]))})


def by_position(frame: pd.DataFrame, positions: Sequence[str]) -> pd.DataFrame:
    """Returns the score of each position of the prompt, at each length with a text."""
    rows = frame[frame["position"] != ""].rename(columns={"position": "group"})
    means = set_means(clusters(frame), rows, ["group"]).rows()
    return _sorted(means, frame, {"group": list(positions)})


def costs(answers: pd.DataFrame, position: str) -> pd.DataFrame:
    """Returns what length alone costs, and what the text adds, at each length with a text.

    ``length``: the score at length 0 minus that after a filler; ``text``: that after a filler minus
    that beside the text, at this position. Both are paired by prompt, with 95 % intervals, and add
    up to the drop.
    """
    compared = answers[answers["position"].isin(["", FILLER, position])]
    means = set_means(clusters(compared), compared, ["position"])
    by_cost = {
        "length": _differences(means, {"length": ALONE, "position": ""}, FILLER),
        "text": _differences(means, {"position": FILLER}, position),
    }
    parts = [rows.assign(measure=cost).drop(columns="position") for cost, rows in by_cost.items()]
    rows = _sorted(pd.concat(parts, ignore_index=True), answers, {"measure": list(by_cost)})
    return rows[[*KEYS, "measure", "value", "low", "high", "n"]]


def over_lengths(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns a row for each model, prompt and length: the mean over framings and repeats."""
    keys = ["model", "length", "prompts", "task", "cluster"]
    totals = frame.groupby(keys, observed=True)["total"]
    rows = totals.agg(total="mean", n="count").reset_index()
    sample_ids = rows["length"].astype(str) + "/" + rows["cluster"]
    return rows.assign(sample_id=sample_ids, stratum=rows["task"], measure=SCORE)


def overall(by_length: pd.DataFrame) -> pd.DataFrame:
    """Returns each model's mean score over lengths, the sets' plain mean; n counts answers."""
    means = clusters(by_length).means(by_length, ["model", "task"]).mean(["model"]).rows()
    counts = by_length.groupby("model")["n"].sum()
    return means.assign(n=means["model"].map(counts))


def _models(frame: pd.DataFrame) -> list[str]:
    return sorted(set(frame["model"]))


def _sorted(
    rows: pd.DataFrame, frame: pd.DataFrame, further: Mapping[str, Sequence[object]] | None = None
) -> pd.DataFrame:
    order: dict[str, Sequence[object]] = {
        "model": _models(frame),
        "task": [*SETS, OVERALL],
        "length": list(frame["length"].cat.categories),
        "measure": MEASURES,
        **(further or {}),
    }
    rows = rows.astype({name: str for name in ("task", "length") if name in rows})
    return in_order(rows, {column: order[column] for column in order if column in rows})
