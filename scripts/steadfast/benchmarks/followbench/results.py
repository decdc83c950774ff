"""What FollowBench's tables show: frames of metrics, in sections by language."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import product

import pandas as pd

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import PATH
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.cells import MODEL, CellsByModel, Values, printed_section
from steadfast.show.results import Note, Results, incomplete_models, values_by_model
from steadfast.show.roster import Display
from steadfast.show.table import Column, Section, Table, rounded
from steadfast.stats.tidy import rows_of
from steadfast.stats.ties import NO_TIES, Ties

STRINGS = facts("followbench/tables.yaml")
PRINTED = facts("followbench/printed.yaml")
# Measures in which models are compared, all levels together.
TESTED = ("HSR", "SSR", "CSL")
# What the paper prints: values by model, and where each column's stands in these, if anywhere.
Printed = tuple[Mapping[str, str], Sequence[int | None]]


class FollowbenchResults(Results):
    """Metrics of the models, and how they are shown."""

    prefix = "followbench_"

    def __init__(
        self,
        frames: Frames,
        display: Display,
        mode: str,
        languages: Sequence[str],
        ways: Sequence[str] = (PATH,),
        otherwise: str = "",
    ):
        slots = {"mode": STRINGS["modes"][mode] + STRINGS["by_way"][ways[0]]}
        super().__init__(frames, display, STRINGS, slots, otherwise)
        self.mode = mode
        self.languages = languages
        self.ways = ways
        coverage = frames["coverage"].set_index(["model", "language", "category", "level"])
        self._counts: dict[tuple[str, ...], Record] = coverage.to_dict("index")
        self._no_counts: Record = dict.fromkeys(coverage.columns, 0)

    def counts(self, model: str, language: str, category: str) -> Record:
        """Returns expected and scored samples, and why others have no score."""
        return self._counts.get((model, language, category, ""), self._no_counts)

    def rate(self, value: float) -> Decimal:
        """Returns a rate in per cent as it is printed; in mode released with two digits."""
        return Decimal(f"{value:.2f}") if self.mode == "released" else self._rounded(value)

    def level(self, value: float) -> Decimal:
        """A number of levels as it is printed; in mode released with one digit, half to even."""
        return Decimal(f"{round(value, 1)}") if self.mode == "released" else self._rounded(value)

    def _rounded(self, value: float) -> Decimal:
        # A rate has a hundredth of a fraction's unit; levels, as in the paper, likewise.
        return rounded(value, max(self.digits - 2, 0))

    def column(self, frame: str, rounding: Callable[[float], Decimal], **keys: str) -> Values:
        """A column of values: a frame's rows with those keys, shown as ``rate`` or ``level``."""
        rows = rows_of(self.frames[frame], **keys)
        measure = frame.upper()
        tested = not keys.pop("level", "") and measure in TESTED
        ties = Ties.of(self.pairs(measure, **keys)) if tested else NO_TIES
        return Values(values_by_model(rows), incomplete_models(rows), ties=ties, shown=rounding)

    def pairs(self, measure: str, **keys: str) -> pd.DataFrame:
        """Returns the comparisons of every two models in a measure."""
        return rows_of(self.frames["comparisons"], measure=measure, **keys)

    def ranking_notes(self, category: str) -> list[Note]:
        """Returns what the ranges of ranks by HSR mean."""
        comparisons = {}
        for language in self.languages:
            name = STRINGS["languages"][language]
            comparisons[name] = self.pairs("HSR", language=language, category=category)
        return self.rank_notes("HSR", comparisons, max(self.digits - 2, 0))

    def by_language(
        self,
        name: str,
        columns: Iterable[Column],
        cells: Callable[[str], CellsByModel],
        category: str = OVERALL,
        notes: Iterable[Note] = (),
        printed: Printed | None = None,
    ) -> Table:
        """Returns a table with a section a language and group of models, a row a model."""
        sections: list[Section] = []
        remarks: list[Note] = [*self._marks(category), *notes]
        for language in self.languages:
            keys = {"language": language, "category": category, "level": ""}
            order = self.column("hsr", self.rate, **keys).by_model
            parts = self.sections(self.roster.groups(order), cells(language).__getitem__)
            for number, section in enumerate(parts):
                heading = self._in_language(language, section.heading)
                apart = section.unranked or (bool(sections) and number == 0)
                sections.append(Section(section.rows, heading, apart))
        if printed and self.display.published and PRINTED["language"] in self.languages:
            values, places = printed
            heading = self._in_language(PRINTED["language"], PRINTED["heading"])
            sections.append(printed_section(values, heading, places))
            remarks += self.published_notes(PRINTED["note"])
        category_name = STRINGS["categories"][category].lower()
        return self.table(name, (MODEL, *columns), sections, remarks, category=category_name)

    def _in_language(self, language: str, heading: str) -> str:
        named = [STRINGS["languages"][language]] if len(self.languages) > 1 else []
        return ": ".join(filter(None, [*named, heading]))

    def _marks(self, category: str) -> list[Note]:
        """Returns explanations of marks that may occur, and of the judge."""
        incomplete = []
        for model, language in product(self.roster.models, self.languages):
            slots = {"model": self.roster.label(model), "language": STRINGS["languages"][language]}
            counts = self.counts(model, language, category)
            incomplete.append((slots, counts["scored"], counts["expected"]))
        return [*self.incomplete_notes(incomplete), *self.shared_notes(judged=True)]

    def impossible(self, category: str = OVERALL) -> list[Note]:
        """Returns the notes on items that no answer can pass."""
        rows = self.frames["items"]
        rows = rows[(rows["category"] == category) | (category == OVERALL)]
        counts = rows.groupby("language")["impossible"].sum()
        notes: list[Note] = []
        for language in self.languages:
            if n := counts.get(language, 0):
                slots = {"language": STRINGS["languages"][language], "n": f"{n:.0f}"}
                notes.append((None, STRINGS["notes"]["impossible"].format(**slots)))
        return notes
