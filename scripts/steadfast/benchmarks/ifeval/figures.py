"""IFEval's figure: accuracy by prompt at each length, a panel a set."""

from steadfast.benchmarks.ifeval.metrics import SCORE
from steadfast.benchmarks.ifeval.tables import IfevalResults
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show import figures as drawing
from steadfast.show.panels import legends, panel_models, pictured_groups, rows_of_panels
from steadfast.show.results import range_notes
from steadfast.show.roster import Display
from steadfast.stats.tidy import rows_of


def figures(
    frames: Frames, display: Display, version: str, position: str
) -> dict[str, drawing.Picture]:
    """Returns the figures by name; the arguments are those of the tables."""
    results = IfevalResults(frames, display, version, position)
    words = results.words
    rows = rows_of(frames["accuracy"], measure=SCORE)
    groups, left_out = pictured_groups(results.roster, results.ranking)
    lines = panel_models(groups)
    sets = [name for name in results.sets if name != OVERALL] or [OVERALL]  # nothing has a score
    figure, panels, keys = rows_of_panels(len(lines), 2.6, len(sets))
    for task, down in zip(sets, panels, strict=True):
        set_rows = rows_of(rows, task=task).set_index("length")
        for axes, (heading, models) in zip(down, lines, strict=True):
            drawing.draw_models(axes, results.roster, models, set_rows, results.lengths, 0.2)
            axes.set_xticks(range(len(results.lengths)), results.lengths)
            axes.set(ylim=(0, 1.02), xlabel=words["axis"], ylabel=words["score"])
            drawing.draw_frame(axes, "\n".join(filter(None, (heading, words["sets"][task]))))
    legends(figure, panels[0], keys)
    notes = range_notes(results.roster, words["ranked"], results.ranking, results.digits)
    notes += [*results.notes(), *left_out]
    return {"by_length": drawing.picture(figure, words["figure"], notes)}
