"""FollowBench's metrics of all models, as tidy CSV files.

A sample without a score (no answer, or no readable verdict) is in no mean; it lowers the coverage.
In mode released a reply that could not be read counts −1, as in the released code. Intervals:
``metrics.bootstrap``, with groups drawn within their category.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.files import read_jsonl
from steadfast.followbench.agreement import agreement
from steadfast.followbench.facts import CATEGORIES, JUDGE, LEVELS, RULE, impossible
from steadfast.followbench.frames import (
    KNOWN_STATUSES,
    UNREADABLE,
    group_frame,
    read_records,
    sample_frame,
)
from steadfast.metrics.bootstrap import Bootstrap, Estimates, joined
from steadfast.metrics.headline import HEADLINE
from steadfast.metrics.tidy import OVERALL, in_order, write_csv

Sources = Mapping[str, Mapping[str, Path]]

KINDS = (OVERALL, RULE, JUDGE)
PERCENT = 100
VALUES = ["value", "low", "high", "n"]


def compute_metrics(
    scores: Mapping[tuple[str, str], Path],
    sources: Mapping[str, Sources],
    settings: Mapping[str, Any],
    files: Mapping[str, Path],
    outs: Mapping[str, Path],
) -> None:
    """Writes the metrics of all models.

    Args:
        scores: score file of each model and language.
        sources: of each language, the file of its groups.
        settings: ``languages``, the headline's first, and ``judges``, the one that counts first.
        files: ``labels``, people's verdicts, where there are some.
        outs: where to write those of hsr, ssr, csl, scorers, consistency, items, agreement,
            coverage and headline that are wanted.

    Raises:
        UserError: a file is missing or damaged.
    """
    records = list(read_records(scores))
    metrics = Metrics(sample_frame(records), settings["languages"])
    data = {name: path for of in sources.values() for name, path in of["data"].items()}
    makers: dict[str, Callable[[], pd.DataFrame]] = {
        "hsr": lambda: metrics.rates("hard"),
        "ssr": lambda: metrics.rates("soft"),
        "csl": metrics.levels,
        "scorers": metrics.scorers,
        "consistency": metrics.consistency,
        "items": lambda: items(data),
        "agreement": lambda: agreement(records, settings["judges"], files.get("labels")),
        "coverage": metrics.coverage,
        "headline": metrics.headline,
    }
    for name, path in outs.items():
        write_csv(path, makers[name]())


class Metrics:
    """The metrics of all models.

    Args:
        samples: as ``sample_frame`` gives them.
        languages: in the order to show, the headline's first.
    """

    def __init__(self, samples: pd.DataFrame, languages: Sequence[str]):
        self._samples, self._languages = samples, languages
        self._groups = group_frame(samples)
        self._order = {
            "model": sorted(set(samples["model"])),
            "language": languages,
            "kind": KINDS,
            "category": [*CATEGORIES, OVERALL],
            "level": [str(level) for level in LEVELS],
        }

    def rates(self, column: str) -> pd.DataFrame:
        """HSR of the column hard, SSR of soft (equations 1 and 2), in per cent.

        Returns:
            Columns model, language, category, level, value, low, high, n (scored samples) and
            expected. Category overall is the unweighted mean of the categories (Table 2), an
            empty level the mean of the levels (Figure 4).
        """
        keys = ["model", "language", "category", "level"]
        cells = self._means(self._samples, keys, column)
        if cells is None:
            return _empty([*keys, *VALUES, "expected"])
        every = joined([cells, _overall(cells, ["model", "language", "level"])])
        mean = every.mean(["model", "language", "category"]).labelled(level="")
        rows = _in_percent(joined([every, mean]).rows())
        expected = self._expected(self._samples, ["category", "level"])
        return self._sorted(rows.merge(expected, on=keys[1:]), keys, "expected")

    def levels(self) -> pd.DataFrame:
        """CSL: consecutive satisfied levels of a group, from level 1 on (equation 3).

        Returns:
            Columns model, language, category, value, low, high, n (groups that it is known of)
            and expected. Category overall is the unweighted mean of the categories (Table 2).
        """
        keys = ["model", "language", "category"]
        cells = self._means(self._groups, keys, "levels")
        if cells is None:
            return _empty([*keys, *VALUES, "expected"])
        rows = joined([cells, _overall(cells, ["model", "language"])]).rows()
        expected = self._expected(self._groups, ["category"])
        return self._sorted(rows.merge(expected, on=keys[1:]), keys, "expected")

    def scorers(self) -> pd.DataFrame:
        """HSR and SSR of the items that rules and that the judge score, categories together.

        Returns:
            Columns model, language, kind (rule, judge), measure (HSR, SSR), level (or empty for
            their mean), value, low, high, n and expected.
        """
        keys = ["model", "language", "kind", "level"]
        parts = []
        for measure, column in (("HSR", "hard"), ("SSR", "soft")):
            if (cells := self._means(self._samples, keys, column)) is not None:
                mean = cells.mean(keys[:-1]).labelled(level="")
                rows = joined([cells, mean]).rows()
                parts.append(_in_percent(rows).assign(measure=measure))
        columns = ["model", "language", "kind", "measure", "level"]
        if not parts:
            return _empty([*columns, *VALUES, "expected"])
        rows = pd.concat(parts).merge(self._expected(self._samples, keys[2:]), on=keys[1:])
        return self._sorted(rows, columns, "expected", order={"measure": ["HSR", "SSR"]})

    def consistency(self) -> pd.DataFrame:
        """Failure consistency (section 5.3), in per cent: failing groups that go on failing.

        Returns:
            Columns model, language, kind (overall: as in the paper; judge: as in the released code;
            rule), category (or overall: its groups together), value, low, high, n (groups that
            fail at a level from 1 to 4) and missing (groups of which that cannot be told).
        """
        keys = ["model", "language", "kind", "category"]
        parts = [self._groups, self._groups.assign(kind=OVERALL)]
        groups = pd.concat([*parts, *(part.assign(category=OVERALL) for part in parts)])
        failing = groups[groups["consistency"].isin(["consistent", "inconsistent"])]
        failing = failing.assign(value=(failing["consistency"] == "consistent").astype(float))
        untold = groups.assign(missing=groups["consistency"].isna())
        missing = untold.groupby(keys)["missing"].sum().reset_index()
        cells = self._means(failing, keys, "value")
        rows = _empty([*keys, *VALUES]) if cells is None else _in_percent(cells.rows())
        rows = missing.merge(rows, on=keys, how="left")
        rows["n"] = rows["n"].fillna(0).astype(int)
        return self._sorted(rows, keys, "missing")

    def coverage(self) -> pd.DataFrame:
        """Expected and scored samples of each model.

        Returns:
            Columns model, language, category (or overall), level (or empty for all), expected,
            scored, a count per status (``status_<name>``), and unreadable: replies that count −1
            in mode released.
        """
        keys = ["language", "category", "level"]
        flags = self._samples[["model", *keys, UNREADABLE]].assign(
            scored=self._samples["hard"].notna()
        )
        for status in KNOWN_STATUSES:
            flags[f"status_{status}"] = self._samples["status"] == status
        counts = _margins(flags).groupby(["model", *keys]).sum().reset_index()
        expected = self._expected(self._samples, keys[1:])
        every = pd.DataFrame({"model": self._order["model"]}).merge(expected, how="cross")
        rows = every.merge(counts, on=["model", *keys], how="left")
        columns = ["expected", "scored", *(f"status_{s}" for s in KNOWN_STATUSES), UNREADABLE]
        rows[columns] = rows[columns].fillna(0).astype(int)
        return in_order(rows, self._orders(["model", *keys]))[["model", *keys, *columns]]

    def headline(self) -> pd.DataFrame:
        """HSR, SSR (in per cent) and CSL of each model in the first language, over everything.

        Returns:
            Columns of ``metrics.headline``; n and expected count samples, of CSL groups.
        """
        language = self._languages[0]
        parts = []
        for measure, rows, units in (
            ("HSR", self.rates("hard"), self._samples),
            ("SSR", self.rates("soft"), self._samples),
            ("CSL", self.levels(), self._groups),
        ):
            whole = rows[(rows["language"] == language) & (rows["category"] == OVERALL)]
            whole = whole[whole["level"] == ""] if "level" in whole else whole
            names = "sample_id" if "sample_id" in units else "cluster"
            expected = units[units["language"] == language][names].nunique()
            models = pd.DataFrame({"model": self._order["model"]})
            found = models.merge(whole[["model", *VALUES]], on="model", how="left")
            found["n"] = found["n"].fillna(0).astype(int)
            parts.append(found.assign(measure=measure, expected=expected))
        return pd.concat(parts, ignore_index=True)[list(HEADLINE)]

    def _means(self, frame: pd.DataFrame, keys: list[str], column: str) -> Estimates | None:
        """Means of a column in each cell; None where no row has a value."""
        if not frame[column].notna().any():
            return None
        strata = ["language", "of"]
        clusters = self._groups.assign(of=self._groups["category"])[["cluster", *strata]]
        return Bootstrap(clusters, strata).means(frame, keys, column)

    def _expected(self, units: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
        """How many samples or groups there are, whoever has them, with their sums over keys."""
        name = "sample_id" if "sample_id" in units else "cluster"
        there = _margins(units[["language", *keys, name]].drop_duplicates())
        return there.groupby(["language", *keys]).size().rename("expected").reset_index()

    def _orders(self, columns: Sequence[str]) -> dict[str, Sequence[str]]:
        return {column: self._order[column] for column in columns}

    def _sorted(
        self,
        rows: pd.DataFrame,
        columns: list[str],
        *counts: str,
        order: Mapping[str, Sequence[str]] | None = None,
    ) -> pd.DataFrame:
        orders = {column: {**self._order, **(order or {})}[column] for column in columns}
        return in_order(rows.reset_index(drop=True), orders)[[*columns, *VALUES, *counts]]


def items(data: Mapping[str, Path]) -> pd.DataFrame:
    """What is asked (Table 1): items and their mean length by task and scorer.

    Args:
        data: the file of groups by language.

    Returns:
        Columns language, category, task, kind (rule, judge), size (mean length of an
        instruction: words, in Chinese characters), groups, n (items) and impossible (items that no
        answer can pass).
    """
    rows = [
        {
            "language": language,
            "category": group["category"],
            "task": group["task"],
            "kind": JUDGE if group["scorer"] == JUDGE else RULE,
            "group": group["context_id"],
            "size": _size(language, asked["instruction"]),
            "impossible": impossible(language, group["scorer"], level),
        }
        for language, path in data.items()
        for group in read_jsonl(path)
        for level, asked in enumerate(group["levels"], start=1)
    ]
    keys = ["language", "category", "task", "kind"]
    cells = pd.DataFrame(rows).groupby(keys, sort=False)
    found = cells.agg(
        size=("size", "mean"),
        groups=("group", "nunique"),
        n=("size", "size"),
        impossible=("impossible", "sum"),
    ).reset_index()
    order = {"language": list(data), "category": CATEGORIES}
    tasks = list(dict.fromkeys(found["task"]))
    return in_order(found, order | {"task": tasks, "kind": [RULE, JUDGE]})


def _size(language: str, text: str) -> int:
    return len(text) if language == "zh" else len(text.split())


def _overall(cells: Estimates, keys: list[str]) -> Estimates:
    return cells.mean(keys).labelled(category=OVERALL)


def _margins(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows, and again as part of all categories and of all levels, where they have such."""
    if "category" in rows:
        rows = pd.concat([rows, rows.assign(category=OVERALL)])
    return pd.concat([rows, rows.assign(level="")]) if "level" in rows else rows


def _in_percent(rows: pd.DataFrame) -> pd.DataFrame:
    values = VALUES[:-1]
    return rows.assign(**{name: PERCENT * rows[name] for name in values})


def _empty(columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(columns=list(columns)).astype({"n": int})
