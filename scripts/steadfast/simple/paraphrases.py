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
    """Returns what the templates of a data set differ by, a row for each model and measure.

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
    extremes = {"chance": chance, "lowest": by_template.min(), "highest": by_template.max()}
    parts = [
        means.variation(["model"]).rows().assign(measure="stability"),
        reliable(responses).assign(measure="reliable"),
    ]
    for measure, values in extremes.items():
        rows = values.rename("value").reset_index()[["model", "value"]]
        parts.append(rows.assign(measure=measure, n=rows["model"].map(by_template.size())))
    table = pd.concat(parts, ignore_index=True)
    table["measure"] = pd.Categorical(table["measure"], MEASURES, ordered=True)
    rows = table.sort_values(["model", "measure"], ignore_index=True).astype({"measure": str})
    return rows[["model", "measure", "value", "low", "high", "n"]]


def reliable(responses: pd.DataFrame) -> pd.DataFrame:
    """Returns the share of records of which every response has full marks, by model."""
    totals = responses.groupby(["model", "cluster", "record"])["total"]
    records = totals.agg(lowest="min", scored="count", expected="size").reset_index()
    # A record that lacks a score counts only where another of its responses falls short.
    is_decided = (records["scored"] == records["expected"]) | (records["lowest"] < 1)
    has_full_marks = (records["lowest"] == 1).astype(float)
    rows = records.assign(total=has_full_marks.where(is_decided))
    return Clusters(rows, []).means(rows, ["model"]).rows()
