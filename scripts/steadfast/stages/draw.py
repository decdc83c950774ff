"""Rule figures: a benchmark's figures from its metrics."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import style

from steadfast.base.files import Settings
from steadfast.contract.components import component
from steadfast.show.figures import STYLE, in_trial, write_picture
from steadfast.show.roster import Display
from steadfast.stats.tidy import read_csv
from steadfast.workflow.script import paths, run_rule


def draw(
    figures: Sequence[Any],
    metrics: Mapping[str, Path],
    display: Settings,
    outs: Mapping[str, Path],
    data_notes: Sequence[str] = (),
) -> None:
    """Writes a benchmark's figures, with remarks on its data in each caption."""
    frames = {name: read_csv(path) for name, path in metrics.items()}
    # Without the user's own settings of matplotlib.
    with style.context(["default", STYLE]):
        display_settings = Display.of(display)
        pictures = component(figures).make(frames, display_settings)
        for name, stem in outs.items():
            caption = " ".join([pictures[name].caption, *data_notes])
            picture = pictures[name]._replace(caption=caption)
            write_picture(in_trial(picture, display_settings), stem)


if job := globals().get("snakemake"):
    stems = dict.fromkeys(path.with_suffix("") for path in paths(job.output.figures))
    run_rule(
        draw,
        job,
        read=("names",),
        outs=dict(zip(job.params.names, stems, strict=True)),
        metrics=dict(zip(job.params.metrics, paths(job.input.metrics), strict=True)),
    )
