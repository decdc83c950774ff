"""A simple benchmark's figures: the mean score of all answers and by each field, and by length."""

from typing import Any

from steadfast.contract.components import Frames
from steadfast.show.effective_context_length import Effective
from steadfast.show.figures import Picture, picture, wrap_label
from steadfast.show.panels import by_category, effective_figure, pictured_groups
from steadfast.show.results import Note, range_notes
from steadfast.show.roster import Display
from steadfast.simple.instance import EFFECTIVE
from steadfast.simple.tables import SimpleResults
from steadfast.stats.tidy import rows_of


def figures(frames: Frames, display: Display, **settings: Any) -> dict[str, Picture]:
    """Returns a benchmark's figures of its main measure; ``settings`` are as for its tables."""
    results = SimpleResults(frames, display, **settings)
    title = results.slots["title"]
    main = results.measures[0]
    words = results.words
    means = rows_of(frames["scores"], measure=main)
    unique = means[["kind", "category"]].drop_duplicates()
    categories = list(unique.itertuples(index=False, name=None))
    most_shown = words["most_categories"]
    labels = {}
    for kind, category in categories[:most_shown]:
        label = f"{kind}: {category}" if kind else words["all"]
        labels[_key(kind, category)] = wrap_label(label)
    rows = means.assign(category=list(map(_key, means["kind"], means["category"])))
    measure = results.headings[main]
    figure = by_category(results.roster, results.shown_models, rows, labels, measure)
    notes = range_notes(results.roster, words["ranked"], results.ranking, results.digits)
    notes += [*results.notes(), *results.left_out_notes("scores")]
    if len(categories) > most_shown:
        slots = {"shown": most_shown, "all": len(categories), "name": results.slots["name"]}
        notes.append((None, words["notes"]["most_categories"].format(**slots)))
    pictures = {"scores": picture(figure, words["figure"].format(title=title, measure=main), notes)}
    if EFFECTIVE in frames:
        effective = Effective(results, words["ranked"])
        shown_groups, left_out = pictured_groups(results.roster, results.ranking)
        length_notes: list[Note] = [(None, text) for text in effective.retention_notes()]
        length_notes += [*results.notes(), *left_out]
        caption = results.caption(EFFECTIVE, **effective.slots)
        figure = effective_figure(effective, shown_groups)
        pictures[EFFECTIVE] = picture(figure, caption, length_notes)
    return pictures


def _key(kind: str, category: str) -> str:
    """Returns what stands for a category; two fields may have categories of one name."""
    return f"{kind}/{category}" if kind else ""
