"""CFBench's records, checked and in one shape wherever they come from, and their prompts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import AfterValidator, AliasChoices, Field, model_validator

from steadfast.base.files import Record, read_json
from steadfast.base.names import suggestion
from steadfast.base.pinned import fetch
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.cfbench.facts import FILE, LANGUAGE, PRIORITIES, REAL_LIFE
from steadfast.config.validation_errors import checked_records
from steadfast.contract.components import Data
from steadfast.schema.strict import StrictModel


class PrimaryType(NamedTuple):
    """One of the ten primary constraint types (paper, Table 1)."""

    number: str  # the paper's, from C1 to C10
    name: str  # the paper's
    secondary: Mapping[str, str]  # name of each secondary type by the data's label


# By the data's label, in the paper's order.
TYPES = {label: PrimaryType(**fields) for label, fields in facts("cfbench/types.yaml").items()}
# Label of the primary type by each secondary one's, in the paper's order.
PRIMARY_OF: dict[str, str] = {}
for _primary, _primary_type in TYPES.items():
    PRIMARY_OF |= dict.fromkeys(_primary_type.secondary, _primary)

_EMPTY_PROMPTS = facts("cfbench/released.yaml")["empty_prompts"]


def _check_label(kind: str, label: str, labels: Sequence[str]) -> None:
    if label not in labels:
        shown = label[:60]
        raise ValueError(f"unknown {kind} {shown!r}; {suggestion(shown, labels)}")


def _checkpoint(parts: list[str]) -> list[str]:
    """A checkpoint of the released shape: its text, priority, type and secondary type."""
    if len(parts) != 4:
        raise ValueError(
            "a checkpoint is four strings: its text, priority, type, secondary type; correct it"
        )
    text, priority, primary, secondary = parts
    if not text.strip() or "\t" in text or "\n\n" in text:
        raise ValueError(
            "the checkpoint's text is empty or has a tab or a blank line, which separate verdicts; "
            "remove them"
        )
    _check_label("priority", priority, PRIORITIES)
    _check_label("type", primary, ["", *TYPES])
    _check_label("secondary type", secondary, ["", *PRIMARY_OF])
    return parts


class CfbenchRecord(StrictModel):
    """A record of the released shape."""

    idx: int = Field(ge=0)  # number in the data set
    prompt: str  # the instruction
    isanswer: Literal["是", "否", ""]  # whether there is a reference answer: yes, no, not given
    gold: str  # the reference answer, or empty
    # of real life the domain, else the NLP task; the released records misspell the key
    domain: str = Field(validation_alias=AliasChoices("doamin", "domain"))
    scenario: str
    source: Literal["tob", "nlp_cif", "nlp_firefly", "nlp_others"]
    split: Literal["easy", "hard"]
    criteria: list[Annotated[list[str], AfterValidator(_checkpoint)]] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_prompt(self) -> Self:
        if not self.prompt.strip() and self.idx not in _EMPTY_PROMPTS:
            raise ValueError("the prompt is empty; remove the record or add it")
        return self


def sample(inputs: Mapping[str, Path]) -> Iterator[Record]:
    """Returns the project's own records, of every type and label, in one shape."""
    return map(normalised, checked(read_json(resource("cfbench/sample.json")), "the sample"))


def local(inputs: Mapping[str, Path], directory: str) -> Iterator[Record]:
    """Returns the records of a directory's file, checked and in one shape, in its order."""
    path = Path(directory) / FILE
    return map(normalised, checked(read_json(path), str(path)))


def released(inputs: Mapping[str, Path]) -> Iterator[Record]:
    """The records as published, fetched at the pinned revision, in one shape and in their order."""
    pinned = facts("cfbench/released.yaml")
    alternative = f"set cfbench.source to local and cfbench.directory to a directory with {FILE}"
    return map(normalised, checked(json.loads(fetch(pinned, alternative)), pinned["url"]))


def checked(records: object, where: str) -> list[CfbenchRecord]:
    """Returns the records of a file; raises a ``UserError`` for the first fault."""
    return checked_records(CfbenchRecord, records, where, "docs/cfbench.md", ["idx"])


def normalised(record: CfbenchRecord) -> Record:
    """Returns a record of the released shape as the stages pass it on.

    It has sample_id, which label files use; domain and task, one of which is null; checkpoints with
    text, priority, type and subtype; the other fields are unchanged.
    """
    real_life = record.source == REAL_LIFE
    fields = ("text", "priority", "type", "subtype")
    return {
        "sample_id": f"{LANGUAGE}/{record.idx:04d}",
        "idx": record.idx,
        "split": record.split,
        "source": record.source,
        "domain": record.domain if real_life else None,
        "task": None if real_life else record.domain,
        "scenario": record.scenario,
        "prompt": record.prompt,
        "gold": record.gold,
        "checkpoints": [dict(zip(fields, point, strict=True)) for point in record.criteria],
    }


MAX_TOKENS = 2048  # of an answer (paper, "Evaluation Settings")


def prompts(part: str, data: Data) -> Iterator[Record]:
    """Yields a prompt for each record: its instruction alone (paper, "Evaluation Settings")."""
    for record in data["data"][part]:
        yield {
            "sample_id": record["sample_id"],
            "task": record["source"],
            "context_id": record["sample_id"],  # each instruction stands alone
            "split": record["split"],
            "instruction": record["prompt"],
            "max_tokens": MAX_TOKENS,
        }
