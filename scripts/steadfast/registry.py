"""The benchmarks, by name: the one place where the stages find them."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from steadfast.engines.request import Item, Oracle
from steadfast.errors import UserError

BENCHMARKS = {
    name: f"steadfast.{name}.benchmark"
    for name in ("lifbench", "followbench", "cfbench", "complexbench")
}
JUDGED = ("followbench", "cfbench", "complexbench")
"""Those whose answers a model judges."""

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

    def scoring_settings(self, config: Any) -> dict[str, Any]:
        """Plain values that scoring takes, such as the rubric."""

    def score_part(
        self,
        part: str,
        settings: Mapping[str, Any],
        prompts: Path,
        sources: Sources,
        outputs: Path,
        out: Path,
        verdicts: Mapping[str, Path],
    ) -> None:
        """Writes the scores of one model on one part.

        ``verdicts`` holds each judge's replies, those that count first; none where no model judges.
        """


class JudgedBenchmark(Benchmark, Protocol):
    """What a benchmark gives besides when a model judges its answers."""

    DATA_CODE: tuple[str, ...]
    """Modules whose change must read the data again."""
    DATA_FACTS: tuple[str, ...]
    PROMPTS_CODE: tuple[str, ...]
    JUDGING_CODE: tuple[str, ...]
    """Modules whose change must write the judge prompts again."""
    JUDGING_FACTS: tuple[str, ...]
    READING_CODE: tuple[str, ...]
    """Modules that read verdicts, and those that answer in place of a judge."""
    RELEASED_ATTEMPTS: int
    """Times that the released code asks a judge for a readable reply."""
    METRICS: tuple[str, ...]
    """Names of the metrics' files; headline and coverage are among them."""
    METRICS_CODE: tuple[str, ...]
    METRICS_FACTS: tuple[str, ...]
    TABLES_CODE: tuple[str, ...]
    TABLES_FACTS: tuple[str, ...]
    FIGURES: tuple[str, ...]
    """Names of the figures."""

    def languages(self, config: Any) -> list[str]:
        """The languages of the data."""

    def data_settings(self, config: Any, language: str) -> dict[str, Any]:
        """Plain values that say where the data of a language comes from."""

    def data_files(self, config: Any, language: str) -> list[str]:
        """The files of a local directory that it is read from."""

    def write_data(self, settings: Mapping[str, Any], language: str, out: Path) -> None:
        """Writes the data of a language in one shape, checked."""

    def write_prompts(self, part: str, sources: Sources, out: Path) -> None:
        """Writes what is asked of the models."""

    def templates(self, config: Any) -> dict[str, str]:
        """The judge templates in use: file by name."""

    def judge_settings(self, config: Any) -> dict[str, Any]:
        """Plain values that judge prompts depend on."""

    def write_judge_prompts(
        self,
        part: str,
        prompts: Path,
        sources: Sources,
        outputs: Path,
        templates: Mapping[str, Path],
        settings: Mapping[str, Any],
        out: Path,
    ) -> None:
        """Writes what is asked of a judge about one model's answers (``judging.requests``)."""

    def readable(self, expected: Mapping[str, Any], reply: str, answer: str) -> bool:
        """Whether a judge's reply can be read as the verdict that is expected."""

    def judge_oracle(self, judging: Path) -> Oracle:
        """What judges without a model answer from."""

    def metrics_settings(self, config: Any) -> dict[str, Any]:
        """Plain values that metrics take."""

    def metrics_files(self, config: Any) -> dict[str, str]:
        """Further files that metrics are taken from, such as human labels."""

    def compute_metrics(
        self,
        scores: Mapping[tuple[str, str], Path],
        sources: Mapping[str, Sources],
        settings: Mapping[str, Any],
        files: Mapping[str, Path],
        outs: Mapping[str, Path],
    ) -> None:
        """Writes the metrics of all models, by name, from the scores of each model and part."""

    def table_names(self, config: Any) -> list[str]:
        """Stems of the tables' files, which start with the benchmark's name."""

    def tables_settings(self, config: Any) -> dict[str, Any]:
        """Plain values that tables take."""

    def build_tables(
        self,
        metrics: Mapping[str, Path],
        display: Mapping[str, Any],
        settings: Mapping[str, Any],
        out_dir: Path,
    ) -> None:
        """Writes the tables."""

    def draw_figures(
        self, metrics: Mapping[str, Path], display: Mapping[str, Any], outs: Mapping[str, Path]
    ) -> None:
        """Draws the figures, by name."""


def benchmark(name: str) -> Any:
    """The benchmark of that name: a ``Benchmark``, of ``JUDGED`` a ``JudgedBenchmark``."""
    return import_module(BENCHMARKS[name])


def judge_attempts(config: Any, name: str) -> int:
    """Times that a judge is asked for a readable reply, by the config's mode."""
    if config.judging.mode == "released":
        return benchmark(name).RELEASED_ATTEMPTS
    return config.judging.attempts


def judges_of(config: Any, name: str) -> list[str]:
    """The judges of a benchmark, the one that counts first; none where no model judges.

    Raises:
        UserError: it needs one, and the config names none.
    """
    if name not in JUDGED:
        return []
    if not config.judges:
        raise UserError(f"judges: {name} needs a judge; name one under judges in the config")
    return list(config.judges)


def sources_of(config: Any, name: str) -> list[str]:
    """The files that all the prompts of a benchmark refer to, for a rule to list as inputs."""
    chosen = benchmark(name)
    found = [path for part in chosen.parts(config) for path in paths(chosen.sources(config, part))]
    return list(dict.fromkeys(found))


def paths(sources: Mapping[str, Mapping[str, str]]) -> list[str]:
    """All the files of a part's sources, for a rule to list as inputs."""
    return [path for files in sources.values() for path in files.values()]


def as_paths(sources: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Path]]:
    """The same sources with paths instead of strings."""
    return {
        kind: {name: Path(path) for name, path in files.items()} for kind, files in sources.items()
    }
