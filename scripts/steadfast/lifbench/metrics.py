"""All metrics of LIFBench, as data frames."""

from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from steadfast.components import Data, Labels, Scored
from steadfast.lifbench.analyses import comparisons, depth, rubrics, variance
from steadfast.lifbench.frames import coverage, data_counts, score_frame
from steadfast.lifbench.measures import ars, ifp, ifs
from steadfast.lifbench.perspectives import AVERAGE
from steadfast.metrics.headline import HEADLINE, PROMPTS
from steadfast.metrics.tidy import OVERALL


def metrics(
    scores: Iterable[Scored],
    data: Mapping[str, Data],
    labels: Labels | None,
    weighting: str,
    rubric: str,
    references: Collection[str] = (),
) -> dict[str, pd.DataFrame]:
    """The metrics of all models, by name.

    Args:
        scores: of all models; of each, lengths in ascending order.
        data: none.
        labels: none.
        weighting: of the tasks in the overall ARS, see ``ars``.
        rubric: by which points and totals were given.
        references: models that give the gold answer; they are not compared and not ranked.

    Raises:
        UserError: a task is unknown, or was scored by another rubric.
    """
    frame = score_frame(scores, rubric)
    frames = {
        "ars": ars(frame, weighting, rubric),
        "ifp": ifp(frame, rubric),
        "ifs": ifs(frame),
        "coverage": coverage(frame),
        "comparisons": comparisons(frame, weighting, rubric, references),
        "variance": variance(frame),
        "depth": depth(frame),
        "rubrics": rubrics(frame, weighting, rubric, references),
        "data": data_counts(frame),
    }
    return frames | {"headline": headline(*(frames[name] for name in ("ars", "ifs", "coverage")))}


def headline(ars: pd.DataFrame, ifs: pd.DataFrame, coverage: pd.DataFrame) -> pd.DataFrame:
    """Overall ARS and the average IFS of each model, over all lengths.

    Args:
        ars: rows of ``measures.ars``.
        ifs: rows of ``measures.ifs``; the average is the plain mean of the three perspectives, and
            exists where all three do: with one length alone there is none.
        coverage: rows of ``frames.coverage``.

    Returns:
        Columns of ``metrics.headline``, prompts too; n counts scored samples. A model without a
        value has an empty one.

    Source: Tables 3 and 4, the columns Overall and Average.
    """
    measures = {"ARS": ars, "IFS": ifs[ifs["perspective"] == AVERAGE]}
    counts = _whole(coverage, ["scored", "expected", PROMPTS]).rename(columns={"scored": "n"})
    parts = [
        counts.merge(_whole(rows, ["value", "low", "high"]), on="model", how="left")
        for rows in measures.values()
    ]
    rows = pd.concat(parts, keys=measures, names=["measure"]).reset_index("measure")
    return rows[[*HEADLINE, PROMPTS]]


def _whole(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    found = rows[(rows["task"] == OVERALL) & (rows["length"] == "")]
    return found[["model", *columns]].astype({"model": str})
