"""What models' answers to several parts were found to satisfy, and their instances."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.benchmarks.complexbench.aggregation import Instance, Verdicts, dependent
from steadfast.benchmarks.complexbench.parts import language_and_split
from steadfast.benchmarks.complexbench.records import ScoreRecord
from steadfast.contract.components import Data, Scored
from steadfast.stats.asked import models_asked, prompts_of


class AskedPart(NamedTuple):
    """One part's language, how its instructions are asked, and the instances that it asks about."""

    language: str
    split: str
    instances: Mapping[int, Instance]  # by main_id, in the data's order


class ScoredAnswers:
    """What models' answers to all parts were found to satisfy.

    Attributes:
        parts: by name.
        records: score records by model and part.
        asked: of each model, as ``stats.asked.models_asked`` gives it.
        models: all of them, by name.
        verdicts: of each model and part, by draw and instance: those on its questions, once
            dependencies count.
    """

    def __init__(self, scores: Iterable[Scored[ScoreRecord]], data: Mapping[str, Data]):
        self.parts: dict[str, AskedPart] = {}
        self.records: dict[tuple[str, str], list[ScoreRecord]] = defaultdict(list)
        known: dict[str, dict[int, Instance]] = {}
        for model, part, record in scores:
            if part not in known:
                language, _ = language_and_split(part)
                known[part] = {one["main_id"]: one for one in data[part]["data"][language]}
            instance = known[part].get(record["instance"])
            if instance is None or not _places(instance).issuperset(record["raw"] or ()):
                raise UserError(
                    f"scores: sample {record['sample_id']} of model {model!r}, part {part!r}, is "
                    "of a question that the data has not; score it again"
                )
            self.records[model, part].append(record)
        for part, instances in known.items():
            asked = {record["instance"] for record in self.of_part(part)}
            own = {number: one for number, one in instances.items() if number in asked}
            self.parts[part] = AskedPart(*language_and_split(part), own)
        answers = [
            (model, prompts_of(record), record["draw"])
            for (model, _), records in self.records.items()
            for record in records
        ]
        columns = ["model", "prompts", "draw"]
        self.asked = models_asked(pd.DataFrame(answers, columns=columns).drop_duplicates())
        self.models = list(self.asked["model"])
        self.verdicts = {(model, part): self._verdicts(model, part) for model, part in self.records}

    def of_part(self, part: str) -> Iterator[ScoreRecord]:
        """The score records of a part, of all models."""
        return chain(*(its for (_, name), its in self.records.items() if name == part))

    def _verdicts(self, model: str, part: str) -> dict[int, dict[int, Verdicts]]:
        instances, records = self.parts[part].instances, self.records[model, part]
        raw = {
            draw: {number: [None] * len(_places(one)) for number, one in instances.items()}
            for draw in sorted({record["draw"] for record in records})
        }
        for record in records:
            for point, verdict in (record["raw"] or {}).items():
                raw[record["draw"]][record["instance"]][int(point)] = verdict
        return {
            draw: {number: dependent(its[number], instances[number]) for number in its}
            for draw, its in raw.items()
        }


def _places(instance: Instance) -> set[str]:
    return set(map(str, range(len(instance["scoring_questions"]))))
