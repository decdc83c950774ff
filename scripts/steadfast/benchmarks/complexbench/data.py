"""The instances of a run in one shape: checked, in one language, and counted for the log.

Every field is checked where scores and tables rest on it. What the benchmark's authors published is
taken as it is: there unknown labels are no error.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, NamedTuple, Self

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_json
from steadfast.base.names import suggestion
from steadfast.base.pinned import fetch, git_blob
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.complexbench.facts import dimensions, taxonomy
from steadfast.config.validation_errors import checked_records
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
            shown = name[:60]
            raise ValueError(f"unknown {what} {shown!r}; {suggestion(shown, list(allowed))}")
    return names


Dimensions = Annotated[list[str], AfterValidator(_dimensions)]
CompositionTypes = Annotated[list[str], AfterValidator(_composition_types)]


class ScoringQuestion(StrictModel):
    """A scoring question: one requirement on a response, answered by yes or no."""

    point_id: int  # position in the instance, from 0
    question: str = TEXT  # in Chinese
    question_en: str | None = None  # its translation; needed where language en is requested
    rule: str | None  # decides the question once its object is extracted; null where a judge has to
    constraint_dimensions: Dimensions  # which of the 19 it verifies
    # Chain where it verifies that a task which others build on is done, Selection where it verifies
    # that the right branch is taken
    composition_types: CompositionTypes
    # positions of the questions that must hold for it to count; all of them, direct or not
    dep: list[int]


class SubInstruction(StrictModel):
    """One turn of the decomposed instruction (supplement, 5.5)."""

    instruction: str = TEXT  # what is requested in this turn, with no composition but And
    instruction_en: str | None = None  # its translation
    # the questions that this turn's answer is judged by: a run of the instance's, as their texts
    # (wording may differ a little) or their positions
    scoring_questions: list[str] | list[int]


class InstanceRecord(StrictModel):
    """A complex instruction with its annotations."""

    main_id: int = Field(ge=0)  # number in the data set
    group: str | None = None  # instructions that differ in a selection's condition alone share it
    idx_in_group: int | None = Field(default=None, ge=1)  # number in the group, from 1
    instruction: str = TEXT  # in Chinese
    instruction_en: str | None = None  # its translation; needed where language en is requested
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


# --- sources ----------------------------------------------------------------------------------


def released(inputs: Mapping[str, Path], language: str, extra: str | None) -> list[Record]:
    """Returns the instances as published, fetched at the pinned revision; see ``records``."""
    pinned = facts("complexbench/released.yaml")
    alternative = (
        "set complexbench.source to local and complexbench.directory to a directory that holds "
        "data_final.json"
    )
    raw = json.loads(fetch(pinned, alternative))
    return records(raw, pinned["url"], "released", language, extra, published=True)


def sample(inputs: Mapping[str, Path], language: str, extra: str | None) -> list[Record]:
    """Returns the project's own instances, of every category, dimension and rule."""
    raw = read_json(resource("complexbench/sample.json"))
    return records(raw, "synthetic instances", "synthetic", language, extra)


def local(inputs: Mapping[str, Path], language: str, extra: str | None, file: str) -> list[Record]:
    """Returns the instances of a file, which may be the published one; see ``records``."""
    raw = read_instances(file)
    blob = git_blob(Path(file).read_bytes())
    published = blob == facts("complexbench/released.yaml")["git_blob"]
    return records(raw, file, "local", language, extra, published)


def records(
    raw: Sequence[object],
    where: Path | str,
    origin: str,
    language: str,
    extra: str | None,
    published: bool = False,
) -> list[Record]:
    """Returns instances and a user's own, checked and in one language.

    Each has main_id, group, idx_in_group, instruction, task_types, constraint_dimensions,
    composition_types, category, scoring_questions (point_id, question, rule, constraint_dimensions,
    composition_types, dep), turns (instruction and points of each; empty where it has no
    sub-instructions in the language) and origin (the source, or extra).
    """
    instances = checked(raw, where, published)
    if not published:
        _check_turns(instances, where)
    records = [_record(instance, language, origin) for instance in instances]
    if extra:
        # A user's instances have numbers that follow those of the data set.
        first = max(instance.main_id for instance in instances) + 1
        added = checked(read_instances(extra), extra)
        _check_turns(added, extra)
        for number, instance in enumerate(added, start=first):
            numbered = instance.model_copy(update={"main_id": number})
            records.append(_record(numbered, language, "extra"))
    print(*summary(records, published), sep="\n")
    return records


