"""CFBench's records: read, checked and brought into one shape, wherever they come from."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from steadfast.cfbench.facts import (
    LANGUAGE,
    PRIORITIES,
    REAL_LIFE,
    SPLITS,
    read_yaml,
    secondary_names,
    types,
)
from steadfast.config.names import nearest
from steadfast.errors import UserError
from steadfast.files import Record, read_json, write_jsonl

FILE = "cfbench_data.json"
LOCAL = f"set cfbench.source to local and cfbench.directory to a directory that holds {FILE}"
TEXTS = ("prompt", "isanswer", "gold", "doamin", "scenario", "source", "split", "criteria")
KEYS = ("idx", *TEXTS)
SOURCES = (REAL_LIFE, "nlp_cif", "nlp_firefly", "nlp_others")
ANSWERED = ("是", "否", "")  # isanswer: yes, no, not told


def write_data(settings: Mapping[str, Any], language: str, out: Path) -> None:
    """Writes the records of a source, checked and in one shape, in the source's order.

    Args:
        settings: ``source`` (synthetic, local or released), ``directory`` for local, ``records``
            and ``seed`` for synthetic.
        language: zh, the only one that there is.
        out: JSON lines, see ``normalised``.

    Raises:
        UserError: the data is missing, damaged or not the released one.
    """
    if language != LANGUAGE:
        raise UserError(f"cfbench: there is no data in {language!r}; its language is {LANGUAGE}")
    source = settings["source"]
    if source == "local":
        path = Path(settings["directory"]) / FILE
        records = checked(read_json(path), str(path))
    elif source == "released":
        records = _released()
    else:
        from steadfast.cfbench.synthetic import records as synthetic

        made = synthetic(settings["records"], settings["seed"])
        records = checked(made, "synthetic records")
    write_jsonl(out, map(normalised, records))


def _released() -> list[Record]:
    from steadfast.pinned import fetch

    facts = read_yaml("released.yaml")
    records = checked(json.loads(fetch(facts, LOCAL)), facts["url"])
    check_counts(records, facts["counts"], facts["url"])
    return records


def checked(records: Any, where: str) -> list[Record]:
    """Records in the released shape, each checked; ``domain`` may stand for ``doamin``.

    Args:
        records: what the file holds.
        where: its name, for the error's sentence.

    Raises:
        UserError: a key is missing or unknown, or a value is none that CFBench has; the sentence
            names the record and the value.
    """
    if not isinstance(records, list) or not records:
        raise UserError(f"{where}: a list of records was expected; take {FILE} as released")
    seen: set[int] = set()
    found = []
    for place, record in enumerate(records):
        if not isinstance(record, dict):
            raise UserError(f"{where}: record {place} is no object; mend or remove it")
        if "domain" in record and "doamin" not in record:
            record = {"doamin": record["domain"], **record}
            del record["domain"]
        name = f"{where}: record {place} (idx {record.get('idx')!r})"
        _check_record(record, name)
        if record["idx"] in seen:
            raise UserError(f"{name}: that idx is there twice; number the records anew")
        seen.add(record["idx"])
        found.append(record)
    return found


@cache
def empty_prompts() -> list[int]:
    """The idx of the released records that have no instruction."""
    return read_yaml("released.yaml")["empty_prompts"]


def _check_record(record: Record, name: str) -> None:
    for key in KEYS:
        if key not in record:
            raise UserError(f"{name} lacks {key!r}; add it, as the released records have it")
    for key in record:
        if key not in KEYS:
            raise UserError(f"{name}: unknown key {key!r}; {nearest(key, KEYS)}")
    if not isinstance(record["idx"], int) or isinstance(record["idx"], bool) or record["idx"] < 0:
        raise UserError(f"{name}: idx must be a whole number from 0; number the records")
    for key in TEXTS[:-1]:
        if not isinstance(record[key], str):
            raise UserError(f"{name}: {key} must be a text; mend it")
    if not record["prompt"].strip() and record["idx"] not in empty_prompts():
        raise UserError(f"{name}: the prompt is empty; remove the record or add it")
    for key, known in (("split", SPLITS), ("source", SOURCES), ("isanswer", ANSWERED)):
        if record[key] not in known:
            raise UserError(f"{name}: {key} {record[key]!r} is not one of {', '.join(known)}")
    if not isinstance(record["criteria"], list) or not record["criteria"]:
        raise UserError(f"{name}: criteria must be a list of checkpoints, at least one; add it")
    for number, checkpoint in enumerate(record["criteria"], start=1):
        _check_checkpoint(checkpoint, f"{name}: checkpoint {number}")


def _check_checkpoint(checkpoint: Any, name: str) -> None:
    four = isinstance(checkpoint, list) and len(checkpoint) == 4
    if not four or not all(isinstance(part, str) for part in checkpoint):
        raise UserError(f"{name} must be four texts: checkpoint, priority, type, secondary type")
    text, priority, primary, secondary = checkpoint
    if not text.strip() or "\t" in text or "\n\n" in text:
        raise UserError(
            f"{name}: its text is empty or holds a tab or a blank line, which part the lines of a "
            "verdict; write it without"
        )
    for kind, value, known in (
        ("priority", priority, PRIORITIES),
        ("type", primary, ["", *types()]),
        ("secondary type", secondary, ["", *secondary_names()]),
    ):
        if value not in known:
            raise UserError(f"{name}: unknown {kind} {value!r}; {nearest(value, known)}")


def counts(records: Iterable[Record]) -> dict[str, Any]:
    """What is in records of the released shape, as ``resources/cfbench/released.yaml`` has it."""
    records = list(records)
    checkpoints = [checkpoint for record in records for checkpoint in record["criteria"]]
    return {
        "records": len(records),
        "split": dict(Counter(record["split"] for record in records)),
        "source": dict(Counter(record["source"] for record in records)),
        "reference answer": sum(bool(record["gold"]) for record in records),
        "checkpoints": len(checkpoints),
        "priority": dict(Counter(checkpoint[1] for checkpoint in checkpoints)),
        "primary type": dict(Counter(checkpoint[2] for checkpoint in checkpoints)),
    }


def check_counts(records: Iterable[Record], expected: Mapping[str, Any], where: str) -> None:
    """Compares what is in records with what must be.

    Raises:
        UserError: a number differs; the sentence names the first, and both numbers.
    """
    found = counts(records)
    for name, want in expected.items():
        pairs = [(name, found[name], want)]
        if isinstance(want, Mapping):
            keys = dict.fromkeys([*want, *found[name]])
            pairs = [(f"{name} {key!r}", found[name].get(key, 0), want.get(key, 0)) for key in keys]
        for what, has, should in pairs:
            if has != should:
                raise UserError(
                    f"{where}: {what}: {has} were counted, not {should}; fetch the released file "
                    "again, or use cfbench.source local for data of your own"
                )


def normalised(record: Record) -> Record:
    """A record of the released shape as the stages pass it on.

    Returns:
        sample_id; idx, prompt, gold, scenario, source and split as they are; domain and task, one
        of which is null; checkpoints with text, priority, type and subtype.
    """
    real_life = record["source"] == REAL_LIFE
    return {
        "sample_id": sample_id(record["idx"]),
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


def sample_id(idx: int) -> str:
    """The name of a record's sample, which label files use."""
    return f"{LANGUAGE}/{idx:04d}"
