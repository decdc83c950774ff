"""Instruction evolution: initial instructions grow by one constraint a level, written by a model.

Groups in the released shape come out, for people to read before they are used (section 3, appendix
A.1; Figures 7 to 9).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl
from steadfast.base.names import nearest
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.contract.components import JudgePrompt, JudgeRequest
from steadfast.contract.judge_template import boundary, load_template
from steadfast.contract.request import ANSWERED
from steadfast.judging.rewriting import UnreadableError, read

SOURCE = "evolved"
FIRST_ID = 1001  # beyond the released groups, some of whose numbers stand for a rule
MOST_ADDED = 60  # words; 10 to 20 are asked for
MAX_TOKENS = 1024
SLOTS = ("boundary", "category", "kinds")
EXPECTED: Record = {"count": 1}
_FENCED = re.compile(r"^(?:```|\|).*$", re.MULTILINE)  # lines of code fences and tables


def initial(inputs: Mapping[str, Path], file: str) -> Iterator[Record]:
    """Yields the initial instructions of the user's file, as level 0.

    Each has example_id, category, levels (the instruction of each level so far) and
    stopped (null, or the reason for which the group goes no further).
    """
    kinds = facts("followbench/evolution/kinds.yaml")
    for number, record in enumerate(read_jsonl(Path(file)), start=1):
        where = f"{file}:{number}"
        if not isinstance(record, dict) or set(record) != {"instruction", "category"}:
            raise UserError(f"{where}: give the fields instruction and category, and no others")
        instruction, category = record["instruction"], record["category"]
        if not isinstance(instruction, str) or not instruction.strip():
            raise UserError(f"{where}: the instruction is empty; write it, or remove the line")
        if category not in kinds:
            raise UserError(f"{where}: unknown category; {nearest(str(category), kinds)}")
        yield {
            "example_id": FIRST_ID + number - 1,
            "category": category,
            "levels": [instruction.strip()],
            "stopped": None,
        }


def requests(inputs: Mapping[str, Path], level: int) -> Iterator[Record]:
    """Yields what the rewriter is asked to reach a level, a request a group that still goes on."""
    path = str(resource("followbench/evolution/evolve.txt"))
    form = load_template(path, SLOTS, SLOTS)
    kinds = facts("followbench/evolution/kinds.yaml")
    for group in read_jsonl(inputs["groups"]):
        if group["stopped"] is None:
            category, instruction = group["category"], group["levels"][-1]
            fields = {
                "boundary": boundary(instruction),
                "category": category,
                "kinds": "\n".join(f"- {kind}" for kind in kinds[category]),
            }
            head, tail = form.render(fields)
            asked = JudgeRequest(_request(group, level), tail, EXPECTED, form.reminder, MAX_TOKENS)
            yield asdict(JudgePrompt(_name(group), "evolve", head, instruction, [asked]))


def grown(inputs: Mapping[str, Path], level: int) -> Iterator[Record]:
    """The groups with the instruction of one level more; of those that stop, with the reason."""
    replies = {reply["sample_id"]: reply for reply in read_jsonl(inputs["replies"])}
    for group in read_jsonl(inputs["groups"]):
        if group["stopped"] is None:
            request = _request(group, level)
            if request not in replies:
                raise UserError(
                    f"{inputs['replies']}: no reply to {request}; remove the file to have it made "
                    "again"
                )
            text, problem = _instruction(replies[request], group["levels"][-1])
            if problem:
                group["stopped"] = f"level {level}: {problem}"
            else:
                group["levels"].append(text)
        yield group


def released_shape(inputs: Mapping[str, Path], category: str) -> list[Record]:
    """Returns the groups of a category that have all levels, as the released files hold them."""
    return [
        {
            "example_id": group["example_id"],
            "category": category,
            "source": SOURCE,
            "level": level,
            "instruction": instruction,
            "target": "",
        }
        for group in read_jsonl(inputs["groups"])
        if group["category"] == category and len(group["levels"]) == 1 + len(LEVELS)
        for level, instruction in enumerate(group["levels"])
    ]


def _name(group: Record) -> str:
    return f"{group['category']}/{group['example_id']}"


def _request(group: Record, level: int) -> str:
    return f"{_name(group)}/{level}"


def _instruction(reply: Record, before: str) -> tuple[str, str]:
    """Returns the instruction that a reply holds, and why it cannot be used; empty where it can.

    >>> reply = {"status": "ok", "text": '["Name a fruit. Use one word."]'}
    >>> _instruction(reply, "Name a fruit.")
    ('Name a fruit. Use one word.', '')
    """
    if reply["status"] not in ANSWERED:
        return "", f"no reply (status {reply['status']})"
    try:
        text = read(reply["text"], EXPECTED)[0].strip()
    except UnreadableError as error:
        return "", str(error)
    added = len(text.split()) - len(before.split())
    if " ".join(text.split()).casefold() == " ".join(before.split()).casefold():
        return text, "the instruction is the same as before"
    if added < 1:
        return text, "the instruction became no longer"
    if added > MOST_ADDED:
        return text, f"{added} words came in where 10 to 20 were asked for"
    if not set(_FENCED.findall(before)) <= set(_FENCED.findall(text)):
        return text, "lines of a table or of code are lost"
    return text, ""
