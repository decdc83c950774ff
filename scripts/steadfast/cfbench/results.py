"""What CFBench's tables and figures show, looked up from the metrics files."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.cfbench.facts import FULL, read_yaml
from steadfast.metrics.tidy import read_csv
from steadfast.tables.roster import Group, Roster
from steadfast.tables.table import Cell, Mark, Section

Note = tuple[Mark | None, str]


class Results:
    """Metrics of the models, and how they are shown.

    Args:
        metrics: the files of ``cfbench.metrics`` by name.
        display: digits, labels and groups by model, group_order, engines by model, published
            (whether tables show what the paper prints).
        mode: strict or released, for captions and digits.

    Raises:
        UserError: a file is missing or damaged.
    """

    def __init__(self, metrics: Mapping[str, Path], display: Mapping[str, Any], mode: str):
        self._metrics = metrics
        self.display, self.mode = display, mode
        self.words: dict[str, Any] = read_yaml("tables.yaml")
        self.digits: int = display.get("digits", 3)
        self.coverage = self.read("coverage").set_index(["model", "split"])
        self.roster = Roster(set(self.coverage.index.get_level_values("model")), display)

    def read(self, name: str) -> pd.DataFrame:
        """A metrics file."""
        return read_csv(self._metrics[name])

    def path(self, name: str) -> str:
        """Where a metrics file lies, as a note says it."""
        return f"results/cfbench/metrics/{self._metrics[name].name}"

    def caption(self, name: str) -> str:
        """A table's caption, with the mode filled in."""
        return self.words["captions"][name].format(mode=self.words["modes"][self.mode])

    @cached_property
    def results(self) -> dict[tuple[str, str], dict[str, float]]:
        """Values by model, under split and measure."""
        found: dict[tuple[str, str], dict[str, float]] = {}
        for row in self.read("results").itertuples():
            found.setdefault((row.split, row.measure), {})[row.model] = row.value
        return found

    @cached_property
    def overall(self) -> dict[str, float]:
        """PSR of each model on all records, by which models are ordered."""
        return self.results.get((FULL, "PSR"), {})

    def groups(self) -> list[Group]:
        """The roster's groups, by falling PSR."""
        return self.roster.groups(self.overall)

    def heading(self, group: Group) -> str:
        """A group's heading, which says so where its members are no real models."""
        if not group.apart:
            return group.heading
        return self.words["apart"][group.kind].format(group=group.heading)

    def published(self) -> tuple[tuple[Section, ...], list[Note]]:
        """What the paper prints in Table 7, in a section and a note; nothing unless asked for."""
        if not self.display.get("published"):
            return (), []
        paper = read_yaml("printed.yaml")
        rows = tuple(
            (Cell(model), *map(Cell, row.split())) for model, row in paper["results"].items()
        )
        return (Section(rows, paper["heading"], apart=True),), [(None, paper["note"])]

    def few_models(self) -> list[str]:
        """The models of a table with a column each: those that compete first, then by PSR."""
        ordered = [model for group in self.groups() for model in group.models]
        best = sorted(
            ordered,
            key=lambda m: (m not in self.roster.contenders, -self.overall.get(m, -1.0)),
        )[: self.words["most_models"]]
        return [model for model in ordered if model in best]

    def marks(self, model: str, split: str = FULL) -> tuple[Mark, ...]:
        """The mark of a value that lacks some of its records."""
        counts = self.coverage.loc[(model, split)]
        return ("incomplete",) if counts["scored"] < counts["expected"] else ()

    def notes(self, models: Iterable[str]) -> list[Note]:
        """Explanations of the marks that occur among some models."""
        words = self.words["notes"]
        incomplete = [
            words["incomplete_model"].format(
                model=self.roster.label(model),
                scored=f"{self.coverage.at[(model, FULL), 'scored']:,}",
                expected=f"{self.coverage.at[(model, FULL), 'expected']:,}",
            )
            for model in models
            if self.marks(model)
        ]
        notes: list[Note] = []
        if incomplete:
            notes.append(("incomplete", words["incomplete"].format(models="; ".join(incomplete))))
        if judge := self.roster.judge_note:
            notes.append((None, judge))
        if {self.roster.kind(model) for model in self.roster.contenders} == {"simulated"}:
            notes.append((None, words["simulated"]))
        return notes

    def omitted(self, shown: list[str], name: str) -> list[Note]:
        """The note that not all models are shown, where so."""
        if len(shown) == len(self.roster.models):
            return []
        text = self.words["notes"]["most_models"].format(
            shown=len(shown), all=len(self.roster.models), file=self.path(name)
        )
        return [(None, text)]
