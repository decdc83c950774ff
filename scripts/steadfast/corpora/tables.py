"""The tables among a data set's files: shards that belong together, the likeliest first."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

FORMATS = (".jsonl", ".json", ".csv", ".parquet", ".zip")
SPLITS = re.compile(r"(?<![a-z])(train|training|validation|valid|val|dev|test|eval)(?![a-z])")


def tables(names: Iterable[str], formats: Sequence[str] = FORMATS) -> list[list[str]]:
    """The data files among names, shards of a table together, the likeliest table first.

    First comes training data, then data without a named split, then others; within these, files in
    fewer folders, then by name.

    >>> tables(["test.csv", "README.md", "data/train-1-of-2.csv", "data/train-0-of-2.csv"])
    [['data/train-0-of-2.csv', 'data/train-1-of-2.csv'], ['test.csv']]
    """
    shards: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        path = PurePosixPath(name)
        hidden = any(part.startswith((".", "__")) for part in path.parts)
        if path.suffix.lower() in formats and not hidden:
            shards[str(path.parent), re.sub(r"\d+", "0", path.name)].append(name)
    groups = [sorted(group, key=_natural) for group in shards.values()]
    return sorted(groups, key=lambda group: (*_rank(group[0]), group[0]))


def _rank(name: str) -> tuple[int, int]:
    """Sorts by split, then by depth."""
    splits = SPLITS.findall(name.lower())
    split_order = 1
    if splits:  # of several the last is the file's, others are its folders'
        split_order = 0 if splits[-1].startswith("train") else 2
    return split_order, name.count("/")


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """A sort key by which shard 10 comes after 2, and 01 before 1."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdigit() else (0, part) for part in parts], name
