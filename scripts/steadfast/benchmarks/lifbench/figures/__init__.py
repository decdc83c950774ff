"""LIFBench's figures, numbered like the paper's; one module a family of figures."""

from collections.abc import Callable

from steadfast.benchmarks.lifbench.figures import by_length, position, shared
from steadfast.benchmarks.lifbench.figures.differences import differences
from steadfast.benchmarks.lifbench.figures.rubric import capabilities, weights
from steadfast.benchmarks.lifbench.scored_tasks import Rubric
from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.contract.components import Frames
from steadfast.show.effective_context_length import FRAME
from steadfast.show.figures import Picture
from steadfast.show.roster import Display

BUILDERS: dict[str, Callable[[LifbenchResults, str], Picture]] = {
    "ars_by_length": by_length.ars_by_length,
    FRAME: by_length.effective,
    "figure2_weights": weights,
    "figure3_capabilities": capabilities,
    "figure4_by_length": by_length.by_length,
    "figure5_capabilities_by_length": by_length.capabilities_by_length,
    "figure6_complexity": by_length.complexity,
    "figure7_sampling": differences,
    "rubric_stability": differences,
    "success_by_position": position.success_by_position,
}


def figures(frames: Frames, display: Display, weighting: str, rubric: str) -> dict[str, Picture]:
    """Returns all figures whose metrics are there, by name."""
    results = LifbenchResults(frames, display, Rubric(rubric, weighting))
    pictures = {}
    for name, draw in BUILDERS.items():
        if shared.STRINGS["needs"].get(name, "ars") in frames:
            pictures[name] = draw(results, name)
    return pictures
