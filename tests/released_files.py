"""Published files and recorded cases beside the project; where they are absent, tests skip."""

import os
from pathlib import Path

import pytest

from steadfast.base.files import read_jsonl

SHARED = Path(__file__).resolve().parents[2] / "shared"


def released_folder(benchmark: str, kind: str) -> Path:
    """A benchmark's ``data`` or ``cases``; a variable such as CFBENCH_DATA names another folder."""
    variable = f"{benchmark}_{kind}".upper()
    folder = Path(os.environ.get(variable, SHARED / benchmark / kind)).resolve()
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set {variable} to where the {kind} of {benchmark} are")
    return folder


def cases(benchmark: str, name: str) -> list[dict]:
    """Cases that were recorded by running the released code; a folder without them fails."""
    path = released_folder(benchmark, "cases") / f"{name}.jsonl"
    records = list(read_jsonl(path)) if path.exists() else []
    assert records, f"{path} holds no case"
    return records
