"""What every picture must be: as large as it is printed, all of it legible, nothing beyond its
edges, and no legend over what is drawn."""

from collections.abc import Callable, Mapping

from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.text import Text

from steadfast.show.figures import STYLE, Picture

SLACK = 1.0  # pixels
WIDTHS = (3.3, 7.0)  # inches: a column, and a page
HEIGHT = 9.7  # of a page, with its margins as narrow as journals have them
LEGIBLE = 6  # points


def drawn(make: Callable[[], Mapping[str, Picture]]) -> Mapping[str, Picture]:
    """Pictures as the stage draws them, with their layout."""
    with style.context(["default", STYLE]):
        found = make()
        for picture in found.values():
            picture.figure.draw_without_rendering()
    return found


def legends(figure: Figure) -> list:
    """The legends of a figure and of its panels."""
    return [*figure.legends, *(a.get_legend() for a in figure.axes if a.get_legend())]


def legend_texts(figure: Figure) -> list[str]:
    """What stands in them, in one line each."""
    return [
        " ".join(text.get_text().split()) for one in legends(figure) for text in one.get_texts()
    ]


def shown_texts(figure: Figure) -> list[Text]:
    """All texts that are drawn; ticks beyond the ends of an axis are not."""
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            first, last = sorted(axis.get_view_interval())
            for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
                if not axes.axison or not first <= tick.get_loc() <= last:
                    hidden |= {tick.label1, tick.label2}
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    return [text for text in found if text not in hidden]


def check(figure: Figure, name: str = "") -> None:
    """That it fits a page, all texts are legible and lie within it, and legends cover nothing."""
    width = figure.bbox.width
    height = figure.bbox.height
    assert figure.get_figwidth() in WIDTHS, name
    assert figure.get_figheight() <= HEIGHT, (name, figure.get_figheight())
    texts = shown_texts(figure)
    for text in texts:
        assert text.get_fontsize() >= LEGIBLE, (name, text.get_text())
        box = text.get_window_extent()
        inside = box.x0 >= -SLACK and box.y0 >= -SLACK
        inside = inside and box.x1 <= width + SLACK and box.y1 <= height + SLACK
        assert inside, (name, text.get_text(), box)
    for legend in legends(figure):
        box = legend.get_window_extent().padded(-SLACK)
        for axes in figure.axes:
            if axes.axison:
                assert not box.overlaps(axes.bbox), (name, "a legend covers a panel")
        own = set(legend.get_texts())
        for text in texts:
            if text not in own and text.axes is not None:
                hidden = box.overlaps(text.get_window_extent())
                assert not hidden, (name, "a legend covers", text.get_text())
