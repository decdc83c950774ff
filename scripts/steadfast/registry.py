"""The benchmarks, by name: the one place where the stages find them."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from steadfast.engines.request import Item, Oracle

BENCHMARKS = {"lifbench": "steadfast.lifbench.benchmark"}

Sources = Mapping[str, Mapping[str, Path]]
"""Files that prompts refer to: kind (such as contexts) → name (such as list) → path."""


class Benchmark(Protocol):
    """What a benchmark gives the stages."""

    SCORING_CODE: tuple[str, ...]
    """Modules whose change must score again, below the package."""
    SCORING_FACTS: tuple[str, ...]
    """Data files likewise, relative to the repository."""

    def parts(self, config: Any) -> list[str]:
        """The parts that outputs and scores are split into, such as lengths."""

    def tokens(self, config: Any, part: str) -> int:
        """Tokens that the longest context of a part may have."""

    def sources(self, config: Any, part: str) -> dict[str, dict[str, str]]:
        """The files that a part's prompts refer to, relative to the repository."""

    def inference_code(self, engine: str) -> tuple[str, ...]:
        """Modules whose change must ask again, below the package, for an engine."""

    def items(self, prompts: Path, sources: Sources) -> Iterable[Item]:
        """What is asked of a model, in the order of the prompts file."""

    def oracle(self, prompts: Path, sources: Sources) -> Oracle:
        """What the engines without a model answer from."""

    def score_part(
        self, part: str, rubric: str, prompts: Path, sources: Sources, outputs: Path, out: Path
    ) -> None:
        """Writes the scores of one model on one part."""


def benchmark(name: str) -> Benchmark:
    """The benchmark of that name."""
    return import_module(BENCHMARKS[name])


def paths(sources: Mapping[str, Mapping[str, str]]) -> list[str]:
    """All the files of a part's sources, for a rule to list as inputs."""
    return [path for files in sources.values() for path in files.values()]


def as_paths(sources: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Path]]:
    """The same sources with paths instead of strings."""
    return {
        kind: {name: Path(path) for name, path in files.items()} for kind, files in sources.items()
    }
