"""CFBench's metrics of all models, as tidy CSV files.

A sample without a score (no answer, or no readable verdict) is in no mean; it lowers the coverage.
Intervals: ``metrics.bootstrap``, with records drawn within their split. In mode released the values
of sets are rounded as the released code rounds them; their intervals are not.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd

from steadfast.cfbench.agreement import human_rows, read_human, verdict_rows
from steadfast.cfbench.facts import FULL, REAL_LIFE, SETS, read_yaml, secondary_names, types
from steadfast.cfbench.frames import (
    KNOWN_STATUSES,
    MEASURES,
    PRIMARY_KIND,
    SECONDARY_KIND,
    Scores,
    bin_names,
    binned,
    checkpoint_frame,
    factors,
    features,
    long,
    read_records,
    sample_frame,
)
from steadfast.cfbench.released import PARTLY, UNREADABLE, set_scores
from steadfast.files import Record
from steadfast.metrics.bootstrap import Bootstrap
from steadfast.metrics.headline import HEADLINE
from steadfast.metrics.tidy import in_order, write_csv

VALUES = ["value", "low", "high", "n"]
OTHER_TASKS = "(other tasks)"


def compute_metrics(
    scores: Scores,
    data: Mapping[str, Record],
    mode: str,
    judges: Sequence[str],
    labels: Path | None,
    outs: Mapping[str, Path],
) -> None:
    """Writes the metrics of all models.

    Args:
        scores: score file of each model and part.
        data: the records by sample id.
        mode: strict or released.
        judges: names of the judges, the one that counts first.
        labels: people's verdicts, see ``agreement.read_human``.
        outs: where to write those of results, headline, types, domains, factors, statistics,
            coverage, agreement and humans that are wanted.

    Raises:
        UserError: a file is missing or damaged, or its samples are not the data's.
    """
    records = list(read_records(scores, data))
    samples = sample_frame(records, data)
    human = read_human(labels, records, data)
    makers: dict[str, Callable[[], pd.DataFrame]] = {
        "results": lambda: results(samples, mode),
        "headline": lambda: headline(samples, mode, len(data)),
        "types": lambda: by_type(records, data),
        "domains": lambda: by_origin(samples),
        "factors": lambda: by_factor(samples),
        "statistics": lambda: statistics(data),
        "coverage": lambda: coverage(samples, data),
        "agreement": lambda: verdict_rows(records, judges, human),
        "humans": lambda: human_rows(records, data, judges, human),
    }
    for name, path in outs.items():
        write_csv(path, makers[name]())


def results(samples: pd.DataFrame, mode: str = "strict") -> pd.DataFrame:
    """CSR, ISR and PSR on the easy, the hard and all records (Tables 2 and 7).

    Returns:
        Columns model, split (easy, hard, full), measure, value, low, high and n.
    """
    rows = _means(samples, [], {"split": FULL}), _means(samples, ["split"])
    table = pd.concat(rows, ignore_index=True)[["model", "split", "measure", *VALUES]]
    if mode == "released":
        table["value"] = _released_values(samples, table)
    order = {"model": _models(samples), "split": SETS, "measure": MEASURES}
    return in_order(table, order)


def _released_values(samples: pd.DataFrame, table: pd.DataFrame) -> list[float]:
    scored = samples.dropna(subset="psr")
    columns = ["split", *MEASURES.values()]
    found = {
        model: set_scores(rows[columns].itertuples(index=False, name=None))
        for model, rows in scored.groupby("model", sort=False)
    }
    keys = zip(table["model"], table["split"], table["measure"], strict=True)
    return [
        found[model][measure if split == FULL else f"{measure}_{split}"]
        for model, split, measure in keys
    ]


def headline(samples: pd.DataFrame, mode: str, expected: int) -> pd.DataFrame:
    """CSR, ISR and PSR of each model on all records, for the report over all benchmarks.

    Returns:
        Columns of ``metrics.headline``; a model without a scored record has empty values.
    """
    whole = results(samples, mode)
    whole = whole[whole["split"] == FULL].set_index(["model", "measure"])[VALUES]
    every = pd.MultiIndex.from_product([_models(samples), MEASURES], names=["model", "measure"])
    rows = whole.reindex(every).reset_index().assign(expected=expected)
    return rows.assign(n=rows["n"].fillna(0).astype(int))[list(HEADLINE)]


def by_type(records: Sequence[tuple[str, Record]], data: Mapping[str, Record]) -> pd.DataFrame:
    """Satisfied share of the checkpoints of each primary and each secondary type (Figure 4).

    Only verdicts that belong to a checkpoint count, so that in mode released replies read by the
    fallback are left out.

    Returns:
        Columns model, kind (primary or secondary), category (the data's label, blank for none),
        value, low, high and n (checkpoints).
    """
    frame = checkpoint_frame(records, data)
    frame["split"] = frame["cluster"].map({name: record["split"] for name, record in data.items()})
    rows = _bootstrapped(frame, ["model", "kind", "category"])
    labels = list(dict.fromkeys([*types(), *secondary_names(), ""]))
    models = sorted({model for model, _ in records})
    order = {"model": models, "kind": (PRIMARY_KIND, SECONDARY_KIND), "category": labels}
    return in_order(rows, order)


def by_origin(samples: pd.DataFrame) -> pd.DataFrame:
    """CSR, ISR and PSR by source, by domain of real life, and by NLP task (Figure 5).

    The mapping of the tasks to the paper's four classes is not released, so that the tasks with
    most records have rows by name, and all others one together.

    Returns:
        Columns model, kind (source, domain or task), category, measure, value, low, high and n.
    """
    names = read_yaml("domains.yaml")
    real_life = samples["source"] == REAL_LIFE
    tasks = samples[~real_life].drop_duplicates("cluster")["task"].value_counts(sort=False)
    largest = list(tasks.sort_values(ascending=False, kind="stable").index[: names["most_tasks"]])
    task = samples["task"].where(samples["task"].isin(largest), OTHER_TASKS)
    parts = {
        "source": samples["source"],
        "domain": samples["domain"].where(real_life),
        "task": task.where(~real_life),
    }
    domains = list(dict.fromkeys([*names["domains"], *samples["domain"].dropna()]))
    categories = [*names["sources"], *domains, *largest, OTHER_TASKS]
    return _by_category(samples, parts, list(dict.fromkeys(categories)))


def by_factor(samples: pd.DataFrame) -> pd.DataFrame:
    """CSR, ISR and PSR by prompt length, checkpoints, types and primary checkpoints (Figure 6).

    Returns:
        Columns model, kind (the factor), category (its bin), measure, value, low, high and n.
    """
    starts = {name: facts["from"] for name, facts in factors().items()}
    parts = {
        name: pd.Series(binned(samples[name], start), index=samples.index)
        for name, start in starts.items()
    }
    categories = sorted(
        {category for start in starts.values() for category in bin_names(start)},
        key=lambda category: int(category.rstrip("+").partition("-")[0]),
    )
    return _by_category(samples, parts, categories)


def _by_category(
    samples: pd.DataFrame, parts: Mapping[str, pd.Series], categories: Sequence[str]
) -> pd.DataFrame:
    """The measures of the samples of each category, for several ways of telling them apart."""
    rows = [
        _means(
            samples.assign(category=category).dropna(subset="category"),
            ["category"],
            {"kind": kind},
        )
        for kind, category in parts.items()
    ]
    table = pd.concat(rows, ignore_index=True)
    order = {
        "model": _models(samples),
        "kind": list(parts),
        "category": [category for category in categories if category],
        "measure": MEASURES,
    }
    return in_order(table[["model", "kind", "category", "measure", *VALUES]], order)


def statistics(data: Mapping[str, Record]) -> pd.DataFrame:
    """What is in the data (Table 1): records, means per record, checkpoints by primary type.

    Returns:
        Columns split, measure (records, characters, primary, checkpoints, types, and the data's
        label of each type, blank for none) and value.
    """
    told = pd.DataFrame(
        [{"split": record["split"], **features(record)} for record in data.values()]
    )
    means = ["characters", "primary", "checkpoints", "types"]
    rows = []
    for name in SETS:
        chosen = told if name == FULL else told[told["split"] == name]
        found = pd.Series(
            [
                checkpoint["type"]
                for record in data.values()
                if name in (FULL, record["split"])
                for checkpoint in record["checkpoints"]
            ],
            dtype=object,
        ).value_counts()
        values = {"records": len(chosen), **{mean: chosen[mean].mean() for mean in means}}
        values |= {label: int(found.get(label, 0)) for label in (*types(), "")}
        rows += [{"split": name, "measure": key, "value": value} for key, value in values.items()]
    return pd.DataFrame(rows)


def coverage(samples: pd.DataFrame, data: Mapping[str, Record]) -> pd.DataFrame:
    """Expected and scored samples of each model on the easy, the hard and all records.

    Returns:
        Columns model, split, expected, scored, a count per status (``status_<name>``), and of mode
        released ``fallback`` and ``nothing``: replies that its parser read only in part, or not.
    """
    splits = [record["split"] for record in data.values()]
    rows = []
    for model in _models(samples):
        for name in SETS:
            chosen = samples[samples["model"] == model]
            chosen = chosen if name == FULL else chosen[chosen["split"] == name]
            rows.append(
                {
                    "model": model,
                    "split": name,
                    "expected": len(splits) if name == FULL else splits.count(name),
                    "scored": int(chosen["psr"].notna().sum()),
                    **{f"status_{s}": int((chosen["status"] == s).sum()) for s in KNOWN_STATUSES},
                    "fallback": int((chosen["parsing"] == PARTLY).sum()),
                    "nothing": int((chosen["parsing"] == UNREADABLE).sum()),
                }
            )
    return pd.DataFrame(rows)


def _means(
    samples: pd.DataFrame, by: list[str], labels: Mapping[str, str] | None = None
) -> pd.DataFrame:
    rows = _bootstrapped(long(samples), ["model", "measure", *by])
    return rows.assign(**(labels or {}))


def _bootstrapped(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Means of the column value in each cell, with intervals over records."""
    if rows.empty:
        return pd.DataFrame(columns=[*by, *VALUES]).astype({"value": float, "n": int})
    return Bootstrap(rows, ["split"]).means(rows, by, "value").rows()


def _models(samples: pd.DataFrame) -> Collection[str]:
    return sorted(set(samples["model"]))
