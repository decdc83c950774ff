"""What FollowBench's tables and figures show, looked up from the metrics files."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.followbench.facts import facts
from steadfast.metrics.tidy import OVERALL, read_csv
from steadfast.tables.roster import Group, Roster
from steadfast.tables.table import Cell, Mark, Section, highlights, rounded

Note = tuple[Mark | None, str]
Values = Mapping[str, tuple[float, bool]]
"""By model: a value, and whether all it should rest on is there."""


class Results:
    """Metrics of the models, and how they are shown.

    Args:
        metrics: the files of ``followbench.metrics`` by name.
        display: digits, labels and groups by model, group_order, engines by model, published
            (whether tables show what the paper prints).
        settings: mode, languages in the order to show, judge (whose verdicts count) and stand_in
            (whether it is no real model).

    Raises:
        UserError: a file is missing or damaged.
    """

    def __init__(
        self, metrics: Mapping[str, Path], display: Mapping[str, Any], settings: Mapping[str, Any]
    ):
        self._metrics, self.display, self._settings = metrics, display, settings
        self.words: dict[str, Any] = facts("tables")
        self.languages: Sequence[str] = settings["languages"]
        self.mode: str = settings["mode"]
        self.coverage = self.read("coverage").set_index(["model", "language", "category", "level"])
        self.roster = Roster(set(self.coverage.index.get_level_values("model")), display)

    def read(self, name: str) -> pd.DataFrame:
        """A metrics file."""
        return read_csv(self._metrics[name])

    def counts(self, model: str, language: str, category: str) -> dict[str, int]:
        """Expected and scored samples, and why others have no score."""
        key = (model, language, category, "")
        if key in self.coverage.index:
            return self.coverage.loc[key].to_dict()
        return dict.fromkeys(self.coverage.columns, 0)

    def caption(self, name: str, **words: str) -> str:
        """A table's caption, with the mode and further words filled in."""
        mode = self.words["modes"][self.mode]
        return self.words["captions"][name].format(mode=mode, **words)

    def shown(self, value: float, levels: bool = False) -> Decimal:
        """A rate in per cent, or a number of levels, as it is printed.

        In mode released as its code prints it: rates with two digits, levels with one, half to
        even.
        """
        if self.mode == "released":
            return Decimal(f"{round(value, 1)}" if levels else f"{value:.2f}")
        # A rate has a hundredth of a fraction's unit; levels, as in the paper, likewise.
        return rounded(value, max(self.display.get("digits", 3) - 2, 0))

    def cells(
        self, columns: Iterable[Values], levels: Sequence[bool] | None = None
    ) -> dict[str, tuple[Cell, ...]]:
        """The cells of each model, a column each, best and second best picked out.

        Args:
            columns: values by model.
            levels: which columns are numbers of levels; by default none.
        """
        cells: dict[str, tuple[Cell, ...]] = dict.fromkeys(self.roster.models, ())
        for number, values in enumerate(columns):
            as_levels = bool(levels and levels[number])
            shown = {m: self.shown(value, as_levels) for m, (value, _) in values.items()}
            styles = highlights(shown, self.roster.contenders)
            for model in cells:
                text = str(shown[model]) if model in shown else None
                marks = ("incomplete",) if model in values and not values[model][1] else ()
                cells[model] += (Cell(text, styles.get(model, ""), marks=marks),)
        return cells

    def sections(
        self,
        rows: Callable[[str], Mapping[str, tuple[Cell, ...]]],
        overall: Callable[[str], Mapping[str, float]],
    ) -> tuple[Section, ...]:
        """A section a language and group of models, a row a model.

        Args:
            rows: the cells of each model in a language.
            overall: by which models are ordered in a language.
        """
        sections = []
        for number, language in enumerate(self.languages):
            cells = rows(language)
            for first, group in enumerate(self.roster.groups(overall(language))):
                body = tuple((Cell(self.roster.label(m)), *cells[m]) for m in group.models)
                apart = group.apart or (number > 0 and first == 0)
                sections.append(Section(body, self._heading(language, group), apart))
        return tuple(sections)

    def _heading(self, language: str, group: Group) -> str:
        heading = group.heading
        if group.apart:
            heading = self.words["apart"][group.kind].format(group=heading).strip()
        return self._in_language(language, heading)

    def _in_language(self, language: str, heading: str) -> str:
        if len(self.languages) == 1:
            return heading
        named = self.words["languages"][language]
        return f"{named}: {heading}" if heading else named

    def published(
        self, printed: str, category: str | None, places: Sequence[int | None]
    ) -> tuple[tuple[Section, ...], tuple[Note, ...]]:
        """What the paper prints in a table, in a section and a note; nothing unless asked for.

        Args:
            printed: key of the results in ``resources/followbench/printed.yaml``.
            category: whose results they are, where they stand by category.
            places: of each column after the model's, where its value stands in a printed row;
                None where the paper has none.
        """
        paper = facts("printed")
        if not self.display.get("published") or paper["language"] not in self.languages:
            return (), ()
        rows = paper[printed] if category is None else paper[printed][category]
        body = tuple(
            (Cell(model), *(Cell(None if i is None else row.split()[i]) for i in places))
            for model, row in rows.items()
        )
        heading = self._in_language(paper["language"], paper["heading"])
        return (Section(body, heading, apart=True),), ((None, paper["note"]),)

    def notes(self, category: str = OVERALL) -> tuple[Note, ...]:
        """Explanations of marks that may occur, and of the judge.

        Args:
            category: whose samples the table shows.
        """
        words, notes = self.words["notes"], []
        if lacking := self._lacking(category):
            notes.append(("incomplete", words["incomplete"].format(models="; ".join(lacking))))
        if judge := self.roster.judge_note:
            notes.append((None, judge))
        if {self.roster.kind(model) for model in self.roster.contenders} == {"simulated"}:
            notes.append((None, words["simulated"]))
        return tuple(notes)

    def _lacking(self, category: str) -> list[str]:
        found = []
        for model in self.roster.models:
            for language in self.languages:
                counts = self.counts(model, language, category)
                if counts["scored"] < counts["expected"]:
                    found.append(
                        self.words["notes"]["incomplete_model"].format(
                            model=self.roster.label(model),
                            language=self.words["languages"][language],
                            scored=f"{counts['scored']:,}",
                            expected=f"{counts['expected']:,}",
                        )
                    )
        return found

    def impossible(self, category: str = OVERALL) -> tuple[Note, ...]:
        """The notes on items that no answer can pass."""
        rows = self.read("items")
        if category != OVERALL:
            rows = rows[rows["category"] == category]
        counts = rows.groupby("language")["impossible"].sum()
        return tuple(
            (
                None,
                self.words["notes"]["impossible"].format(
                    language=self.words["languages"][language], n=f"{counts[language]:.0f}"
                ),
            )
            for language in self.languages
            if counts.get(language, 0)
        )


def by_model(rows: pd.DataFrame, **keys: str) -> dict[str, tuple[float, bool]]:
    """Value by model of the rows with those keys, and whether they rest on all that is expected."""
    for column, key in keys.items():
        rows = rows[rows[column] == key]
    complete = rows["n"] == rows["expected"]
    known = rows["value"].notna()
    return {
        model: (value, bool(whole))
        for model, value, whole, told in zip(
            rows["model"], rows["value"], complete, known, strict=True
        )
        if told
    }
