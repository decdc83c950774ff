"""The table of effective context length, of every benchmark whose parts are lengths."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from steadfast.base.resources import facts
from steadfast.show.cells import MODEL, CellsByModel, Values, joined_cells
from steadfast.show.results import Note, Results, values_by_model
from steadfast.show.roster import Group
from steadfast.show.table import Cell, Column, Table
from steadfast.stats.effective_context_length import SHARE, EffectiveLength, effective_lengths
from steadfast.stats.tidy import rows_of

STRINGS = facts("effective_context_length.yaml")
# The metric with the rows of ``retention_by_length`` of the module in stats, and the table's name.
FRAME = "effective_context_length"
# Gives a column of values by model at a length, with the marks of incomplete ones.
Filled = Callable[[Mapping[str, float], str], Values]


class Effective:
    """Effective context lengths in results with the metric ``FRAME``, by a score such as ARS."""

    def __init__(self, results: Results, score: str):
        self.results = results
        self.rows = results.frames[FRAME]
        # Where nothing was scored the rows name no length.
        self.lengths = list(dict.fromkeys(self.rows["length"])) or ["--"]
        self.effective_lengths = effective_lengths(self.rows)
        self.slots = {
            "score": score,
            "share": f"{100 * SHARE:g}",
            "first": self.lengths[0],
            "last": self.lengths[-1],
            "unit": results.words["sampling_unit"]["unit"],
        }

    def retention_notes(self) -> list[str]:
        """Returns how many of the models that compete keep the share throughout, and whether this
        count rests on values without an interval."""
        by_model = self.effective_lengths
        contenders = self.results.roster.contenders
        lengths = [by_model[model].value for model in contenders if model in by_model]
        lengths = list(filter(None, lengths))
        if not lengths:
            return []
        counts = {"kept": lengths.count(self.lengths[-1]), "models": len(lengths)}
        sentences = [self.text(STRINGS["notes"]["kept"], **counts)]
        if not self.has_interval:
            sentences.append(self.text(STRINGS["notes"]["no_range"]))
        return sentences

    @property
    def has_interval(self) -> bool:
        """Whether any effective context length has an interval."""
        return any(length.low for length in self.effective_lengths.values())

    def text(self, form: str, **slots: object) -> str:
        """Returns one of the words with its slots filled."""
        filled = form.format(**self.slots, **slots)
        return filled[0].upper() + filled[1:]

    def notes(self) -> list[Note]:
        """Returns notes on the table's signs and on its intervals."""
        is_open = any(
            "≥" in length.text + length.range for length in self.effective_lengths.values()
        )
        names = ["open"] if is_open else []
        names.append("range" if self.has_interval else "no_range")
        return [(None, self.text(STRINGS["notes"][name])) for name in names]


def effective_table(
    effective: Effective, groups: Iterable[Group], notes: Sequence[Note], filled: Filled
) -> Table:
    """Returns each model's effective context length, its range, and the share kept at each length.

    The words of its benchmark have a caption of the name ``FRAME``.
    """
    results = effective.results
    headings = STRINGS["headings"]
    first, *longer = effective.lengths
    columns = [MODEL]
    for name in ("score", "effective_context_length", "range"):
        columns.append(Column(effective.text(headings[name])))
    start = values_by_model(rows_of(effective.rows, length=first), "score")
    retained = []
    for length in longer:
        retained.append(filled(values_by_model(rows_of(effective.rows, length=length)), length))
        columns.append(Column(length, effective.text(headings["kept"])))
    length_cells: CellsByModel = {}
    for model in results.roster.models:
        length = effective.effective_lengths.get(model, EffectiveLength())
        length_cells[model] = (Cell(length.text or None), Cell(length.range or None))
    start_cells = results.cells([filled(start, first)])
    cells = joined_cells([start_cells, length_cells, results.cells(retained)])
    sections = results.sections(groups, cells.__getitem__)
    all_notes = [*notes, *effective.notes(), *results.sampling_notes()]
    return results.table(FRAME, columns, sections, all_notes, **effective.slots)
