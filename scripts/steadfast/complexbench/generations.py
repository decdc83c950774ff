"""The benchmark's released generations, made into a file that the engine ``replay`` reads.

``python -m steadfast.complexbench.generations GENERATIONS PROMPTS OUT`` takes the answers by
``main_id``, not by their place, and tells where they were given to another instruction.
"""

import sys
from pathlib import Path

from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl, write_jsonl

USAGE = (
    "usage: PYTHONPATH=scripts python -m steadfast.complexbench.generations "
    "GENERATIONS.jsonl results/complexbench/prompts/zh.jsonl OUT.jsonl"
)
_NAMED = 5  # instances that a warning lists


def convert(generations: Path | str, prompts: Path | str, out: Path | str) -> list[str]:
    """Writes the generations as responses to the prompts of one part.

    Args:
        generations: JSON lines with main_id, instruction and generated (null where the model gave
            nothing).
        prompts: of the part, from the workflow.
        out: JSON lines with sample_id and text, or status error; for the prompts that there is a
            generation for.

    Returns:
        Lines for a person: how many there are, and which were given to another instruction.

    Raises:
        UserError: a file is missing or damaged, a generation is there twice, or none fits.
    """
    given: dict[int, Record] = {}
    for number, record in enumerate(read_jsonl(generations), start=1):
        for field in ("main_id", "instruction", "generated"):
            if field not in record:
                raise UserError(f"{generations}:{number}: no {field!r}; take a released file")
        if record["main_id"] in given:
            raise UserError(
                f"{generations}:{number}: main_id {record['main_id']} is there twice; leave one"
            )
        given[record["main_id"]] = record
    found, others, empty = [], [], 0
    for prompt in read_jsonl(prompts):
        record = given.get(prompt["main_id"])
        if record is None:
            continue
        if record["instruction"].strip() != prompt["instruction"].strip():
            others.append(prompt["main_id"])
        response = {"sample_id": prompt["sample_id"]}
        if record["generated"] is None:
            empty += 1
            response |= {"status": "error", "error": "the released generation is empty"}
        else:
            response |= {"text": record["generated"]}
        found.append(response)
    if not found:
        raise UserError(f"{prompts}: none of its instances is in {generations}; check both paths")
    write_jsonl(out, found)
    lines = [f"{out}: {len(found)} responses, {empty} of them empty"]
    if others:
        named = ", ".join(map(str, others[:_NAMED])) + (" …" if others[_NAMED:] else "")
        lines.append(f"warning: {len(others)} were given to another instruction: main_id {named}")
    return lines


def main(arguments: list[str]) -> int:
    """Converts one file; 2 where the arguments or a file are wrong."""
    if len(arguments) != 3:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        print("\n".join(convert(*arguments)))
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
