"""The published instances, fetched or out of a directory, which may hold others too."""

import json
from collections.abc import Mapping
from pathlib import Path

from steadfast.base.files import Record
from steadfast.base.pinned import fetch, git_blob
from steadfast.base.resources import facts
from steadfast.benchmarks.complexbench.data import records
from steadfast.benchmarks.complexbench.schema import read_instances

ALTERNATIVE = (
    "set complexbench.source to local and complexbench.directory to a directory that holds "
    "data_final.json"
)


def released(inputs: Mapping[str, Path], language: str, extra: str | None) -> list[Record]:
    """The instances as published, fetched at the pinned revision; see ``data.records``.

    Raises:
        UserError: the network failed, or what came is not the pinned file.
    """
    pinned = facts("complexbench/released.yaml")
    raw = json.loads(fetch(pinned, ALTERNATIVE))
    return records(raw, pinned["url"], "released", language, extra, published=True)


def local(inputs: Mapping[str, Path], language: str, extra: str | None, file: str) -> list[Record]:
    """The instances of a file, which may be the published one; see ``data.records``."""
    raw = read_instances(file)
    blob = git_blob(Path(file).read_bytes())
    published = blob == facts("complexbench/released.yaml")["git_blob"]
    return records(raw, file, "local", language, extra, published)
