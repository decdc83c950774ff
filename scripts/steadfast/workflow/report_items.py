"""How results stand in Snakemake's own report: under which heading, by which name."""

from collections.abc import Mapping

ALL = "All benchmarks"


def heading(stem: str, titles: Mapping[str, str]) -> str:
    """The title of the benchmark that a file is of, by the beginning of its name."""
    return titles.get(_benchmark(stem, titles), ALL)


def label(stem: str, titles: Mapping[str, str]) -> str:
    """What a file is called there: its name without the benchmark's, in words."""
    return stem.removeprefix(f"{_benchmark(stem, titles)}_").replace("_", " ")


def _benchmark(stem: str, titles: Mapping[str, str]) -> str:
    return max((name for name in titles if stem.startswith(f"{name}_")), key=len, default="")
