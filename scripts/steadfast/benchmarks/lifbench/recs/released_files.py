"""The released rewrites and clusters, from a directory or fetched by the ids of their content."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.base.pinned import fetch
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.released_files import released_name

FLAG = "check_flag(1 checked, 2canbeused)"
DECISIONS = ("unread", "reject", "accept", "edit")
"""What people made of a text, by its number in the released files."""
SUFFIX = {"rewrites": "rewrite", "clusters": "cluster"}


@dataclass(frozen=True)
class Rewrites:
    """The rewrites of one task's template."""

    original: str  # hand-written
    texts: dict[str, list[str]]  # of each rewriter, in the order of the pool


@dataclass(frozen=True)
class Clustered:
    """A text of a released cluster."""

    text: str  # as it stands there, after people's edit
    cluster: int  # its number
    distance: float  # to the centre, before the edit
    rank: int  # 1 for the nearest to the centre
    decision: str  # one of DECISIONS


def rewrites(task: str, directory: str | None) -> Rewrites:
    """Returns the rewrites that were clustered."""
    place, record = _read("rewrites", task, directory)
    try:
        names = facts("lifbench/recs/released.yaml")["rewriters"]
        texts = {name: [_text(text) for text in record[name]["parse_result"]] for name in names}
        return Rewrites(_text(record["ori"]), texts)
    except (KeyError, TypeError):
        raise _misshapen(place) from None


def clustered(task: str, directory: str | None) -> list[Clustered]:
    """Returns the texts of the clusters, from the centre of each outwards."""
    place, record = _read("clusters", task, directory)
    try:
        return [
            Clustered(
                _text(entry["text"]),
                int(number),
                float(entry["distance"]),
                rank,
                DECISIONS[entry[FLAG]],
            )
            for number in sorted(name for name in record if name != "ori_prompt")
            for rank, entry in enumerate(record[number], start=1)
        ]
    except (KeyError, TypeError, ValueError, IndexError):
        raise _misshapen(place) from None


def _read(kind: str, task: str, directory: str | None) -> tuple[str, Any]:
    name = f"{released_name(task)}_{SUFFIX[kind]}.json"
    if directory is not None:
        path = Path(directory) / kind / name
        return str(path), read_json(path)
    known = facts("lifbench/recs/released.yaml")
    blob = known[kind][task]
    source = {
        "url": known["repository"] + blob,
        "git_blob": blob,
        "headers": {"Accept": "application/vnd.github.raw+json"},
    }
    local = f"set lifbench.released.directory in the config to a directory that holds {kind}/{name}"
    return source["url"], json.loads(fetch(source, local))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _misshapen(place: str) -> UserError:
    return UserError(
        f"{place}: not a file of LIFBench's released rewrites or clusters; fetch the release again"
    )
