"""All metrics of LIFBench, as data frames."""

from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from steadfast.benchmarks.lifbench import analyses, stability
from steadfast.benchmarks.lifbench.frames import (
    coverage,
    data_counts,
    row_order,
    sampled,
    score_frame,
)
from steadfast.benchmarks.lifbench.measures import STRATA, ars, ifp, ifs, stratified
from steadfast.benchmarks.lifbench.records import AVERAGE, Beyond, ScoreRecord
from steadfast.benchmarks.lifbench.scored_tasks import Rubric
from steadfast.contract.components import Data, Frames, Labels, Scored
from steadfast.contract.records import OVERALL
from steadfast.stats.effective_context_length import with_reaches
from steadfast.stats.pairs import sampling_units, with_comparisons
from steadfast.stats.tidy import ABOVE_BASELINE, PROMPTS, SUMMARY, in_order, rows_of


def metrics(
    scores: Iterable[Scored[ScoreRecord]],
    data: Mapping[str, Data],
    labels: Labels | None,
    weighting: str,
    rubric: str,
    references: Collection[str] = (),
    baseline: str | None = None,
    beyond: Beyond | None = None,
    effective_context_length: bool = False,
    nested: bool = False,
) -> dict[str, pd.DataFrame]:
    """Returns the metrics of all models, by name.

    Models among ``references`` are not compared. With several lengths there is
    ``effective_context_length``, with released contexts or scores ``nested``. Samples for a
    perspective of ``beyond`` alone are in no other metric.
    """
    by = Rubric(rubric, weighting)
    everything = score_frame(scores, rubric, bool(beyond))
    sets = stability.sets_of(data)
    paper_frame = stability.paper_samples(everything) if beyond else everything
    further: dict[str, pd.DataFrame] = {}
    if sets:
        if sets.nearest and sets.random:
            further["sampling"] = stability.sampling_effect(paper_frame, sets)
        further["recs"] = stability.statistics_rows(data)
        unasked_tasks = stability.unasked(paper_frame, sets.shown)
        everything, paper_frame = (
            stability.chosen(of, sets.shown, unasked_tasks) for of in (everything, paper_frame)
        )

    frames = further | {
        "ars": ars(paper_frame, by),
        "ifp": ifp(paper_frame, by),
        "ifs": ifs(paper_frame),
        "coverage": coverage(paper_frame),
        "comparisons": analyses.comparisons(paper_frame, by, references),
        "variance": analyses.variance(paper_frame),
        "depth": analyses.depth(paper_frame),
        "rubrics": analyses.rubrics(paper_frame, by, references),
        "data": data_counts(paper_frame),
        "baseline": analyses.above_baseline(paper_frame, baseline, by),
        "complexity": analyses.complexity(paper_frame, by),
        "weights": analyses.weights(paper_frame, by),
        "sampling_units": sampling_units(stratified(paper_frame), None, STRATA),
    }
    if nested:
        frames["nested"] = analyses.nested(paper_frame, by, references)
    if beyond:
        beside = stability.beyond_ifs(everything, beyond)
        frames["ifs"] = in_order(
            pd.concat([frames["ifs"], beside], ignore_index=True), row_order(paper_frame)
        )
        frames["perspectives"] = stability.ars_by_group(everything, beyond, by)
    frames["summary"] = summary(frames)
    if effective_context_length:
        frames["effective_context_length"] = rows = analyses.effective(paper_frame, by)
        contenders = rows[~rows["model"].isin(references)]
        frames["summary"] = with_reaches(frames["summary"], contenders, "ARS")
    return frames


def summary(frames: Frames) -> pd.DataFrame:
    """Returns overall ARS and average IFS of each model (Tables 3 and 4), empty without value."""
    ifs = frames["ifs"]
    baseline = frames["baseline"]
    measures = {"ARS": frames["ars"], "IFS": ifs[ifs["perspective"] == AVERAGE]}
    counts = _whole(frames["coverage"], ["scored", "expected", PROMPTS]).rename(
        columns={"scored": "n"}
    )
    parts = [
        counts.merge(_whole(rows, ["value", "low", "high"]), on="model", how="left")
        for rows in measures.values()
    ]
    rows = pd.concat(parts, keys=measures, names=["measure"]).reset_index("measure")
    ties = {"ARS": rows_of(frames["comparisons"], task=OVERALL, length="")}
    clusters, families = sampled(frames["sampling_units"])
    unit = "families of contexts" if families else "contexts"
    rows = with_comparisons(rows[[*SUMMARY, PROMPTS]], ties, clusters, unit)
    if baseline.empty:
        return rows
    above = _whole(baseline, ["value"]).set_index("model")["value"]
    return rows.assign(
        **{ABOVE_BASELINE: rows["model"].map(above).where(rows["measure"] == "ARS").astype(float)}
    )


def _whole(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    overall_rows = rows[(rows["task"] == OVERALL) & (rows["length"] == "")]
    return overall_rows[["model", *columns]].astype({"model": str})
