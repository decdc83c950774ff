"""FollowBench's tables: Tables 1, 2, 3, 5 and 7 to 12, by scorer, agreement and coverage."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import product

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import CATEGORIES, JUDGE, LEVELS, PATH, RULE
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.by_model import ModelTables, ValueColumn
from steadfast.show.cells import CellsByModel, count_cell, incomplete_mark
from steadfast.show.judges import agreement_table, corrected_table
from steadfast.show.results import Note, values_by_model
from steadfast.show.roster import Display, Group
from steadfast.show.table import Cell, Column, Section, Table, rounded

TITLE = "FollowBench"
STRINGS = facts("followbench/tables.yaml")
PRINTED = facts("followbench/printed.yaml")
# Measures in which models are compared, over all levels.
TESTED = ("HSR", "SSR", "CSL")
LEVEL_KEYS = [*map(str, LEVELS), ""]  # "": their mean
# For each column after the model's, the index of its value among the paper's printed ones.
PRINTED_LEVELS = (0, 1, 2, 3, 4, None, 5, 6, 7, 8, 9, None, 10, None)
PRINTED_CONSISTENCY = (0, None, None, None, None, None)


def rate_digits(display: Display) -> int:
    """Returns the decimals of rates in per cent."""
    return max(display.digits - 2, 0)


class FollowbenchResults(ModelTables):
    """Metrics of the models, and how they are shown."""

    prefix = "followbench_"
    paper = PRINTED

    def __init__(
        self,
        frames: Frames,
        display: Display,
        mode: str,
        languages: Sequence[str],
        judge_prompts: Sequence[str] = (PATH,),
        otherwise: str = "",
        category: str = OVERALL,
    ):
        slots = {"mode": STRINGS["modes"][mode] + STRINGS["by_judge_prompt"][judge_prompts[0]]}
        slots["category"] = STRINGS["categories"][category].lower()
        super().__init__(frames, display, STRINGS, slots, otherwise)
        self.mode = mode
        self.judge_prompts = judge_prompts
        self.category = category
        self.parts = {language: {"language": language} for language in languages}

    @property
    def digits(self) -> int:
        """Decimals of rates in per cent, and of levels, which the paper prints with as many."""
        return rate_digits(self.display)

    def rate(self, value: float) -> Decimal:
        """Returns a rate in per cent as it is printed; in mode released with two digits."""
        return self._printed(value, f"{value:.2f}")

    def level(self, value: float) -> Decimal:
        """A number of levels as it is printed; in mode released with one digit, half to even."""
        return self._printed(value, f"{round(value, 1)}")

    def _printed(self, value: float, as_released: str) -> Decimal:
        return Decimal(as_released) if self.mode == "released" else rounded(value, self.digits)

    @property
    def ranking(self) -> Mapping[str, float]:
        """HSR, all levels together, in the first language."""
        return self._hsr(next(iter(self.parts)))

    def _hsr(self, language: str) -> dict[str, float]:
        return values_by_model(
            self.rows("hsr", language=language, category=self.category, level="")
        )

    def part_groups(self, part: str) -> list[Group]:
        return self.roster.groups(self._hsr(part))

    def heading_of(self, part: str, heading: str) -> str:
        named = [STRINGS["languages"][part], heading] if len(self.parts) > 1 else [heading]
        return ": ".join(name for name in named if name)

    def column(self, column: Column, measure: str, level: str = "") -> ValueColumn:
        """A column of HSR, SSR or CSL; models are compared in all levels together."""
        keys = {"category": self.category}
        pairs = None if level else self.rows("comparisons", measure=measure, **keys)
        if measure == "CSL":
            return ValueColumn(column, self.rows("csl", **keys), pairs, shown=self.level)
        rows = self.rows(measure.lower(), **keys, level=level)
        return ValueColumn(column, rows, pairs, shown=self.rate)

    def notes(self, models: Collection[str] | None = None) -> list[Note]:
        """Returns explanations of marks that may occur, and of the judge."""
        counts = self.rows("coverage", category=self.category, level="")
        cells = counts.set_index(["model", "language"])[["scored", "expected"]]
        incomplete = []
        for model, language in product(models or self.roster.models, self.parts):
            if (model, language) in cells.index:
                slots = {"model": self.roster.label(model)}
                slots["language"] = STRINGS["languages"][language]
                incomplete.append((slots, *cells.loc[(model, language)]))
        return [*self.incomplete_notes(incomplete), *self.shared_notes(judged=True)]

    def impossible(self) -> list[Note]:
        """Returns the notes on items that no answer can pass."""
        rows = self.frames["items"]
        rows = rows[(rows["category"] == self.category) | (self.category == OVERALL)]
        counts = rows.groupby("language")["impossible"].sum()
        notes: list[Note] = []
        for language in self.parts:
            if n := counts.get(language, 0):
                slots = {"language": STRINGS["languages"][language], "n": f"{n:.0f}"}
                notes.append((None, STRINGS["notes"]["impossible"].format(**slots)))
        return notes


def tables(
    frames: Frames,
    display: Display,
    mode: str,
    languages: Sequence[str],
    names: Sequence[str],
    judge_prompts: Sequence[str] = (PATH,),
    otherwise: str = "",
) -> Iterator[Table]:
    """Yields the tables of ``names``; ``otherwise`` says how the paper's judging differs."""
    for name in names:
        last = name.rpartition("_")[2]
        category = last if last in CATEGORIES else OVERALL
        results = FollowbenchResults(
            frames, display, mode, languages, judge_prompts, otherwise, category
        )
        yield BUILDERS[name](results, name)


