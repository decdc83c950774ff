"""All metrics of LIFBench, as data frames."""

from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from steadfast.base.files import Settings
from steadfast.benchmarks.lifbench import analyses, stability
from steadfast.benchmarks.lifbench.frames import coverage, data_counts, row_order, score_frame
from steadfast.benchmarks.lifbench.measures import ars, ifp, ifs
from steadfast.benchmarks.lifbench.records import AVERAGE, Beyond, ScoreRecord
from steadfast.benchmarks.lifbench.scored_tasks import Rubric, with_own
from steadfast.contract.components import Data, Frames, Labels, Scored
from steadfast.contract.records import OVERALL
from steadfast.stats.effective_length import with_reaches
from steadfast.stats.pairs import drawn, with_comparisons
from steadfast.stats.tidy import ABOVE_FLOOR, HEADLINE, PROMPTS, in_order, rows_of


def metrics(
    scores: Iterable[Scored[ScoreRecord]],
    data: Mapping[str, Data],
    labels: Labels | None,
    weighting: str,
    rubric: str,
    references: Collection[str] = (),
    floor: str | None = None,
    own: Mapping[str, Settings] | None = None,
    beyond: Beyond | None = None,
    effective_share: float | None = None,
) -> dict[str, pd.DataFrame]:
    """Returns the metrics of all models, by name.

    Models among ``references`` are not compared. With an ``effective_share`` there is the effective
    length by it, where there are several lengths. Own tasks that do not count in the overall values
    have rows of their own. Samples for a perspective of ``beyond`` alone are in no other metric.
    """
    tasks = with_own(own)
    by = Rubric(rubric, weighting, tasks)
    everything, sets = score_frame(scores, rubric, tasks, bool(beyond)), stability.sets_of(data)
    whole = stability.paper_samples(everything) if beyond else everything
    further: dict[str, pd.DataFrame] = {}
    if sets:
        if sets.nearest and sets.random:
            further["sampling"] = stability.sampling_effect(whole, sets)
        further["recs"] = stability.statistics_rows(data)
        kept = [*(own or ()), *stability.unasked(whole, sets.shown)]
        everything, whole = (stability.chosen(of, sets.shown, kept) for of in (everything, whole))

    def measured(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
        return {
            "ars": ars(frame, by),
            "ifp": ifp(frame, by),
            "ifs": ifs(frame),
            "coverage": coverage(frame),
            "comparisons": analyses.comparisons(frame, by, references),
            "variance": analyses.variance(frame),
            "depth": analyses.depth(frame, tasks),
            "rubrics": analyses.rubrics(frame, by, references),
            "data": data_counts(frame),
            "floor": analyses.above_floor(frame, floor, by),
        }

    uncounted = [name for name, task in tasks.items() if not task.counts]
    apart = whole["task"].isin(uncounted)
    frame = whole[~apart]
    frames = measured(frame) | further
    frames |= {
        "complexity": analyses.complexity(frame, by),
        "weights": analyses.weights(frame, by),
        "drawn": drawn(frame, None, ["stratum", "length"]),
    }
    if beyond:
        counted = everything[~everything["task"].isin(uncounted)]
        beside = stability.beyond_ifs(counted, beyond, tasks)
        frames["ifs"] = in_order(
            pd.concat([frames["ifs"], beside], ignore_index=True), row_order(frame)
        )
        frames["perspectives"] = stability.ars_by_group(counted, beyond, by)
    frames["headline"] = headline(frames)
    if effective_share:
        frames["effective"] = rows = analyses.effective(frame, effective_share, by)
        of = rows[~rows["model"].isin(references)]
        frames["headline"] = with_reaches(frames["headline"], of, "ARS")
    for task, rows in whole[apart].groupby("task", observed=True):
        for name, found in measured(rows).items():
            # Of IFP there is only what is over all tasks: here it is over this one.
            its = found.assign(task=task) if name == "ifp" else rows_of(found, task=task)
            if len(its):
                frames[name] = pd.concat([frames[name], its], ignore_index=True)
    return frames


def headline(frames: Frames) -> pd.DataFrame:
    """Returns overall ARS and average IFS of each model (Tables 3 and 4), empty without value."""
    ifs, floor = frames["ifs"], frames["floor"]
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
    rows = with_comparisons(rows[[*HEADLINE, PROMPTS]], ties, frames["drawn"], "contexts")
    if floor.empty:
        return rows
    above = _whole(floor, ["value"]).set_index("model")["value"]
    return rows.assign(
        **{ABOVE_FLOOR: rows["model"].map(above).where(rows["measure"] == "ARS").astype(float)}
    )


def _whole(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    found = rows[(rows["task"] == OVERALL) & (rows["length"] == "")]
    return found[["model", *columns]].astype({"model": str})
