"""The instances of a run: published, local or generated, and a user's own; checked and counted."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from steadfast.complexbench import decomposition
from steadfast.complexbench.instance import Instance
from steadfast.complexbench.schema import COMMAND, check, read_instances, stop_at_errors
from steadfast.complexbench.taxonomy import LANGUAGES, read_yaml, taxonomy
from steadfast.errors import UserError
from steadfast.files import Record, write_jsonl
from steadfast.pinned import fetch, git_blob

_TOLD = 20  # warnings that the log has
LOCAL = (
    "set complexbench.source to local and complexbench.directory to a directory that holds "
    "data_final.json"
)


def write_data(settings: Mapping[str, Any], language: str, out: Path) -> None:
    """Writes the instances in one language, checked, a line each.

    A record has main_id, group, idx_in_group, instruction, task_types, constraint_dimensions,
    composition_types, category, scoring_questions (point_id, question, rule, constraint_dimensions,
    composition_types, dep), turns (instruction and points of each; empty where it has no
    sub-instructions in the language) and origin (the source, or extra).

    Args:
        settings: source (synthetic, local, released), directory and file (local), extra (a file of
            the user's own instances, or None), instances and seed (synthetic).
        language: zh or en; a translated instance keeps the rules, which are Chinese.
        out: JSON lines.

    Raises:
        UserError: a file is missing, or an instance is not as the guidelines want it.
    """
    if language not in LANGUAGES:
        raise UserError(f"language {language!r}: choose one of {', '.join(LANGUAGES)}")
    published, instances = _source(settings)
    rows = [(instance, settings["source"]) for instance in instances]
    if settings.get("extra"):
        own = _checked(read_instances(settings["extra"]), settings["extra"])
        rows += [(instance, "extra") for instance in _numbered_on(own, instances)]
    records = [_record(instance, language, origin) for instance, origin in rows]
    for line in summary(records, published):
        print(line)
    write_jsonl(out, records)


def _source(settings: Mapping[str, Any]) -> tuple[bool, list[Instance]]:
    """Whether the instances are the published ones, and they."""
    if settings["source"] == "synthetic":
        from steadfast.complexbench.synthetic import instances

        raw = instances(settings["instances"], settings["seed"])
        return False, _checked(raw, "synthetic instances")
    pinned = read_yaml("released.yaml")
    if settings["source"] == "released":
        raw = json.loads(fetch(pinned, LOCAL))
        return True, _checked(raw, pinned["url"], published=True)
    directory = Path(settings["directory"])
    path = directory / settings["file"]
    if not path.is_file():
        raise UserError(
            f"{path}: no such file; correct complexbench.directory, or name the file that holds "
            "the instances under complexbench.file"
        )
    published = git_blob(path.read_bytes()) == pinned["git_blob"]
    return published, _checked(read_instances(path), path, published)


def _checked(raw: list[Any], path: Path | str, published: bool = False) -> list[Instance]:
    instances, findings = check(raw, published)
    stop_at_errors(path, findings)
    for found in findings[:_TOLD]:
        print(f"{found.severity}: {path}: {found.place}: {found.sentence}")
    if len(findings) > _TOLD:
        print(f"{len(findings) - _TOLD} more warnings: {COMMAND} FILE")
    return instances


def _numbered_on(own: list[Instance], others: list[Instance]) -> list[Instance]:
    """A user's instances with numbers that follow those of the data set."""
    first = max((instance.main_id for instance in others), default=-1) + 1
    return [
        instance.model_copy(update={"main_id": number})
        for number, instance in enumerate(own, start=first)
    ]


def _record(instance: Instance, language: str, origin: str) -> Record:
    questions = instance.scoring_questions
    return {
        "main_id": instance.main_id,
        "group": instance.group,
        "idx_in_group": instance.idx_in_group,
        "instruction": _in(language, instance, "instruction", instance),
        "task_types": instance.task_types,
        "constraint_dimensions": instance.constraint_dimensions,
        "composition_types": instance.composition_types,
        "category": instance.category,
        "scoring_questions": [
            {
                "point_id": number,
                "question": _in(language, question, "question", instance),
                "rule": question.rule,
                "constraint_dimensions": question.constraint_dimensions,
                "composition_types": question.composition_types,
                "dep": question.dep,
            }
            for number, question in enumerate(questions)
        ],
        "turns": _turns(instance, language),
        "origin": origin,
    }


def _in(language: str, holder: Any, field: str, instance: Instance) -> str:
    """A text in a language.

    Raises:
        UserError: it is not translated.
    """
    text = getattr(holder, field if language == "zh" else f"{field}_{language}")
    if text is None:
        raise UserError(
            f"complexbench: main_id {instance.main_id} lacks {field}_{language}; add it, or leave "
            f"{language!r} out of complexbench.languages"
        )
    return text


def _turns(instance: Instance, language: str) -> list[Record]:
    """The turns in a language; none where one is not translated, or they are not well assigned."""
    turns, problems = decomposition.turns(instance)
    if any(not problem.doubtful for problem in problems):
        return []
    texts = [turn.instruction if language == "zh" else turn.instruction_en for turn in turns]
    if None in texts:
        return []
    return [
        {"instruction": text, "points": list(turn.points)}
        for text, turn in zip(texts, turns, strict=True)
    ]


def summary(records: Iterable[Record], published: bool = False) -> list[str]:
    """What is in the data, in lines for the log; published data is held against its own counts."""
    records = list(records)
    questions = [question for record in records for question in record["scoring_questions"]]
    lines = [
        f"{len(records)} instances, {len(questions)} questions, "
        f"{sum(question['rule'] is not None for question in questions)} of them with a rule, "
        f"{sum(bool(record['turns']) for record in records)} instances in turns"
    ]
    for field in ("category", "task_types", "origin"):
        counted = Counter(record[field] for record in records)
        lines.append(f"{field}: {', '.join(f'{k} {counted[k]}' for k in sorted(counted))}")
    if published:
        lines += _against_published(records, len(questions))
    return lines


def _against_published(records: list[Record], questions: int) -> list[str]:
    told = taxonomy()["published"]
    own = sum(record["origin"] != "extra" for record in records)
    extra = sum(len(r["scoring_questions"]) for r in records if r["origin"] == "extra")
    lines = [] if own == told["instances"] else [f"warning: {told['instances']} were published"]
    if questions - extra not in told["questions"]:
        numbers = " or ".join(f"{number:,}" for number in told["questions"])
        lines.append(f"warning: the papers tell of {numbers} questions, not {questions - extra:,}")
    return lines
