"""Where CFBench's cases and data lie beside the project, and skipping where they do not."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / os.environ.get("CFBENCH_CASES", "../shared/cfbench/cases")
DATA = ROOT / os.environ.get("CFBENCH_DATA", "../shared/cfbench/data")


def cases(name: str) -> Path:
    """A file of cases; skips where the directory is absent."""
    if not CASES.is_dir():
        pytest.skip(f"no directory {CASES}: set CFBENCH_CASES to where the cases are")
    return CASES / name


def data() -> Path:
    """The directory of the released data; skips where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"no directory {DATA}: set CFBENCH_DATA to where cfbench_data.json is")
    return DATA
