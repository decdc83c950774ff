"""Checks of every picture: it fits a page, its texts are legible, and its legends cover nothing."""

from collections.abc import Callable, Mapping

from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.text import Text

from steadfast.show.figures import STYLE, Picture

TOLERANCE = 1.0  # pixels
WIDTHS = (3.3, 7.0)  # inches: a column, and a page
MAX_HEIGHT = 9.7  # of a page, with its margins as narrow as journals have them
MIN_FONT_SIZE = 6  # points


def with_layout(make: Callable[[], Mapping[str, Picture]]) -> Mapping[str, Picture]:
    """Pictures with their layout, as the stage draws them."""
    with style.context(["default", STYLE]):
        pictures = make()
        for picture in pictures.values():
            picture.figure.draw_without_rendering()
    return pictures


def legends(figure: Figure) -> list:
    """The legends of a figure and of its panels."""
    panel_legends = [axes.get_legend() for axes in figure.axes]
    return figure.legends + [legend for legend in panel_legends if legend]


def legend_texts(figure: Figure) -> list[str]:
    """The texts in all legends, in one line each."""
    texts = []
    for legend in legends(figure):
        texts += [" ".join(text.get_text().split()) for text in legend.get_texts()]
    return texts


def visible_texts(figure: Figure) -> list[Text]:
    """All texts that are drawn; ticks beyond the ends of an axis are not."""
    hidden = {text for text in figure.findobj(Text) if not text.get_visible()}
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            first, last = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks() + axis.get_minor_ticks():
                if not axes.axison or not first <= tick.get_loc() <= last:
                    hidden |= {tick.label1, tick.label2}
    return [text for text in figure.findobj(Text) if text.get_text() and text not in hidden]


def check(figure: Figure, name: str = "") -> None:
    """Checks that a figure fits a page, its texts are legible, and legends cover nothing."""
    assert figure.get_figwidth() in WIDTHS, name
    assert figure.get_figheight() <= MAX_HEIGHT, (name, figure.get_figheight())
    texts = visible_texts(figure)
    for text in texts:
        assert text.get_fontsize() >= MIN_FONT_SIZE, (name, text.get_text())
        box = text.get_window_extent()
        assert min(box.x0, box.y0) >= -TOLERANCE, (name, text.get_text(), box)
        assert box.x1 <= figure.bbox.width + TOLERANCE, (name, text.get_text(), box)
        assert box.y1 <= figure.bbox.height + TOLERANCE, (name, text.get_text(), box)
    for legend in legends(figure):
        box = legend.get_window_extent().padded(-TOLERANCE)
        for axes in figure.axes:
            assert not (axes.axison and box.overlaps(axes.bbox)), (name, "a legend covers a panel")
        for text in set(texts) - set(legend.get_texts()):
            is_hidden = text.axes is not None and box.overlaps(text.get_window_extent())
            assert not is_hidden, (name, "a legend covers", text.get_text())
