"""The figure of Wordbench."""

from matplotlib.figure import Figure

from steadfast.contract.components import Frames
from steadfast.show.figures import COLUMN, Picture, look, picture
from steadfast.show.results import range_notes, values_by_model
from steadfast.show.roster import Display, Roster


def figures(frames: Frames, display: Display) -> dict[str, Picture]:
    """A line for each model over the two scorers."""
    rows, figure = frames["words"], Figure(figsize=(COLUMN, 2.2), layout="constrained")
    roster, axes = Roster(set(rows["model"]), display), figure.subplots()
    for model in roster.models:
        of_model = rows[rows["model"] == model]
        axes.plot(of_model["kind"], of_model["value"], **look(roster, model))
    values = values_by_model(frames["summary"])
    notes = range_notes(roster, "Share of requests met", values, display.digits)
    return {"words": picture(figure, "Wordbench: share of requests met, by scorer.", notes)}
