"""Rule figures: a benchmark's figures from its metrics."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context

from steadfast.components import component
from steadfast.files import Settings
from steadfast.metrics.tidy import read_csv
from steadfast.show.display import Display
from steadfast.show.figures import DOTS_PER_INCH, STYLE


def draw(
    figures: Sequence[Any],
    metrics: Mapping[str, Path],
    display: Settings,
    outs: Mapping[str, Path],
) -> None:
    """Draws a benchmark's figures; equal metrics give equal bytes.

    Args:
        figures: the benchmark's function of frames and display, and its settings.
        metrics: file of each metric.
        display: as ``Display.of`` takes it.
        outs: picture of each figure.

    Raises:
        UserError: a file is missing or damaged.
    """
    frames = {name: read_csv(path) for name, path in metrics.items()}
    with rc_context(STYLE):
        made = component(figures).make(frames, Display.of(display))
        for name, path in outs.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Without dates and versions, so that equal results are equal files.
            made[name].savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})
