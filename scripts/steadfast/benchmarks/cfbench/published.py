"""CFBench's records as published, at their pinned revision."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.pinned import fetch
from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench.data import checked, normalised
from steadfast.benchmarks.cfbench.facts import FILE

LOCAL = f"set cfbench.source to local and cfbench.directory to a directory that holds {FILE}"


def data(inputs: Mapping[str, Path]) -> Iterator[Record]:
    """The records as published, fetched at the pinned revision, in one shape and in their order."""
    pinned = facts("cfbench/released.yaml")
    records = checked(json.loads(fetch(pinned, LOCAL)), pinned["url"])
    check_counts(records, pinned["counts"], pinned["url"])
    return map(normalised, records)


def counts(records: Sequence[Record]) -> Counter[str]:
    """What is in records of the released shape: how many there are, and how many of each value."""
    found = Counter({"records": len(records)})
    for record in records:
        found.update(f"{name} {record[name]!r}" for name in ("split", "source"))
        found["reference answer"] += bool(record["gold"])
        found["checkpoints"] += len(record["criteria"])
        for _, priority, primary, _ in record["criteria"]:
            found.update([f"priority {priority!r}", f"primary type {primary!r}"])
    return found


def check_counts(records: Sequence[Record], expected: Mapping[str, int], where: str) -> None:
    """Compares what ``counts`` gives with what must be."""
    found = counts(records)
    for what in {**expected, **found}:
        if found[what] != expected.get(what, 0):
            raise UserError(
                f"{where}: {what}: {found[what]} were counted, not {expected.get(what, 0)}; fetch "
                "the released file again, or use cfbench.source local for data of your own"
            )
