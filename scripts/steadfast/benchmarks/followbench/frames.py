"""Scores as data frames: a row an answer, and a row a group's answers of one draw."""

from collections.abc import Iterable
from functools import reduce
from operator import add

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import CATEGORIES, JUDGE, LEVELS, RULE
from steadfast.benchmarks.followbench.records import ScoreRecord
from steadfast.benchmarks.followbench.satisfaction import consecutive_levels, failure_consistency
from steadfast.contract.components import INVALID, Scored
from steadfast.stats.asked import prompts_of
from steadfast.stats.intervals import NOTHING
from steadfast.stats.scores import is_empty

UNREADABLE = "unreadable"


def sample_frame(scores: Iterable[Scored[ScoreRecord]]) -> pd.DataFrame:
    """The scored and unscored answers.

    Returns:
        Columns model, prompts (whose, see ``stats.asked``), draw, language, category, level
        (text), kind (rule or judge), passable (whether some answer keeps all), cluster (the group),
        sample_id, status, empty (whether the answer has no text), unreadable (in mode released, a
        reply that counts −1), hard and soft (share of constraints kept), both empty where unscored.
    """
    rows = []
    for model, language, record in scores:
        read = ("task", record["task"], CATEGORIES), ("level", record["level"], LEVELS)
        for name, value, known in read:
            if value not in known:
                raise UserError(
                    f"followbench: sample {record['sample_id']} of model {model!r} has the unknown "
                    f"{name} {value!r}; score it again"
                )
        points = record["points"]
        problem = (record.get("extracted") or {}).get("problem")
        rows.append(
            {
                "model": model,
                "prompts": prompts_of(record),
                "draw": record["draw"],
                "language": language,
                "category": record["task"],
                "level": str(record["level"]),
                "kind": JUDGE if record["scorer"] == JUDGE else RULE,
                "passable": not impossible(language, record["scorer"], record["level"]),
                "cluster": record["context_id"],
                "sample_id": record["sample_id"],
                "status": record["status"],
                "empty": is_empty(record),
                UNREADABLE: problem is not None and record["status"] != INVALID,
                "hard": record["total"],
                "soft": sum(one or 0.0 for one in points.values()) / len(points)
                if points
                else None,
            }
        )
    return pd.DataFrame(rows).astype({"hard": float, "soft": float})


def group_frame(samples: pd.DataFrame) -> pd.DataFrame:
    """The groups of each model, in each draw, from the hard verdicts of their levels.

    Returns:
        Columns model, prompts, draw, language, category, kind, cluster, levels (consecutive
        satisfied ones, empty where missing verdicts matter) and consistency (see ``satisfaction``,
        None likewise).
    """
    keys = ["model", "prompts", "language", "category", "kind", "cluster", "draw"]
    by_level = samples.pivot(index=keys, columns="level", values="hard")
    by_level = by_level.reindex(columns=[str(level) for level in LEVELS])
    verdicts = [[None if pd.isna(one) else one for one in hard] for hard in by_level.to_numpy()]
    groups = by_level.index.to_frame(index=False)
    groups["levels"] = [consecutive_levels(hard) for hard in verdicts]
    groups["consistency"] = [failure_consistency(hard) for hard in verdicts]
    return groups.astype({"levels": float})


def impossible(language: str, scorer: str, level: int) -> bool:
    """Whether no answer can pass a level under a rule."""
    return level in facts("followbench/impossible.yaml")[language].get(scorer, ())


def with_released_zeros(rows: pd.DataFrame, units: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Rates of nothing as the released program has them, which prints some as −0.00.

    Shares and the −1 of unreadable replies add up to nothing but for what floating point leaves of
    them. Its sign depends on the order: one by one as in the file, the judge's before the rules'.
    """
    nothing = rows.loc[rows["value"].abs() < NOTHING, keys]
    in_file = units[units["soft"].notna()].sort_values(
        "kind", key=lambda of: of != JUDGE, kind="stable"
    )
    sums = (
        in_file.merge(nothing, on=keys).groupby(keys)["soft"].agg(lambda of: reduce(add, of, 0.0))
    )
    found = rows.join(sums, on=keys)
    return rows.assign(
        value=rows["value"].where(found["soft"].isna(), 100 * found["soft"] / rows["n"])
    )
