"""How many words too many or too few responses have: a metric and a table of Wordbench's own."""

import pandas as pd

from steadfast.show.table import Table
from steadfast.simple.tables import SimpleResults


def metric(responses: pd.DataFrame) -> pd.DataFrame:
    """Returns the mean error of each model by the number of words that were requested."""
    scored = responses[responses["total"].notna()]
    rows = pd.DataFrame(
        {
            "model": scored["model"],
            "words": [int(by["words"]) for by in scored["by"]],
            "value": [extracted["error"] for extracted in scored["extracted"]],
        }
    )
    return rows.groupby(["model", "words"])["value"].mean().reset_index()


def table(results: SimpleResults) -> Table:
    """Returns the table, a column a number of words."""
    errors = results.frames["errors"]
    columns = {f"{words} words": rows for words, rows in errors.groupby("words")}
    caption = "Wordbench: words too many or too few, mean of the responses."
    return results.values_table("errors", caption, columns)
