"""Where the tests find FollowBench's released data, and generated data in its place."""

import os
from pathlib import Path

import pytest

from steadfast.files import read_jsonl
from steadfast.followbench.data import write_data

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / os.environ.get("FOLLOWBENCH_CASES", "../shared/followbench/cases")
DATA = ROOT / os.environ.get("FOLLOWBENCH_DATA", "../shared/followbench/data")


def released_directory() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"no directory {DATA}: set FOLLOWBENCH_DATA to where en/ and zh/ are")
    return DATA


def data_file(folder: Path, source: str, language: str, groups: int = 4) -> Path:
    """A data file of a source, ``synthetic`` or ``local`` (the released data)."""
    settings = {"source": source, "directory": None, "groups": groups, "seed": 1}
    if source == "local":
        settings["directory"] = str(released_directory())
    out = folder / f"{source}.{language}.jsonl"
    write_data(settings, language, out)
    return out


def groups_of(path: Path) -> list[dict]:
    return list(read_jsonl(path))


def cases(name: str) -> list[dict]:
    """The recorded cases of a kind; there are some where their directory is."""
    if not CASES.is_dir():
        pytest.skip(f"no directory {CASES}: set FOLLOWBENCH_CASES to where the cases are")
    path = CASES / f"{name}.jsonl"
    found = list(read_jsonl(path)) if path.exists() else []
    assert found, f"{path} holds no case"
    return found
