"""Example groups of one's own: five shots in n forms, and a question in the form of one of them.

Composed as the paper has it (appendix A.3), with the answer templates that the run's own data has:
of the paper's 29 (Table 6) those that occur in the released files. Data with fewer than five is
helped out by those of the generated groups. A rule scores the groups.
"""

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl
from steadfast.benchmarks.followbench.evolution import FIRST_ID
from steadfast.benchmarks.followbench.facts import INSTRUCTION, LEVELS, affixes
from steadfast.benchmarks.followbench.synthetic import BLOCKS

SOURCE, CATEGORY = "composed", "example"
SHOTS = LEVELS[-1]
FIELD = re.compile(r"\{(\w+)\}")


def composed(inputs: Mapping[str, Path], language: str, file: str, seed: int) -> list[Record]:
    """Returns a group a task of the user's file, in the released shape.

    A line of the file has ``questions`` (five templates or more, with the records' fields in
    braces) and ``records`` (six or more, each with an ``answer`` of one line).

    Raises:
        UserError: a line is no such task.
    """
    groups = (group for group in read_jsonl(inputs["data"]) if group["category"] == CATEGORY)
    forms = sorted({level["target"] for group in groups for level in group["levels"]})
    if len(forms) < len(LEVELS):  # a few generated groups, or a directory of few
        forms = [INSTRUCTION + form for form in BLOCKS[language]["examples"]["answers"]]
    return [
        record
        for number, task in enumerate(_tasks(file))
        for record in _group(task, FIRST_ID + number, forms, random.Random(f"{seed}/{number}"))
    ]


def _group(task: Record, number: int, forms: list[str], rng: random.Random) -> Iterator[Record]:
    """Level n has n pairs of question and answer template, each in one shot at least."""
    *shots, last = rng.sample(task["records"], SHOTS + 1)
    pairs = list(
        zip(rng.sample(task["questions"], len(LEVELS)), rng.sample(forms, len(LEVELS)), strict=True)
    )
    for level in LEVELS:
        shown = [*range(level), *rng.choices(range(level), k=SHOTS - level)]
        rng.shuffle(shown)
        texts = [_shot(pairs[place], record) for place, record in zip(shown, shots, strict=True)]
        question, target = pairs[0]
        yield {
            "example_id": number,
            "category": CATEGORY,
            "source": SOURCE,
            "level": level,
            "instruction": "\n\n".join([*texts, _filled(question, last)]),
            "target": target,
        }


def _shot(pair: tuple[str, str], record: Record) -> str:
    question, target = pair
    before, after = affixes(target)
    return f"{_filled(question, record)}\n{before}{record['answer']}{after}"


def _filled(question: str, record: Record) -> str:
    return FIELD.sub(lambda field: str(record[field[1]]), question)


def _tasks(file: str) -> Iterator[Record]:
    for number, task in enumerate(read_jsonl(Path(file)), start=1):
        if problem := _problem(task):
            raise UserError(f"{file}:{number}: {problem}")
        yield task


def _problem(task: object) -> str:
    """What is wrong with a line, and what to do; empty where nothing is."""
    if not isinstance(task, dict) or set(task) != {"questions", "records"}:
        return "give the fields questions and records, and no others"
    questions, records = task["questions"], task["records"]
    if not isinstance(questions, list) or len({str(one) for one in questions}) < len(LEVELS):
        return f"questions: give {len(LEVELS)} different ones or more"
    if not isinstance(records, list) or len(records) <= SHOTS:
        return f"records: give {SHOTS + 1} or more"
    for place, record in enumerate(records, start=1):
        answer = record.get("answer") if isinstance(record, dict) else None
        if not isinstance(answer, str) or len(answer.strip().splitlines()) != 1:
            return f"record {place}: give an answer of one line"
    for question in questions:
        for field in FIELD.findall(str(question)):
            if field == "answer" or any(field not in record for record in records):
                return f"question {question!r}: {{{field}}} is no field that every record has"
    return ""
