"""What an instance is: every field with its meaning, and what may be found wrong with one."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator

from steadfast.schema.strict import StrictModel

TEXT = Field(min_length=1)
Severity = Literal["error", "warning"]


class ScoringQuestion(StrictModel):
    """A scoring question: one thing that an answer is asked to satisfy, answered by yes or no."""

    point_id: int  # position in the instance, from 0
    question: str = TEXT  # in Chinese
    question_en: str | None = None  # its translation; needed where language en is asked for
    rule: str | None  # decides the question once its object is extracted; null where a judge has to
    constraint_dimensions: list[str]  # which of the 19 dimensions it verifies
    # Chain where it tells that a task which others build on is done, Selection where it tells that
    # the right branch is taken
    composition_types: list[str]
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

    main_id: int = Field(ge=0)  # number in the data set; its position there
    group: str | None = None  # instructions that differ in a selection's condition alone share it
    idx_in_group: int | None = Field(default=None, ge=1)  # number in the group, from 1
    instruction: str = TEXT  # in Chinese
    instruction_en: str | None = None  # its translation; needed where language en is asked for
    task_types: str  # one of the ten task types
    constraint_dimensions: list[str]  # all that the scoring questions verify
    composition_types: list[str]  # how the constraints are composed: And, Chain, Selection
    # And, Chain_k, Selection_k or Selection_and_Chain_k with k layers of nesting; a list of one
    # such name is taken for the name
    category: str
    scoring_questions: list[ScoringQuestion] = Field(min_length=1)  # see ``ScoringQuestion``
    # of its selection, as many as values of the condition lead to different ones; ours, so that a
    # group can be known to lack one
    branches: int | None = Field(default=None, ge=2, le=100)
    # sub_instruction_0, sub_instruction_1 … for the decomposed run
    sub_instructions: dict[str, SubInstruction] | None = None

    @field_validator("category", mode="before")
    @classmethod
    def _one_category(cls, category: object) -> object:
        return category[0] if isinstance(category, list) and len(category) == 1 else category


@dataclass(frozen=True)
class Finding:
    """Something wrong with an instance."""

    severity: Severity  # an error stops the workflow, a warning does not
    position: int  # of the instance in its file, from 0
    main_id: int | None  # the instance's number; None where it has none
    field: str  # where, such as ``scoring_questions[2].dep``
    sentence: str  # what is wrong; what to do
    structural: bool = False  # the instance cannot be scored with it, whoever published it

    @property
    def place(self) -> str:
        """InstanceRecord and field, in words."""
        number = f"main_id {self.main_id}" if self.main_id is not None else "no main_id"
        return f"instance {self.position + 1} ({number}), {self.field}"
