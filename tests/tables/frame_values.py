"""Single values of metrics' rows."""

import pandas as pd

from steadfast.stats.tidy import rows_of


def value(rows: pd.DataFrame, **keys: str) -> float:
    """The value of the only row with these keys."""
    return rows_of(rows, **keys)["value"].item()