def items_table(results: FollowbenchResults, name: str) -> Table:
    """Returns items by category, task and scorer (Table 1)."""
    rows = results.frames["items"].set_index("language")
    languages = [language for language in results.parts if language in rows.index]
    bodies: dict[str, tuple[tuple[Cell, ...], ...]] = {}
    for (category, task, kind), task_rows in rows.groupby(["category", "task", "kind"], sort=False):
        rows_above = bodies.get(category, ())
        heading = Cell(STRINGS["categories"][category], repeated=bool(rows_above))
        row = [heading, Cell(task), Cell(STRINGS["scorers"][kind])]
        for language in languages:
            row += _counts(task_rows, language)
        bodies[category] = (*rows_above, tuple(row))
    columns = [Column(heading, align="l") for heading in ("Constraint", "Task", "Scored by")]
    total = [Cell(STRINGS["sum"]), Cell(""), Cell("")]
    sums = rows.groupby("language")["n"].sum()
    for language in languages:
        group = STRINGS["languages"][language]
        columns += [Column(STRINGS["lengths"][language], group, "r"), Column("Items", group, "r")]
        total += [Cell(""), count_cell(sums[language])]
    sections = (*map(Section, bodies.values()), Section((tuple(total),), unranked=True))
    return results.table(name, columns, sections, [(None, STRINGS["notes"]["tasks"])])


def _counts(rows: pd.DataFrame, language: str) -> tuple[Cell, Cell]:
    """Returns the mean length of a task's items in a language, and their number."""
    if language not in rows.index:
        return Cell(None), Cell("0")
    return Cell(f"{rounded(rows.at[language, 'size'], 0)}"), count_cell(rows.at[language, "n"])


def levels_table(results: FollowbenchResults, name: str) -> Table:
    """HSR and SSR by level and CSL, of all categories together or of one (Tables 2, 7 to 12)."""
    columns = []
    for measure, level in product(("HSR", "SSR"), LEVEL_KEYS):
        columns.append(results.column(_level_column(level, f"{measure} (%)"), measure, level))
    ranked = columns[LEVEL_KEYS.index("")]
    columns.append(results.column(Column("CSL"), "CSL"))
    notes = [*results.notes(), *results.impossible()]
    printed = (PRINTED["levels"][results.category], PRINTED_LEVELS)
    return results.by_model(name, columns, notes, ranked, printed)


def _level_column(level: str, group: str) -> Column:
    """Returns the column of a level, or of the levels' mean, under a heading."""
    return Column(f"L{level}" if level else STRINGS["mean"], group)


def scorers_table(results: FollowbenchResults, name: str) -> Table:
    """Returns HSR by level of the items that rules and that the judge score."""
    columns = []
    for kind, level in product((RULE, JUDGE), LEVEL_KEYS):
        rows = results.rows("scorers", measure="HSR", kind=kind, level=level)
        column = _level_column(level, STRINGS["scorers"][kind])
        columns.append(ValueColumn(column, rows, shown=results.rate))
    return results.by_model(name, columns, [*results.notes(), *results.impossible()])


