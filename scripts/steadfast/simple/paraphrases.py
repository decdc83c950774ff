"""How much a score depends on the paraphrase: a data set with several templates.

A record is the sampling unit, its paraphrases are repeated measures of it.
"""

import pandas as pd

from steadfast.simple.instance import TEMPLATE
from steadfast.stats.bootstrap import Bootstrap
from steadfast.stats.chance import crossed
from steadfast.stats.intervals import Clusters

MEASURES = ("stability", "chance", "reliable", "lowest", "highest")


def measures(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns how much scores differ between the templates, a row for each model and measure.

    ``stability`` is IFS over templates: the standard deviation of their mean scores over the mean
    of these (LIFBench, equation 6); ``chance`` the IFS of a model for which paraphrases make no
    difference; ``reliable`` the share of records whose k responses all have full marks, k templates
    times repeats; ``lowest`` and ``highest`` the mean scores of the extreme templates.

    Args:
        frame: ``metrics.score_frame``'s rows.

    Returns:
        Columns model, measure, value, low, high, n; no interval of what is an extreme.
    """
    template = [fields[TEMPLATE] for fields in frame["by"]]
    record = frame["sample_id"].str.rpartition("/")[0]
    responses = frame.assign(template=template, record=record, task="")
    means = Bootstrap(responses, []).replicates(responses, ["model", "template"])
    by_template = means.values[0].groupby(level="model")
    chance = crossed(responses, "template", ["record"]).droplevel("task")
    rows = {"stability": means.variation(["model"]).rows(), "reliable": reliable(responses)}
    values = {"chance": chance, "lowest": by_template.min(), "highest": by_template.max()}
    for measure, by_model in values.items():
        rows[measure] = by_model.to_frame("value").assign(n=by_template.size()).reset_index()
    table = pd.concat([rows[measure].assign(measure=measure) for measure in MEASURES])
    table = table.sort_values("model", kind="stable")
    return table[["model", "measure", "value", "low", "high", "n"]]


def reliable(responses: pd.DataFrame) -> pd.DataFrame:
    """Returns the share of records of which every response has full marks, by model."""
    totals = responses.groupby(["model", "cluster", "record"])["total"]
    records = totals.agg(lowest="min", scored="count", expected="size").reset_index()
    # A record that lacks a score counts only where another of its responses falls short.
    is_decided = (records["scored"] == records["expected"]) | (records["lowest"] < 1)
    has_full_marks = (records["lowest"] == 1).astype(float)
    rows = records.assign(total=has_full_marks.where(is_decided))
    return Clusters(rows, []).means(rows, ["model"]).rows()
