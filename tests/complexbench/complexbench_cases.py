"""Cases that were made by running ComplexBench's released code."""

import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = Path(os.environ.get("COMPLEXBENCH_CASES", ROOT.parent / "shared/complexbench/cases"))


def cases(name: str) -> list[dict]:
    """The cases in one file.

    An absent directory skips the test; one without cases fails it.
    """
    if not CASES.is_dir():
        pytest.skip(f"{CASES} is absent; COMPLEXBENCH_CASES names the directory of cases")
    path = CASES / name
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    assert lines, f"{path} holds no case"
    return [json.loads(line) for line in lines]
