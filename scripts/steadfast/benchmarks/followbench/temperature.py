"""What temperature does (section 5.4, Figure 5): models that differ in nothing else, as lines."""

from collections.abc import Mapping, Sequence

import pandas as pd

from steadfast.contract.components import Frames
from steadfast.stats.tidy import OVERALL, in_order, rows_of

MEASURES = {"HSR": "hsr", "SSR": "ssr", "CSL": "csl"}
COLUMNS = ("line", "temperature", "model", "language", "measure")
VALUES = ("value", "low", "high", "n", "expected")


def temperature_rows(
    found: Frames, temperatures: Mapping[str, tuple[str, float]], languages: Sequence[str]
) -> pd.DataFrame:
    """HSR and SSR (in per cent) and CSL of everything together, by temperature.

    Returns:
        Columns line (the name of its first model), temperature, model, language, measure, value,
        low, high, n and expected; no row where no models differ in temperature alone.
    """
    parts = []
    for measure, name in MEASURES.items():
        rows = rows_of(found[name], category=OVERALL)
        rows = rows_of(rows, level="") if "level" in rows else rows
        rows = rows[rows["model"].isin(temperatures.keys())]
        lines, places = ([temperatures[m][part] for m in rows["model"]] for part in (0, 1))
        parts.append(rows.assign(measure=measure, line=lines, temperature=places))
    whole = pd.concat(parts, ignore_index=True).sort_values("temperature", kind="stable")
    order: dict[str, Sequence[object]] = {
        "measure": list(MEASURES),
        "language": languages,
        "line": list(dict.fromkeys(line for line, _ in temperatures.values())),
    }
    whole = whole.astype({"temperature": float})
    return in_order(whole, order)[[*COLUMNS, *VALUES]]
