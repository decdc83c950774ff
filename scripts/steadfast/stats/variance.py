"""The shares of contexts, expressions, variables and repeats in the variance of scores."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from steadfast.base.files import Record
from steadfast.contract.records import OVERALL

REPEAT = "repeat"
RESIDUAL = "residual"


def variance_shares(frame: pd.DataFrame, factors: Mapping[str, str]) -> pd.DataFrame:
    """The share of each factor's main effect in the sum of squares of ``total``.

    The factors, by name and column, are fitted one after the other by least squares. In a complete
    factorial design their order makes no difference and the shares are the classical eta squared;
    where samples are missing, the first factors take precedence. With several repeats, the variance
    between these is the share of ``REPEAT``; the residual is all other variance between samples.
    The shares of a model and task sum to 1; n counts scored samples. Overall is the plain mean over
    the model's tasks, n counts them. A task with equal scores only has no rows. Column chance has
    the shares expected by chance: the degrees of freedom of a factor ÷ (n − 1).

    Source: Fisher's analysis of variance, without interactions, which the residual holds.
    """
    task_rows: list[Record] = []
    for task, samples in frame[frame["total"].notna()].groupby("task", observed=True):
        task_rows += _task_rows(str(task), samples, factors)
    if not task_rows:
        return pd.DataFrame(columns=["model", "task", "perspective", "value", "n", "chance"])
    tasks = pd.DataFrame(task_rows)
    overall = tasks.groupby(["model", "perspective"]).agg(
        value=("value", "mean"), n=("value", "count"), chance=("chance", "mean")
    )
    return pd.concat([tasks, overall.reset_index().assign(task=OVERALL)], ignore_index=True)


def _task_rows(task: str, rows: pd.DataFrame, factors: Mapping[str, str]) -> Iterator[Record]:
    keys = ["length", "sample_id", "repeat", *dict.fromkeys(factors.values())]
    table = rows[["model", "total"]].join(rows[keys].astype(str))
    table = table.set_index([*keys, "model"])["total"].unstack("model").sort_index()
    mask = table.notna().to_numpy()
    # Models that have the same samples are fitted at once.
    patterns, pattern_numbers = np.unique(mask.T, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        models = table.columns[pattern_numbers.ravel() == number]
        part = table.loc[pattern, models]
        levels = [part.index.get_level_values(column) for column in factors.values()]
        several_repeats = len(part.index.unique("repeat")) > 1
        samples = part.index.droplevel(keys[2:]) if several_repeats else None
        # In the order of ``_shares``: the residual of samples, then the variance within samples.
        kinds = [*factors, RESIDUAL]
        if several_repeats:
            kinds.append(REPEAT)
        shares, by_chance = _shares(part.to_numpy(), levels, samples)
        for model, values in zip(models, shares.T, strict=True):
            for name, value, chance in zip(kinds, values, by_chance, strict=True):
                if np.isnan(value):  # all scores are equal
                    continue
                names = {"model": str(model), "task": task, "perspective": name}
                yield {**names, "value": value, "n": len(part), "chance": chance}


def _shares(
    totals: np.ndarray, factors: list[pd.Index], samples: pd.Index | None
) -> tuple[np.ndarray, np.ndarray]:
    """The shares of each factor and the residual (rows) by column of totals, and by chance."""
    centred = totals - totals.mean(axis=0)
    total = (centred**2).sum(axis=0)
    total[total < 1e-12 * len(totals)] = np.nan
    explained = [np.zeros_like(total)]
    design = np.ones((len(totals), 1))
    ranks = [1]
    for factor in factors:
        codes, names = pd.factorize(factor)
        design = np.hstack([design, np.eye(len(names))[codes]])
        # Explained sum of squares of a projection, with the design X and centred totals y:
        #   (Xᵀy)ᵀ (XᵀX)⁺ Xᵀy
        # Normal equations: a column a level is small, and a level too many does no harm to pinv.
        moments = design.T @ centred
        products = design.T @ design
        inverse = np.linalg.pinv(products, rcond=1e-10, hermitian=True)
        explained.append((moments * (inverse @ moments)).sum(axis=0))
        ranks.append(round(float(np.sum(inverse * products))))  # the trace of a projection
    if samples is not None:
        numbers, names = pd.factorize(samples)
        by_sample = pd.DataFrame(totals).groupby(numbers).transform("mean")
        explained.append(total - ((totals - by_sample.to_numpy()) ** 2).sum(axis=0))
        ranks.append(len(names))
    explained.append(total)
    shares: np.ndarray = np.clip(np.diff(explained, axis=0), 0, None) / total
    by_chance = np.diff([*ranks, len(totals)]) / max(len(totals) - 1, 1)
    # Rounding errors of a share of 0 differ between processors.
    return shares.round(12), by_chance
