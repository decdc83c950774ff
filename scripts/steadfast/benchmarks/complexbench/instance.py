"""What an instance is: every field with its meaning, checked where scores and tables rest on it.

What the benchmark's authors published is taken as it is: there unknown labels are no error.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.base.names import nearest
from steadfast.benchmarks.complexbench.facts import dimensions, taxonomy
from steadfast.config.complaint import checked_records
from steadfast.schema.strict import StrictModel

TEXT = Field(min_length=1)
# Context of the validation of what the authors published.
PUBLISHED = "published"


def _dimensions(names: list[str], info: ValidationInfo) -> list[str]:
    return _known("dimension", names, list(dimensions()), info)


def _composition_types(names: list[str], info: ValidationInfo) -> list[str]:
    return _known("composition type", names, taxonomy()["composition_types"], info)


def _known(what: str, names: list[str], allowed: Iterable[str], info: ValidationInfo) -> list[str]:
    for name in names if info.context != PUBLISHED else ():
        if name not in allowed:
            raise ValueError(f"unknown {what} {name[:60]!r}; {nearest(name[:60], list(allowed))}")
    return names


Dimensions = Annotated[list[str], AfterValidator(_dimensions)]
CompositionTypes = Annotated[list[str], AfterValidator(_composition_types)]


class ScoringQuestion(StrictModel):
    """A scoring question: one thing that an answer is asked to satisfy, answered by yes or no."""

    point_id: int  # position in the instance, from 0
    question: str = TEXT  # in Chinese
    question_en: str | None = None  # its translation; needed where language en is asked for
    rule: str | None  # decides the question once its object is extracted; null where a judge has to
    constraint_dimensions: Dimensions  # which of the 19 it verifies
    # Chain where it tells that a task which others build on is done, Selection where it tells that
    # the right branch is taken
    composition_types: CompositionTypes
    # positions of the questions that must hold for it to count; all of them, direct or not
    dep: list[int]


class SubInstruction(StrictModel):
    """One turn of the decomposed instruction (supplement, 5.5)."""

    instruction: str = TEXT  # what is asked in this turn, with no composition but And
    instruction_en: str | None = None  # its translation
    # the questions that this turn's answer is judged by: a run of the instance's, as their texts
    # (wording may differ a little) or their positions
    scoring_questions: list[str] | list[int]


class InstanceRecord(StrictModel):
    """A complex instruction and what is known of it."""

    main_id: int = Field(ge=0)  # number in the data set
    group: str | None = None  # instructions that differ in a selection's condition alone share it
    idx_in_group: int | None = Field(default=None, ge=1)  # number in the group, from 1
    instruction: str = TEXT  # in Chinese
    instruction_en: str | None = None  # its translation; needed where language en is asked for
    task_types: str  # one of the ten task types
    constraint_dimensions: Dimensions  # all that the scoring questions verify
    composition_types: CompositionTypes  # how the constraints are composed: And, Chain, Selection
    # And, Chain_k, Selection_k or Selection_and_Chain_k with k layers of nesting; a list of one
    # such name is taken for the name
    category: str
    scoring_questions: list[ScoringQuestion] = Field(min_length=1)
    # sub_instruction_0, sub_instruction_1 … for the decomposed run
    sub_instructions: dict[str, SubInstruction] | None = None

    @field_validator("category", mode="before")
    @classmethod
    def _one_category(cls, category: object) -> object:
        return category[0] if isinstance(category, list) and len(category) == 1 else category

    @field_validator("category")
    @classmethod
    def _known_category(cls, category: str, info: ValidationInfo) -> str:
        if info.context == PUBLISHED:
            return category
        categories = taxonomy()["categories"]
        name, _, depth = category.rpartition("_")
        name = name if depth.isdigit() else category
        if name not in categories or depth.isdigit() != bool(categories[name]["depths"]):
            forms = ", ".join(f"{n}_2" if facts["depths"] else n for n, facts in categories.items())
            raise ValueError(f"unknown category {category[:60]!r}; write one like {forms}")
        return category

    @field_validator("task_types")
    @classmethod
    def _known_task_type(cls, name: str, info: ValidationInfo) -> str:
        return _known("task type", [name], taxonomy()["task_types"], info)[0]

    @model_validator(mode="after")
    def _dependencies_exist(self) -> Self:
        last = len(self.scoring_questions) - 1
        for number, question in enumerate(self.scoring_questions):
            for point in question.dep:
                if not 0 <= point <= last:
                    raise ValueError(
                        f"question {number} depends on question {point}; name others of 0 to "
                        f"{last}, or none"
                    )
        return self


def read_instances(path: Path | str) -> list[object]:
    """Returns the instances of a JSON file: an array, or a single object."""
    value = read_json(path)
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list) or not value:
        raise UserError(f"{path}: no instances; write a JSON array of them, or a single object")
    return value


def checked(
    raw: Sequence[object], where: Path | str, published: bool = False
) -> list[InstanceRecord]:
    """Returns the instances of a file; raises a ``UserError`` for the first fault."""
    context = PUBLISHED if published else None
    return checked_records(InstanceRecord, raw, where, "docs/complexbench.md", ["main_id"], context)
