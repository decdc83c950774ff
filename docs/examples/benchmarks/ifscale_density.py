"""Effective density: the most keywords up to which ``SHARE`` of the score at the fewest is kept."""

from copy import copy
from dataclasses import replace

import pandas as pd

from steadfast.show.table import Table
from steadfast.simple.instance import PART
from steadfast.simple.metrics import effective
from steadfast.simple.tables import SimpleResults
from steadfast.stats.effective_context_length import SHARE, effective_lengths


def metric(responses: pd.DataFrame) -> pd.DataFrame:
    """Returns each model's effective density with its 95 % range, as effective context lengths."""
    densities = sorted({by[PART] for by in responses["by"]}, key=int)
    length_of = effective_lengths(effective(responses, densities))
    rows = [(model, length.value, length.low, length.high) for model, length in length_of.items()]
    return pd.DataFrame(rows, columns=["model", "value", "low", "high"])


def table(results: SimpleResults) -> Table:
    """Returns the table of effective densities, with the ends of their ranges."""
    rows = results.frames["effective_density"]
    columns = {"Effective density": rows}
    for heading, end in (("95 % range: from", "low"), ("to", "high")):
        columns[heading] = rows.assign(value=rows[end])
    whole = copy(results)
    whole.display = replace(results.display, digits=0)
    caption = (
        f"IFScale: most keywords up to which {100 * SHARE:g} % of the score at the fewest is kept."
    )
    return whole.values_table("effective_density", caption, columns)
