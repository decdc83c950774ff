"""The instances of a run in one shape: checked, in one language, and counted for the log."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_json
from steadfast.base.pinned import fetch, git_blob
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.complexbench.facts import taxonomy
from steadfast.benchmarks.complexbench.instance import (
    InstanceRecord,
    ScoringQuestion,
    SubInstruction,
    checked,
    read_instances,
)


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
        first = max((instance.main_id for instance in instances), default=-1) + 1
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

    part: SubInstruction  # what is asked, and the questions as they are given
    # positions of the scoring questions that its answer is judged by, in order
    points: tuple[int, ...]


def turns(instance: InstanceRecord) -> list[Turn]:
    """Returns the turns of an instance in order; none where they do not share out its questions.

    Every scoring question belongs to one turn, those of a turn follow each other in the instance,
    and none depends on a question of a later turn.
    """
    parts = instance.sub_instructions or {}
    if {f"sub_instruction_{number}" for number in range(len(parts))} != parts.keys():
        return []
    questions = [question.question for question in instance.scoring_questions]
    turns: list[Turn] = []
    owner: dict[int, int] = {}
    for number in range(len(parts)):
        part = parts[f"sub_instruction_{number}"]
        points = _points(part, questions, start=max(owner, default=-1) + 1)
        if not points or not owner.keys().isdisjoint(points) or points[-1] >= len(questions):
            return []
        owner |= dict.fromkeys(points, number)
        turns.append(Turn(part, tuple(points)))
    if owner.keys() != set(range(len(questions))):
        return []
    for point, number in owner.items():
        if any(owner[parent] > number for parent in instance.scoring_questions[point].dep):
            return []
    return turns


def _points(part: SubInstruction, questions: list[str], start: int) -> list[int]:
    """The positions of one turn's questions; none where they are no run.

    A run of texts starts where its first one stands, or, if that is reworded, at ``start``. A
    further text that is that of another question belongs elsewhere.
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
        if list(assigned) != list(range(start, start + len(assigned))) or start < 0:
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
    """The turns in a language; none where one is not translated, or they are not well assigned."""
    translated = []
    for turn in turns(instance):
        text = getattr(turn.part, _in_language("instruction", language))
        if text is None:
            return []
        translated.append({"instruction": text, "points": list(turn.points)})
    return translated


def _in_language(field: str, language: str) -> str:
    return field if language == "zh" else f"{field}_{language}"


def summary(records: Sequence[Record], published: bool = False) -> list[str]:
    """What is in the data, in lines for the log; published data is held against its own counts."""
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
