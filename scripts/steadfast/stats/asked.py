"""What was asked of each model: whose prompts, how many answers to each, how many were expected.

Models that run answer the config's own prompts. Released scores are of answers to those that the
benchmark's authors asked; a score's record says in the field ``prompts`` whether these are others.
"""

from collections.abc import Sequence

import pandas as pd

from steadfast.contract.records import OWN, ScoreRecord


def prompts_of(record: ScoreRecord) -> str:
    """Whose prompts a score's record is about: ``OWN`` or ``RELEASED``."""
    return str(record.get("prompts", OWN))


def models_asked(answers: pd.DataFrame) -> pd.DataFrame:
    """Returns model, prompts (``prompts_of``) and draws (answers to each prompt) of answers."""
    found = answers.groupby("model", observed=True).agg(
        prompts=("prompts", "first"), draws=("draw", "nunique")
    )
    return found.reset_index().astype({"model": str})


def answers_expected(
    answers: pd.DataFrame, by: Sequence[str], of: Sequence[str] = ("sample_id",)
) -> pd.DataFrame:
    """Returns how many answers each model should have in each cell: model, ``by``, expected.

    These are the samples (``of``) that any model with the same prompts has, once for each draw.
    """
    cell = list(dict.fromkeys(["prompts", *by]))
    samples = answers[list(dict.fromkeys([*cell, *of]))].drop_duplicates()
    counts = samples.groupby(cell, observed=True).size().rename("expected").reset_index()
    found = models_asked(answers).merge(counts, on="prompts")
    found["expected"] *= found["draws"]
    return found[["model", *by, "expected"]]


def with_prompts(rows: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """Returns rows with a last column that says whose prompts their model answered."""
    prompts = models_by_prompts(answers[["model", "prompts"]].drop_duplicates())
    return rows.assign(prompts=rows["model"].map(prompts).astype(object))


def models_by_prompts(rows: pd.DataFrame) -> dict[str, str]:
    """Returns whose prompts each model answered: ``OWN`` where ``with_prompts`` did not say."""
    prompts = rows["prompts"] if "prompts" in rows else [OWN] * len(rows)
    return dict(zip(rows["model"], prompts, strict=True))
