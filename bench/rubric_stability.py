"""Does the model vary, or the rubric? IFS of the paper's models by form and by content.

    python bench/rubric_stability.py RELEASED

RELEASED is the directory with LIFBench's released scores (``lifbench.released.directory``). Prints
IFS and its chance level of each model, then the numbers of ``bench/rubric_stability.md``, and draws
the figure beside that file.

"Flaw or Artifact?" (arXiv 2509.01790) says that much of prompt sensitivity comes from rigid
matching. LIFEval matches the form of a response rigidly: the score points of capability Fmt.
Without them, the totals of the same responses are of content alone; if the rubric caused the
variation, IFS by content would be smaller.
"""

import sys
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import spearmanr

from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.measures import ifs
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS, released_scores
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS, Rubric
from steadfast.contract.components import Scored
from steadfast.contract.records import OVERALL

LENGTHS = ("4k", "8k", "16k", "32k", "64k", "128k")
PERSPECTIVES = ("expression", "variable", "length")
POINTS = ("all", "form", "content")
PICTURE = Path(__file__).with_suffix(".png")


def totals(frame: pd.DataFrame, name: str) -> pd.Series:
    """Returns the weighted mean of each response's score points of one kind (``POINTS``)."""
    values = pd.Series(float("nan"), frame.index)
    for task in SCORED_TASKS:
        weights = {}
        for point, fact in Rubric("released").points(task).items():
            is_form = fact.capabilities == ("Fmt",)
            if name == "all" or is_form == (name == "form"):
                weights[f"point.{point}"] = fact.weight
        points = frame.loc[frame["task"] == task, [*weights]].astype(float)
        values[points.index] = points @ pd.Series(weights) / sum(weights.values())
    return values


def stability(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns overall IFS and its chance level by points, for each model and perspective."""
    parts = {}
    for name in POINTS:
        rows = ifs(frame.assign(total=totals(frame, name)))
        rows = rows[(rows["task"] == OVERALL) & (rows["length"] == "")]
        rows = rows[rows["perspective"].isin(PERSPECTIVES)].astype({"model": str})
        parts[name] = rows.set_index(["model", "perspective"])[["value", "chance"]]
    return pd.concat(parts, axis=1)


def draw(table: pd.DataFrame) -> Figure:
    """Draws each model's IFS by content and by form over that by all points."""
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    for axes, perspective in zip(figure.subplots(1, 3), PERSPECTIVES, strict=True):
        values = table.xs(perspective, level="perspective")
        axes.axline((0, 0), slope=1, color="grey", linewidth=0.8)
        for name, marker in (("content", "o"), ("form", "x")):
            axes.plot(values["all", "value"], values[name, "value"], marker, label=name)
        axes.set_title(perspective.capitalize())
        axes.set_xlabel("IFS by all score points")
    figure.axes[0].set_ylabel("IFS by some of them")
    figure.axes[0].legend()
    return figure


def main() -> None:
    """Prints the table and the summary, and draws the figure."""
    models = [name for name, model in PAPER_MODELS.items() if not model.is_reference]
    cells = [(model, length) for model in models for length in LENGTHS]
    tasks = list(SCORED_TASKS)
    records = released_scores({name: name for name in models}, cells, sys.argv[1], tasks)
    scored = [Scored(*cell, record) for cell, rows in records.items() for record in rows]
    table = stability(score_frame(scored, "released"))
    print(table.round(3).to_string())
    for perspective in PERSPECTIVES:
        values = table.xs(perspective, level="perspective")
        steadier = (values["content", "value"] < values["all", "value"]).sum()
        same_order = spearmanr(values["all", "value"], values["content", "value"]).statistic
        means = {name: values[name].mean().round(3).to_dict() for name in POINTS}
        print(f"{perspective}: {means}; by content steadier: {steadier}; Spearman {same_order:.2f}")
    draw(table).savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()
