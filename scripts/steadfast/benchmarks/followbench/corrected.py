"""HSR, SSR and CSL corrected by people's verdicts on a part of the judged items."""

from collections.abc import Sequence

import pandas as pd

from steadfast.benchmarks.followbench import frames
from steadfast.benchmarks.followbench.agreement import labelled_verdicts
from steadfast.benchmarks.followbench.facts import LEVELS, RULE, ScoreRecord
from steadfast.contract.components import Labels, Scored
from steadfast.stats.corrected import corrected_rows
from steadfast.stats.raters import answer_name

HIGHEST = {"HSR": 100.0, "SSR": 100.0, "CSL": float(len(LEVELS))}


def corrected(
    scores: Sequence[Scored[ScoreRecord]],
    samples: pd.DataFrame,
    labels: Labels | None,
    language: str,
    raw: pd.DataFrame,
) -> pd.DataFrame:
    """Returns ``corrected_rows`` in a language; samples by rules have nothing to correct."""
    verdicts = labelled_verdicts(labels, scores)
    labelled = []
    for one in scores:
        if of := verdicts.get((one.model, answer_name(one.record))):
            points: dict[str, float | None] = {str(n): float(v) for n, v in of.items()}
            record: ScoreRecord = {**one.record, "points": points, "total": float(min(of.values()))}
            labelled.append(one._replace(record=record))
    asked = samples[samples["language"] == language]
    by_people = frames.sample_frame(labelled) if labelled else asked.iloc[:0]
    keys = ["model", "sample_id", "draw"]
    given = asked[keys].merge(by_people[[*keys, "hard"]], "left", keys)["hard"].to_numpy()
    known = asked.assign(hard=asked["hard"].where(asked["kind"] == RULE, given))
    units = pd.concat([_items(asked), _groups(asked)], ignore_index=True)
    people = pd.concat([_items(by_people), _groups(known)], ignore_index=True)
    return corrected_rows(units, people[~people["sure"]], raw, HIGHEST)


def _items(samples: pd.DataFrame) -> pd.DataFrame:
    """HSR and SSR in per cent: the mean of the categories' and levels' means."""
    parts = [
        _units(samples.assign(value=100 * samples[column]), "sample_id", measure, ["level"])
        for measure, column in (("HSR", "hard"), ("SSR", "soft"))
    ]
    return pd.concat(parts, ignore_index=True)


def _groups(samples: pd.DataFrame) -> pd.DataFrame:
    """CSL: the mean of the categories' means."""
    groups = frames.group_frame(samples)
    return _units(groups.assign(value=groups["levels"]), "cluster", "CSL", [])


def _units(rows: pd.DataFrame, name: str, measure: str, within: list[str]) -> pd.DataFrame:
    rows = rows.dropna(subset="value")
    cells = rows.groupby(["model", "category", *within])["value"]
    return pd.DataFrame(
        {
            "model": rows["model"],
            "measure": measure,
            "cluster": rows["cluster"],
            "unit": rows[name].astype(str) + "#" + rows["draw"].astype(str),
            "weight": 1 / cells.transform("size"),
            "value": rows["value"],
            "sure": rows["kind"] == RULE,
        }
    )
