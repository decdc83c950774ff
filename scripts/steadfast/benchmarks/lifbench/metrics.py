"""All metrics of LIFBench, as data frames."""

from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from steadfast.benchmarks.lifbench import analyses, frames, measures, scored_tasks, stability
from steadfast.benchmarks.lifbench.records import AVERAGE, Beyond, ScoreRecord
from steadfast.contract import components, records
from steadfast.stats.effective_context_length import with_effective_lengths
from steadfast.stats.pairs import sampling_units, with_comparisons
from steadfast.stats.tidy import ABOVE_BASELINE, PROMPTS, SUMMARY, in_order, rows_of


def metrics(
    scores: Iterable[components.Scored[ScoreRecord]],
    data: Mapping[str, components.Data],
    labels: components.Labels | None,
    weighting: str,
    rubric: str,
    references: Collection[str] = (),
    baseline: str | None = None,
    beyond: Beyond | None = None,
    effective_context_length: bool = False,
    nested: bool = False,
    judged: bool = False,
) -> dict[str, pd.DataFrame]:
    """Returns the metrics of all models, by name.

    Models among ``references`` are not compared. With several lengths there is
    ``effective_context_length``, with released contexts or scores ``nested``, with a judge
    ``rubric_stability``. Samples for a perspective of ``beyond`` alone are in no other metric.
    """
    by = scored_tasks.Rubric(rubric, weighting)
    everything = frames.score_frame(scores, rubric, bool(beyond))
    sets = stability.sets_of(data)
    paper_frame = stability.paper_samples(everything) if beyond else everything
    further: dict[str, pd.DataFrame] = {}
    if sets:
        if sets.nearest and sets.random:
            further["sampling"] = stability.sampling_effect(paper_frame, sets)
        further["recs"] = stability.statistics_rows(data)
        omitted = stability.omitted_tasks(paper_frame, sets.shown)
        everything = stability.chosen(everything, sets.shown, omitted)
        paper_frame = stability.chosen(paper_frame, sets.shown, omitted)

    metric_frames = further | {
        "ars": measures.ars(paper_frame, by),
        "ifp": measures.ifp(paper_frame, by),
        "ifs": measures.ifs(paper_frame),
        "coverage": frames.coverage(paper_frame),
        "comparisons": analyses.comparisons(paper_frame, by, references),
        "variance": analyses.variance(paper_frame),
        "depth": analyses.depth(paper_frame),
        "rubrics": analyses.rubrics(paper_frame, by, references),
        "data": frames.data_counts(paper_frame),
        "baseline": analyses.above_baseline(paper_frame, baseline, by),
        "complexity": analyses.complexity(paper_frame, by),
        "weights": analyses.weights(paper_frame, by),
        "sampling_units": sampling_units(measures.stratified(paper_frame), None, measures.STRATA),
    }
    if nested:
        metric_frames["nested"] = analyses.nested(paper_frame, by, references)
    if judged:
        metric_frames["rubric_stability"] = stability.rubric_stability(paper_frame, by)
    if beyond:
        beside = stability.beyond_ifs(everything, beyond)
        ifs = pd.concat([metric_frames["ifs"], beside], ignore_index=True)
        metric_frames["ifs"] = in_order(ifs, frames.row_order(paper_frame))
        metric_frames["perspectives"] = stability.ars_by_group(everything, beyond, by)
    metric_frames["summary"] = summary(metric_frames)
    if effective_context_length:
        rows = analyses.effective(paper_frame, by)
        metric_frames["effective_context_length"] = rows
        contenders = rows[~rows["model"].isin(references)]
        metric_frames["summary"] = with_effective_lengths(
            metric_frames["summary"], contenders, "ARS"
        )
    return metric_frames


def summary(metric_frames: components.Frames) -> pd.DataFrame:
    """Returns overall ARS and average IFS of each model (Tables 3 and 4), empty without value."""
    ifs = metric_frames["ifs"]
    baseline = metric_frames["baseline"]
    counts = _overall(metric_frames["coverage"], ["scored", "expected", PROMPTS])
    counts = counts.rename(columns={"scored": "n"})
    scores = {"ARS": metric_frames["ars"], "IFS": ifs[ifs["perspective"] == AVERAGE]}
    by_measure = {}
    for measure, rows in scores.items():
        values = _overall(rows, ["value", "low", "high"])
        by_measure[measure] = counts.merge(values, on="model", how="left")
    rows = pd.concat(by_measure, names=["measure"]).reset_index("measure")
    ties = {"ARS": rows_of(metric_frames["comparisons"], task=records.OVERALL, length="")}
    clusters, families = frames.sampled(metric_frames["sampling_units"])
    unit = "families of contexts" if families else "contexts"
    rows = with_comparisons(rows[[*SUMMARY, PROMPTS]], ties, clusters, unit)
    if baseline.empty:
        return rows
    above = _overall(baseline, ["value"]).set_index("model")["value"]
    of_models = rows["model"].map(above).where(rows["measure"] == "ARS").astype(float)
    return rows.assign(**{ABOVE_BASELINE: of_models})


def _overall(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    overall_rows = rows[(rows["task"] == records.OVERALL) & (rows["length"] == "")]
    return overall_rows[["model", *columns]].astype({"model": str})
