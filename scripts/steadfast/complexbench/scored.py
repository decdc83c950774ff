"""Score files of several models and parts, and the instances that they are about."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from steadfast.complexbench.aggregation import Instance, Verdicts, dependent
from steadfast.engines.request import STATUSES
from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl
from steadfast.registry import Sources

INVALID = "invalid"
WHOLE, DECOMPOSED = "whole", "decomposed"
DIFFERENCE = "difference"  # of the second from the first
REQUIRED = ("sample_id", "instance", "status", "truncated", "raw", "extracted", "judge", "also")


@dataclass(frozen=True)
class Part:
    """One part's language and split: the whole instructions, or their turns.

    Attributes:
        instances: in the data's order, by main_id; those that the part asks about.
    """

    language: str
    split: str
    instances: Mapping[int, Instance]


@dataclass(frozen=True)
class Scored:
    """What models' answers to all parts were found to satisfy.

    Attributes:
        parts: by name.
        records: score records by model and part.
    """

    parts: Mapping[str, Part]
    records: Mapping[tuple[str, str], tuple[Record, ...]]

    @property
    def models(self) -> list[str]:
        """All models, by name."""
        return sorted({model for model, _ in self.records})

    def verdicts(self, model: str, part: str) -> dict[int, Verdicts]:
        """A model's verdicts on each instance's questions, once dependencies count."""
        instances = self.parts[part].instances
        raw = {number: [None] * _size(instance) for number, instance in instances.items()}
        for record in self.records[model, part]:
            for point, verdict in (record["raw"] or {}).items():
                raw[record["instance"]][int(point)] = verdict
        return {number: dependent(raw[number], instances[number]) for number in raw}


def part_names(part: str) -> tuple[str, str]:
    """The language and split of a part, such as zh or zh-decomposed."""
    language, parted, _ = part.partition("-")
    return language, DECOMPOSED if parted else WHOLE


def _size(instance: Instance) -> int:
    return len(instance["scoring_questions"])


def read_scored(scores: Mapping[tuple[str, str], Path], sources: Mapping[str, Sources]) -> Scored:
    """The score files of several models and parts.

    Args:
        scores: file of each model and part.
        sources: of each part, the data by language.

    Raises:
        UserError: a file is missing or damaged, a record lacks a field, has an unknown status, is
            there twice, or is of an instance or question that the data has not.
    """
    read: dict[Path, dict[int, Instance]] = {}
    records = {}
    asked: dict[str, set[int]] = defaultdict(set)
    for (model, part), path in scores.items():
        data = sources[part]["data"][part_names(part)[0]]
        if data not in read:
            read[data] = {instance["main_id"]: instance for instance in read_jsonl(data)}
        records[model, part] = tuple(_checked(path, read[data]))
        asked[part] |= {record["instance"] for record in records[model, part]}
    parts = {}
    for part, numbers in asked.items():
        language, split = part_names(part)
        instances = read[sources[part]["data"][language]]
        there = {number: one for number, one in instances.items() if number in numbers}
        parts[part] = Part(language, split, there)
    return Scored(parts, records)


def _checked(path: Path, instances: Mapping[int, Instance]) -> list[Record]:
    seen, found = set(), []
    for number, record in enumerate(read_jsonl(path), start=1):
        where = f"{path}: record {number}"
        for name in REQUIRED:
            if name not in record:
                raise UserError(f"{where} lacks {name!r}; score this file again")
        if record["status"] not in (*STATUSES, INVALID):
            raise UserError(
                f"{where} has the unknown status {record['status']!r}; known are "
                f"{', '.join((*STATUSES, INVALID))}: score this file again"
            )
        if record["sample_id"] in seen:
            raise UserError(f"{where} is the second of its sample; score this file again")
        seen.add(record["sample_id"])
        instance = instances.get(record["instance"])
        points = {} if instance is None else {str(place) for place in range(_size(instance))}
        if instance is None or not set(record["raw"] or ()) <= set(points):
            raise UserError(
                f"{where} is of a question that the data has not; score this file again"
            )
        found.append(record)
    return found