def consistency_table(results: FollowbenchResults, name: str) -> Table:
    """Returns failure consistency over all groups and over judged ones (Table 5)."""
    rows = results.rows("consistency", category=OVERALL)
    rows = rows.set_index(["language", "model", "kind"])
    cells: dict[str, CellsByModel] = {}
    for language in results.parts:
        cells[language] = {}
        for model in results.roster.models:
            all_groups = _consistency(results, rows, (language, model, OVERALL))
            judged_groups = _consistency(results, rows, (language, model, JUDGE))
            cells[language][model] = (*all_groups, *judged_groups)
    headings = ("Consistent (%)", "Failing", "Undecided")
    headings_by_group = product(("All groups", "Judged groups"), headings)
    columns = [Column(heading, group, "r") for group, heading in headings_by_group]
    notes = [*results.notes(), (None, STRINGS["notes"]["missing"]), *results.untested_notes()]
    printed = (PRINTED["consistency"], PRINTED_CONSISTENCY)
    return results.part_table(name, columns, cells, notes, printed)


def _consistency(
    results: FollowbenchResults, rows: pd.DataFrame, key: tuple[str, str, str]
) -> tuple[Cell, ...]:
    if key not in rows.index:
        return (Cell(None),) * 3
    value, failing, missing = rows.loc[key, ["value", "n", "missing"]]
    text = None if pd.isna(value) else str(results.rate(value))
    marks = incomplete_mark(bool(missing))
    return Cell(text, marks=marks), count_cell(failing), count_cell(missing)


def raters_table(results: FollowbenchResults, name: str) -> Table:
    """Returns agreement of judges and people, on constraints or on whole items (Table 3)."""
    item = STRINGS["agreement"][name]
    is_whole = name == "table3_agreement"
    table = agreement_table(results, name, TITLE, item)
    shown = [] if len(results.judge_prompts) == 1 else results.judge_prompts if is_whole else [PATH]
    notes: list[Note] = [(None, STRINGS["notes"]["judge_prompts"][prompt]) for prompt in shown]
    if is_whole and results.display.published and PRINTED["language"] in results.parts:
        printed = STRINGS["notes"]["published_agreement"].format(**PRINTED["agreement"])
        notes += results.published_notes(printed)
    return replace(table, notes=(*table.notes, *notes))


def coverage_table(results: FollowbenchResults, name: str) -> Table:
    """Scored items in per cent by category, and why others have no score."""
    extra = ("no_csl", "unreadable") if results.mode == "released" else ("no_csl",)
    csl = results.frames["csl"]
    csl = csl[csl["category"] != OVERALL].groupby(["model", "language"])[["n", "expected"]].sum()
    no_csl = (csl["expected"] - csl["n"]).rename("no_csl").reset_index()
    counts = results.frames["coverage"].merge(no_csl, "left").fillna({"no_csl": 0})
    shares = {}
    for category in (*CATEGORIES, OVERALL):
        column = Column(STRINGS["categories"][category], "Scored (%)", "r")
        shares[column] = {"category": category, "level": ""}
    counted = {}
    for reason, heading in STRINGS["coverage"].items():
        if reason.startswith("status_") or reason in extra:
            counted[reason] = Column(heading, "Number", "r")
    notes = [*results.notes(), *((None, STRINGS["notes"][column]) for column in extra)]
    return results.coverage_table(shares, counted, notes, counts)


BUILDERS: dict[str, Callable[[FollowbenchResults, str], Table]] = {
    "table1_items": items_table,
    "table2_levels": levels_table,
    "table3_agreement": raters_table,
    "table5_consistency": consistency_table,
    "table7_content": levels_table,
    "table8_situation": levels_table,
    "table9_style": levels_table,
    "table10_format": levels_table,
    "table11_example": levels_table,
    "table12_mixed": levels_table,
    "scorers": scorers_table,
    "agreement": raters_table,
    "corrected": partial(
        corrected_table, benchmark=TITLE, unit="groups", digits=dict.fromkeys(TESTED, 1)
    ),
    "coverage": coverage_table,
}
