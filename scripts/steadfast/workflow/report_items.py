"""Headings and labels of results in Snakemake's report."""

from collections.abc import Mapping

ALL = "All benchmarks"


def heading(stem: str, titles: Mapping[str, str]) -> str:
    """The title of a file's benchmark, whose name the file's name begins with."""
    return titles.get(_benchmark(stem, titles), ALL)


def label(stem: str, titles: Mapping[str, str]) -> str:
    """The label of a file: its name without the benchmark's, with spaces."""
    return stem.removeprefix(f"{_benchmark(stem, titles)}_").replace("_", " ")


def _benchmark(stem: str, titles: Mapping[str, str]) -> str:
    return max((name for name in titles if stem.startswith(f"{name}_")), key=len, default="")
