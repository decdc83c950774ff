"""How much of the variance of scores lies between contexts, expressions, variables and draws."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from steadfast.base.files import Record
from steadfast.contract.records import OVERALL

DRAW, RESIDUAL = "draw", "residual"


def variance_shares(frame: pd.DataFrame, factors: Mapping[str, str]) -> pd.DataFrame:
    """Returns the shares of the sum of squares of ``total`` that each factor's main effect takes.

    The factors, by name and column, are fitted one after the other by least squares. In a complete
    factorial design their order makes no difference and the shares are the classical eta squared;
    where samples are missing, a factor takes what those before it left. Where several answers were
    drawn for a sample, what differs between them is the share of ``DRAW``; the residual is what
    else differs between samples. The shares of a model and task sum to 1; n counts scored samples.
    Overall is the plain mean over the model's tasks, n counts them. A task whose scores are all
    equal has no rows.

    Source: Fisher's analysis of variance, without interactions, which the residual holds.
    """
    by_task = frame[frame["total"].notna()].groupby("task", observed=True)
    parts = [row for task, rows in by_task for row in _task(str(task), rows, factors)]
    if not parts:
        return pd.DataFrame(columns=["model", "task", "perspective", "value", "n"])
    tasks = pd.DataFrame(parts)
    overall = tasks.groupby(["model", "perspective"])["value"].agg(value="mean", n="count")
    return pd.concat([tasks, overall.reset_index().assign(task=OVERALL)], ignore_index=True)


def _task(task: str, rows: pd.DataFrame, factors: Mapping[str, str]) -> Iterator[Record]:
    keys = ["length", "sample_id", "draw", *dict.fromkeys(factors.values())]
    table = rows[["model", "total"]].join(rows[keys].astype(str))
    table = table.set_index([*keys, "model"])["total"].unstack("model").sort_index()
    mask = table.notna().to_numpy()
    # Models that have the same samples are fitted at once.
    patterns, which = np.unique(mask.T, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        models = table.columns[which.ravel() == number]
        part = table.loc[pattern, models]
        levels = [part.index.get_level_values(column) for column in factors.values()]
        several_draws = len(part.index.unique("draw")) > 1
        samples = part.index.droplevel(keys[2:]) if several_draws else None
        kinds = [*factors, RESIDUAL, *([] if samples is None else [DRAW])]
        for model, values in zip(models, _shares(part.to_numpy(), levels, samples).T, strict=True):
            for name, value in zip(kinds, values, strict=True):
                names = {"model": str(model), "task": task, "perspective": name}
                if not np.isnan(value):
                    yield {**names, "value": value, "n": len(part)}


def _shares(totals: np.ndarray, factors: list[pd.Index], samples: pd.Index | None) -> np.ndarray:
    """Returns the shares of each factor and the residual (rows) for each column of totals."""
    centred = totals - totals.mean(axis=0)
    whole = (centred**2).sum(axis=0)
    whole[whole < 1e-12 * len(totals)] = np.nan
    taken, design = [np.zeros_like(whole)], np.ones((len(totals), 1))
    for factor in factors:
        codes, names = pd.factorize(factor)
        design = np.hstack([design, np.eye(len(names))[codes]])
        # Normal equations: a column a level is small, and a level too many does no harm to pinv.
        moments = design.T @ centred
        inverse = np.linalg.pinv(design.T @ design, rcond=1e-10, hermitian=True)
        taken.append((moments * (inverse @ moments)).sum(axis=0))
    if samples is not None:
        by_sample = pd.DataFrame(totals).groupby(pd.factorize(samples)[0]).transform("mean")
        taken.append(whole - ((totals - by_sample.to_numpy()) ** 2).sum(axis=0))
    taken.append(whole)
    shares: np.ndarray = np.clip(np.diff(taken, axis=0), 0, None) / whole
    return shares.round(12)  # what a share of nothing is left with differs between processors
