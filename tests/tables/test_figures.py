"""What all figures share: panels, legends and files of equal bytes."""

import matplotlib
import pandas as pd
import pytest
from matplotlib import style
from matplotlib.figure import Figure
from picture_checks import check, legend_texts

from steadfast.show import figures
from steadfast.show.panels import grid, legend, legends, lineups, pictured, rows_of_panels
from steadfast.show.roster import Display, Group, Roster, Shown

LONG = "An organisation's model with a name of several lines, $dollars_1$ and a date {}"


def lines(count: int, label: str) -> tuple[Figure, list]:
    figure, panels = grid(3, 2.0, 2, "Length")
    for axes in panels:
        for number in range(count):
            axes.plot([0, 1], [number, 0], label=label.format(number))
    return figure, panels


@pytest.mark.quick(2)
@pytest.mark.parametrize("label", ["m{}", LONG], ids=["short", "long"])
@pytest.mark.parametrize("count", [1, 8, 20])
def test_a_legend_has_all_names_and_covers_nothing(count, label):
    with style.context(["default", figures.STYLE]):
        figure, panels = lines(count, label)
        legend(figure, panels[0])
        figure.draw_without_rendering()
    check(figure)
    assert legend_texts(figure) == [label.format(number) for number in range(count)]


def test_legends_below_panels_cover_nothing():
    with style.context(["default", figures.STYLE]):
        figure, [panels], keys = rows_of_panels(2, 2.0, 1)
        for axes, label in zip(panels, ["m{}", LONG], strict=True):
            for number in range(6):
                axes.plot([0, 1], label=label.format(number))
        legends(figure, panels, keys)
        figure.draw_without_rendering()
    check(figure)
    assert len(legend_texts(figure)) == 12


def test_marks_beside_each_other_are_centred_and_values_have_their_intervals():
    assert [figures.apart(number, 3, 0.3) for number in range(3)] == pytest.approx([-0.1, 0, 0.1])
    assert figures.apart(0, 1, 0.3) == 0
    rows = pd.DataFrame(
        {"value": [0.5, 0.7, 0.9], "low": [0.4, None, 0.8], "high": [0.6, None, 1.0]}
    )
    axes = Figure().subplots()
    figures.draw_points(axes, [0, 1, 2], rows, color="black")
    (intervals,) = axes.collections
    ends = [[tuple(point) for point in one] for one in intervals.get_segments()]
    assert ends == [[(0, 0.4), (0, 0.6)], [(2, 0.8), (2, 1.0)]]
    assert list(axes.lines[0].get_ydata()) == [0.5, 0.7, 0.9]


def test_many_models_of_a_group_are_split_and_groups_that_have_room_share_a_panel():
    group = Group("G", tuple(f"m{n:02d}" for n in range(21)), "model")
    found = lineups([group])
    assert [len(models) for _, models in found] == [7, 7, 7]
    assert [model for _, models in found for model in models] == list(group.models)
    groups = [Group("G", tuple(f"{g}{n}" for n in range(4)), "model") for g in "abc"]
    assert [len(models) for _, models in lineups(groups)] == [8, 4]
    assert [heading for heading, _ in lineups(groups)] == ["G; G", "G"]


def test_a_figure_shows_the_best_of_many_models_and_says_so():
    names = [f"m{n:02d}" for n in range(30)]
    roster = Roster([*names, "sim-a"], Display())
    groups, [(_, note)] = pictured(roster, {name: float(name[1:]) for name in names})
    assert [model for group in groups for model in group.models] == [*names[:6:-1], "sim-a"]
    assert note.startswith("24 of 31 models are shown")
    assert pictured(Roster(names[:24], Display()), {})[1] == []


def test_a_radar_shows_each_value_on_its_spoke():
    rows = pd.DataFrame(
        {"model": "m", "spoke": list("abc"), "value": [0.2, 0.4, 0.6], "low": None, "high": None}
    )
    axes = Figure().subplots(subplot_kw={"projection": "polar"})
    roster = Roster(["m"], Display(models={"m": Shown("M")}))
    figures.draw_radar(axes, rows, dict(zip("abc", "ABC", strict=True)), ["m"], roster, (0.5, 1.0))
    assert list(axes.lines[0].get_ydata()) == [0.2, 0.4, 0.6, 0.2]
    assert [text.get_text() for text in axes.get_xticklabels()] == list("ABC")
    assert axes.get_ylim() == (0, 1)


def one() -> dict:
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], label="$m$", **figures.look(Roster(["m"], Display()), "m"))
    legend(figure, axes)
    return {"one": figures.picture(figure, "A line\n  from 0 to 1.", [(None, "That is all.")])}


def test_equal_pictures_are_equal_files_without_dates_or_versions(tmp_path):
    for folder in ("first", "second"):
        with style.context(["default", figures.STYLE]):
            figures.write_picture(one()["one"], tmp_path / folder / "a.b")
    for kind in ("pdf", "svg", "png", "txt"):
        first, second = (
            (tmp_path / folder / f"a.b.{kind}").read_bytes() for folder in ("first", "second")
        )
        assert first == second
        for word in ("CreationDate", "<dc:date>", f"v{matplotlib.__version__}", "Software"):
            assert word.encode() not in first, (kind, word)
    assert (tmp_path / "first/a.b.txt").read_text() == "A line from 0 to 1. That is all.\n"
