"""CFBench's records: read, checked and brought into one shape, wherever they come from."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_json
from steadfast.base.names import nearest
from steadfast.base.pinned import fetch
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.cfbench.facts import FILE, LANGUAGE, PRIORITIES, REAL_LIFE, SPLITS


class PrimaryType(NamedTuple):
    """One of the ten primary constraint types (paper, Table 1)."""

    number: str  # the paper's, from C1 to C10
    name: str  # the paper's
    secondary: Mapping[str, str]  # name of each secondary type by the data's label


TYPES = {label: PrimaryType(**of) for label, of in facts("cfbench/types.yaml").items()}
"""By the data's label, in the paper's order."""
PRIMARY_OF = {label: primary for primary, of in TYPES.items() for label in of.secondary}
"""Label of the primary type by each secondary one's, in the paper's order."""


TEXTS = ("prompt", "isanswer", "gold", "doamin", "scenario", "source", "split", "criteria")
KEYS = ("idx", *TEXTS)
SOURCES = (REAL_LIFE, "nlp_cif", "nlp_firefly", "nlp_others")
ANSWERED = ("是", "否", "")  # isanswer: yes, no, not given
_EMPTY_PROMPTS = facts("cfbench/released.yaml")["empty_prompts"]


def sample(inputs: Mapping[str, Path]) -> Iterator[Record]:
    """Returns the project's own records, of every type and label, in one shape."""
    return map(normalised, read_json(resource("cfbench/sample.json")))


def local(inputs: Mapping[str, Path], directory: str) -> Iterator[Record]:
    """Returns the records of a directory's file, checked and in one shape, in its order."""
    path = Path(directory) / FILE
    return map(normalised, checked(read_json(path), str(path)))


def released(inputs: Mapping[str, Path]) -> Iterator[Record]:
    """The records as published, fetched at the pinned revision, in one shape and in their order."""
    pinned = facts("cfbench/released.yaml")
    alternative = f"set cfbench.source to local and cfbench.directory to a directory with {FILE}"
    return map(normalised, checked(json.loads(fetch(pinned, alternative)), pinned["url"]))


def checked(records: object, where: str) -> list[Record]:
    """Returns records in the released shape, each checked; ``domain`` may stand for ``doamin``."""
    if not isinstance(records, list) or not records:
        raise UserError(f"{where}: a list of records was expected; take {FILE} as released")
    found: dict[int, Record] = {}
    for place, record in enumerate(records):
        if not isinstance(record, dict):
            raise UserError(f"{where}: record {place} is no object; mend or remove it")
        if "domain" in record and "doamin" not in record:
            record = {"doamin" if key == "domain" else key: record[key] for key in record}
        name = f"{where}: record {place} (idx {record.get('idx')!r})"
        _check_record(record, name)
        if record["idx"] in found:
            raise UserError(f"{name}: that idx is there twice; number the records anew")
        found[record["idx"]] = record
    return list(found.values())


def _check_record(record: Record, name: str) -> None:
    for key in KEYS:
        if key not in record:
            raise UserError(f"{name} lacks {key!r}; add it, as the released records have it")
    for key in record:
        if key not in KEYS:
            raise UserError(f"{name}: unknown key {key!r}; {nearest(key, KEYS)}")
    if type(record["idx"]) is not int or record["idx"] < 0:
        raise UserError(f"{name}: idx must be a whole number from 0; number the records")
    for key in TEXTS[:-1]:
        if not isinstance(record[key], str):
            raise UserError(f"{name}: {key} must be a text; mend it")
    if not record["prompt"].strip() and record["idx"] not in _EMPTY_PROMPTS:
        raise UserError(f"{name}: the prompt is empty; remove the record or add it")
    for key, known in (("split", SPLITS), ("source", SOURCES), ("isanswer", ANSWERED)):
        if record[key] not in known:
            raise UserError(f"{name}: {key} {record[key]!r} is not one of {', '.join(known)}")
    if not isinstance(record["criteria"], list) or not record["criteria"]:
        raise UserError(f"{name}: criteria must be a list of checkpoints, at least one; add it")
    for number, checkpoint in enumerate(record["criteria"], start=1):
        _check_checkpoint(checkpoint, f"{name}: checkpoint {number}")


def _check_checkpoint(checkpoint: object, name: str) -> None:
    parts = checkpoint if isinstance(checkpoint, list) else []
    if len(parts) != 4 or not all(isinstance(part, str) for part in parts):
        raise UserError(f"{name} must be four texts: checkpoint, priority, type, secondary type")
    text, priority, primary, secondary = parts
    if not text.strip() or "\t" in text or "\n\n" in text:
        raise UserError(
            f"{name}: its text is empty or holds a tab or a blank line, which part the lines of a "
            "verdict; write it without"
        )
    for kind, value, known in (
        ("priority", priority, PRIORITIES),
        ("type", primary, ["", *TYPES]),
        ("secondary type", secondary, ["", *PRIMARY_OF]),
    ):
        if value not in known:
            raise UserError(f"{name}: unknown {kind} {value!r}; {nearest(value, known)}")


def normalised(record: Record) -> Record:
    """Returns a record of the released shape as the stages pass it on.

    It has sample_id, which label files use; idx, prompt, gold, scenario, source and split as they
    are; domain and task, one of which is null; checkpoints with text, priority, type and subtype.
    """
    real_life = record["source"] == REAL_LIFE
    return {
        "sample_id": f"{LANGUAGE}/{record['idx']:04d}",
        "idx": record["idx"],
        "split": record["split"],
        "source": record["source"],
        "domain": record["doamin"] if real_life else None,
        "task": None if real_life else record["doamin"],
        "scenario": record["scenario"],
        "prompt": record["prompt"],
        "gold": record["gold"],
        "checkpoints": [
            dict(zip(("text", "priority", "type", "subtype"), checkpoint, strict=True))
            for checkpoint in record["criteria"]
        ],
    }
