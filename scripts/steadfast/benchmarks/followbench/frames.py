"""Scores as data frames: a row an answer, and a row a group's answers of one repeat."""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import product
from operator import add
from typing import Literal, TypeVar

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import CATEGORIES, JUDGE, LEVELS, RULE, ScoreRecord
from steadfast.contract.components import INVALID, Scored
from steadfast.stats.intervals import NOTHING
from steadfast.stats.scores import answer_row

# Of a level: 1 (all constraints kept), 0, None where there is none; in mode released −1, where the
# judge's reply could not be read.
Verdict = float | None
Consistency = Literal["no failure", "consistent", "inconsistent"]
T = TypeVar("T")


def consecutive_levels(hard: Sequence[Verdict]) -> int | None:
    """Returns how many of levels 1 to 5 are satisfied, from the first on and without a gap.

    None where that depends on a missing verdict. Source: equation 3.
    """
    return _if_determined(_consecutive, hard)


def failure_consistency(hard: Sequence[Verdict]) -> Consistency | None:
    """Whether a group that fails below the last level fails at every level after (section 5.3).

    None where that depends on a missing verdict. As released, −1 is no failure and no success.
    """
    return _if_determined(_consistency, hard)


def _if_determined(measure: Callable[[Sequence[float]], T], hard: Sequence[Verdict]) -> T | None:
    """Returns a measure's value if all possible values of the missing verdicts give the same."""
    choices = [(0.0, 1.0) if verdict is None else (verdict,) for verdict in hard]
    values = {measure(verdicts) for verdicts in product(*choices)}
    return values.pop() if len(values) == 1 else None


def _consecutive(hard: Sequence[float]) -> int:
    return next((i for i, verdict in enumerate(hard) if verdict != 1), len(hard))


def _consistency(hard: Sequence[float]) -> Consistency:
    if 0 not in hard[:-1]:
        return "no failure"
    return "inconsistent" if 1 in hard[hard.index(0) :] else "consistent"


UNREADABLE = "unreadable"


def sample_frame(scores: Iterable[Scored[ScoreRecord]]) -> pd.DataFrame:
    """Returns the scored and unscored answers; hard and soft are empty without a score."""
    rows = []
    for scored in scores:
        model, language, record = scored
        checks = ("task", record["task"], CATEGORIES), ("level", record["level"], LEVELS)
        for name, value, allowed in checks:
            if value not in allowed:
                raise UserError(
                    f"followbench: sample {record['sample_id']} of model {model!r} has the unknown "
                    f"{name} {value!r}; score it again"
                )
        shares = [point or 0.0 for point in (record["points"] or {}).values()]
        problem = (record.get("extracted") or {}).get("problem")
        fields = {
            "language": language,
            "category": record["task"],
            "level": str(record["level"]),
            "kind": JUDGE if record["scorer"] == JUDGE else RULE,
            "passable": not is_impossible(language, record["scorer"], record["level"]),
            UNREADABLE: problem is not None and record["status"] != INVALID,
            "hard": record["total"],
            "soft": sum(shares) / len(shares) if shares else None,
        }
        rows.append(answer_row(scored) | fields)
    return pd.DataFrame(rows).astype({"hard": float, "soft": float})


def group_frame(samples: pd.DataFrame) -> pd.DataFrame:
    """Returns each model's groups by repeat; levels, consistency are empty if unknown."""
    keys = ["model", "prompts", "language", "category", "kind", "cluster", "repeat"]
    by_level = samples.pivot(index=keys, columns="level", values="hard")
    by_level = by_level.reindex(columns=[str(level) for level in LEVELS])
    verdicts = by_level.astype(object).where(by_level.notna(), None).to_numpy()
    groups = by_level.index.to_frame(index=False)
    groups["levels"] = [consecutive_levels(hard) for hard in verdicts]
    groups["consistency"] = [failure_consistency(hard) for hard in verdicts]
    return groups.astype({"levels": float})


def is_impossible(language: str, scorer: str, level: int) -> bool:
    """Returns whether no answer can pass a level under a rule."""
    return level in facts("followbench/impossible.yaml")[language].get(scorer, ())


def with_released_zeros(rows: pd.DataFrame, units: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Returns rates of zero with the sign of the released program, which prints some as −0.00.

    Where shares and the −1 of unreadable replies cancel, a rounding error may remain, whose sign
    depends on the order of summation: as in the file, the judge's items before the rules'.
    """
    zeros = rows.loc[rows["value"].abs() < NOTHING, keys]
    scored = units[units["soft"].notna()]
    in_file = scored.sort_values("kind", key=lambda kind: kind != JUDGE, kind="stable")
    cells = in_file.merge(zeros, on=keys).groupby(keys)["soft"]
    sums = rows.join(cells.agg(lambda shares: reduce(add, shares, 0.0)), on=keys)["soft"]
    return rows.assign(value=rows["value"].where(sums.isna(), 100 * sums / rows["n"]))