def _check_turns(instances: Sequence[InstanceRecord], where: Path | str) -> None:
    for instance in instances:
        if instance.sub_instructions and not turns(instance):
            raise UserError(
                f"{where}: main_id {instance.main_id}: sub_instructions are no turns: name them "
                "sub_instruction_0, sub_instruction_1 …, give each a run of the scoring questions, "
                "each question to one, and none that depends on a later turn's"
            )


class Turn(NamedTuple):
    """One turn of a decomposed instruction."""

    part: SubInstruction  # as in the data
    # positions of the scoring questions that its answer is judged by, in order
    points: tuple[int, ...]


def turns(instance: InstanceRecord) -> list[Turn]:
    """Returns the turns of an instance in order; none where they do not partition its questions.

    Every scoring question belongs to one turn, those of a turn follow each other in the instance,
    and none depends on a question of a later turn.
    """
    parts = instance.sub_instructions or {}
    if {f"sub_instruction_{number}" for number in range(len(parts))} != parts.keys():
        return []
    questions = [question.question for question in instance.scoring_questions]
    turns: list[Turn] = []
    turn_of: dict[int, int] = {}
    for number in range(len(parts)):
        part = parts[f"sub_instruction_{number}"]
        points = _points(part, questions, start=max(turn_of, default=-1) + 1)
        if not points or not turn_of.keys().isdisjoint(points):
            return []
        turn_of |= dict.fromkeys(points, number)
        turns.append(Turn(part, tuple(points)))
    if turn_of.keys() != set(range(len(questions))):
        return []
    for point, number in turn_of.items():
        if any(turn_of[parent] > number for parent in instance.scoring_questions[point].dep):
            return []
    return turns


def _points(part: SubInstruction, questions: list[str], start: int) -> list[int]:
    """The positions of one turn's questions; none where they are no run.

    A run of texts starts at the question with its first text, or, if that is reworded, at
    ``start``. There is no run where a text belongs to a question at another position.
    """
    assigned = part.scoring_questions
    if not assigned:
        return []
    if isinstance(assigned[0], str):
        start = questions.index(assigned[0]) if assigned[0] in questions else start
        for point, text in enumerate(assigned, start):
            if text in questions and text not in questions[point : point + 1]:
                return []
    else:
        start = assigned[0]
        if list(assigned) != list(range(start, start + len(assigned))):
            return []
    return list(range(start, start + len(assigned)))


def _record(instance: InstanceRecord, language: str, origin: str) -> Record:
    def text(holder: InstanceRecord | ScoringQuestion, field: str) -> str:
        value = getattr(holder, _in_language(field, language))
        if value is None:
            raise UserError(
                f"complexbench: main_id {instance.main_id} lacks {field}_{language}; add it, or "
                f"leave {language!r} out of complexbench.languages"
            )
        return str(value)

    record = instance.model_dump(exclude={"instruction_en", "sub_instructions"})
    record["instruction"] = text(instance, "instruction")
    for number, question in enumerate(instance.scoring_questions):
        fields = question.model_dump(exclude={"question_en"})
        fields |= {"point_id": number, "question": text(question, "question")}
        record["scoring_questions"][number] = fields
    return record | {"turns": _turns(instance, language), "origin": origin}


def _turns(instance: InstanceRecord, language: str) -> list[Record]:
    """Returns the turns in a language; none where one is not translated, or ``turns`` has none."""
    translated = []
    for turn in turns(instance):
        text = getattr(turn.part, _in_language("instruction", language))
        if text is None:
            return []
        translated.append({"instruction": text, "points": list(turn.points)})
    return translated


def _in_language(field: str, language: str) -> str:
    return field if language == "zh" else f"{field}_{language}"


def summary(records: Sequence[Record], published: bool) -> list[str]:
    """Returns lines on the data for the log; published data is compared with its known counts."""
    questions = list(chain.from_iterable(record["scoring_questions"] for record in records))
    lines = [
        f"{len(records)} instances, {len(questions)} questions, "
        f"{sum(question['rule'] is not None for question in questions)} of them with a rule, "
        f"{sum(bool(record['turns']) for record in records)} instances in turns"
    ]
    for field in ("category", "task_types", "origin"):
        counted = Counter(record[field] for record in records)
        lines.append(f"{field}: {', '.join(f'{k} {counted[k]}' for k in sorted(counted))}")
    if published:
        expected = taxonomy()["published"]
        published_records = [record for record in records if record["origin"] != "extra"]
        count = sum(len(record["scoring_questions"]) for record in published_records)
        if len(published_records) != expected["instances"]:
            lines.append(f"warning: {expected['instances']} were published")
        if count not in expected["questions"]:
            numbers = " or ".join(f"{number:,}" for number in expected["questions"])
            lines.append(f"warning: the papers tell of {numbers} questions, not {count:,}")
    return lines
