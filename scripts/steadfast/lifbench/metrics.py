"""All metrics of LIFBench, as data frames."""

from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from steadfast.components import Data, Labels, Scored
from steadfast.lifbench.above_floor import above_floor
from steadfast.lifbench.analyses import (
    comparisons,
    complexity,
    depth,
    rubrics,
    variance,
    weights,
)
from steadfast.lifbench.beyond import ars_by_group, beyond_ifs, paper_samples
from steadfast.lifbench.frames import coverage, data_counts, row_order, score_frame
from steadfast.lifbench.measures import ars, ifp, ifs
from steadfast.lifbench.perspectives import AVERAGE, Beyond
from steadfast.lifbench.sampling import chosen, sampling_effect, sets_of, statistics_rows
from steadfast.metrics.headline import HEADLINE, PROMPTS
from steadfast.metrics.pairs import drawn, with_comparisons
from steadfast.metrics.tidy import OVERALL, rows_of, tidy


def metrics(
    scores: Iterable[Scored],
    data: Mapping[str, Data],
    labels: Labels | None,
    weighting: str,
    rubric: str,
    references: Collection[str] = (),
    floor: str | None = None,
    beyond: Beyond | None = None,
) -> dict[str, pd.DataFrame]:
    """The metrics of all models, by name.

    Args:
        scores: of all models; of each, lengths in ascending order.
        data: expressions by part, where they were sampled from reworded ones.
        labels: none.
        weighting: of the tasks in the overall ARS, see ``ars``.
        rubric: by which points and totals were given.
        references: models that give gold or floor answers; they are not compared and not ranked.
        floor: the model that gives the floor answers; None: there is none.
        beyond: what is compared beyond the paper's perspectives. Samples that are asked for that
            alone are in no other metric.

    Raises:
        UserError: a task is unknown, or was scored by another rubric.
    """
    whole, sets = score_frame(scores, rubric, bool(beyond)), sets_of(data)
    frame = paper_samples(whole) if beyond else whole
    further: dict[str, pd.DataFrame] = {}
    if sets:
        if sets.nearest and sets.random:
            further["sampling"] = sampling_effect(frame, sets)
        further["recs"] = statistics_rows(data)
        whole, frame = chosen(whole, sets.shown), chosen(frame, sets.shown)
    frames = {
        "ars": ars(frame, weighting, rubric),
        "ifp": ifp(frame, rubric),
        "ifs": ifs(frame),
        "coverage": coverage(frame),
        "comparisons": comparisons(frame, weighting, rubric, references),
        "variance": variance(frame),
        "depth": depth(frame),
        "complexity": complexity(frame, weighting, rubric),
        "weights": weights(frame, rubric),
        "rubrics": rubrics(frame, weighting, rubric, references),
        "data": data_counts(frame),
        "floor": above_floor(frame, weighting, rubric, floor),
        "drawn": drawn(frame, None, ["stratum", "length"]),
    }
    if beyond:
        frames["ifs"] = tidy([frames["ifs"], beyond_ifs(whole, beyond)], row_order(frame))
        further["perspectives"] = ars_by_group(whole, beyond, weighting, rubric)
    shown = ("ars", "ifs", "coverage", "comparisons", "drawn")
    return frames | further | {"headline": headline(*(frames[name] for name in shown))}


def headline(
    ars: pd.DataFrame,
    ifs: pd.DataFrame,
    coverage: pd.DataFrame,
    comparisons: pd.DataFrame,
    drawn: pd.DataFrame,
) -> pd.DataFrame:
    """Overall ARS and the average IFS of each model, over all lengths.

    Args:
        ars: rows of ``measures.ars``.
        ifs: rows of ``measures.ifs``; the average is the plain mean of the three perspectives, and
            exists where all three do: with one length alone there is none.
        coverage: rows of ``frames.coverage``.
        comparisons: rows of ``analyses.comparisons``.
        drawn: rows of ``pairs.drawn``.

    Returns:
        Columns of ``metrics.headline``, the further ones too; n counts scored samples. A model
        without a value has an empty one.

    Source: Tables 3 and 4, the columns Overall and Average.
    """
    measures = {"ARS": ars, "IFS": ifs[ifs["perspective"] == AVERAGE]}
    counts = _whole(coverage, ["scored", "expected", PROMPTS]).rename(columns={"scored": "n"})
    parts = [
        counts.merge(_whole(rows, ["value", "low", "high"]), on="model", how="left")
        for rows in measures.values()
    ]
    rows = pd.concat(parts, keys=measures, names=["measure"]).reset_index("measure")
    compared = rows_of(comparisons, task=OVERALL, length="")
    return with_comparisons(rows[[*HEADLINE, PROMPTS]], {"ARS": compared}, drawn, "contexts")


def _whole(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    found = rows[(rows["task"] == OVERALL) & (rows["length"] == "")]
    return found[["model", *columns]].astype({"model": str})
