"""Summary files of benchmarks from a few models' values, and what the run's summary shows."""

from pathlib import Path

import pandas as pd

from steadfast.contract.registry import benchmarks
from steadfast.show.roster import SUMMARY_TABLES
from steadfast.stages.write_summary import write_summary
from steadfast.stats.tidy import SUMMARY, write_csv

BENCHMARKS = {
    name: benchmark.summary_input(judged=name != "lifbench")
    for name, benchmark in benchmarks().items()
}
MEASURES = {name: list(benchmark["measures"]) for name, benchmark in BENCHMARKS.items()}
DISPLAY = {
    "digits": 3,
    "models": {
        "a": {"label": "Model_A", "engine": "openai"},
        "b": {"label": "b", "engine": "openai"},
        "c": {"label": "c", "engine": "vllm"},
        "sim-x": {"label": "sim-x", "group": "Simulated", "engine": "simulated"},
        "gold": {"label": "gold", "group": "Reference", "engine": "reference"},
        "baseline": {"label": "Baseline", "engine": "baseline"},
    },
}


def row(model, measure, value, n=100, expected=100, spread=0.05, **columns) -> dict:
    """A row of a summary file; a spread of None is a value without interval."""
    low = high = None
    if None not in (value, spread):
        low = value - spread
        high = value + spread
    cells = (model, measure, value, low, high, n, expected)
    return dict(zip(SUMMARY, cells, strict=True)) | columns


def abc_rows(measure, *values, **options) -> list[dict]:
    """Rows of the models a, b and c."""
    return [row(model, measure, x, **options) for model, x in zip("abc", values, strict=False)]


def summary_files(folder: Path, *rows: dict) -> dict[str, Path]:
    """The summary file of each benchmark that has a row."""
    files = {}
    for benchmark, measures in MEASURES.items():
        records = [record for record in rows if record["measure"] in measures]
        if records:
            files[benchmark] = folder / f"{benchmark}.csv"
            write_csv(files[benchmark], pd.DataFrame(records))
    return files


def build(folder: Path, *rows: dict, **options) -> dict[str, pd.DataFrame]:
    """Writes the run's summary to ``folder/out``, and returns its tables as text."""
    files = summary_files(folder, *rows)
    write_summary(files, BENCHMARKS, DISPLAY, folder / "out", **options)
    tables = {}
    for name in SUMMARY_TABLES:
        tables[name] = pd.read_csv(folder / f"out/{name}.csv", dtype=str, keep_default_na=False)
    return tables
