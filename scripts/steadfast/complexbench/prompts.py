"""Prompts: the instruction alone, as one turn, or turn by turn where it is decomposed.

A part is a language, such as ``zh``, or a language's decomposed instructions, ``zh-decomposed``.
The sample id of an instruction is its main_id, as in the benchmark's released generations; that of
a turn has the turn's number behind it, such as ``899/1``.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl, write_jsonl

MAX_TOKENS = 4096  # of an answer; the paper names no limit, and its longest have some 3,000
DECOMPOSED = "-decomposed"


def write_prompts(part: str, data: Path, out: Path) -> None:
    """Writes the prompts of a part, in the order of the data.

    Args:
        part: a language, or a language and ``-decomposed``.
        data: the instances of the language, from ``data.write_data``.
        out: JSON lines: sample_id, task (the task type), context_id (the group, else the instance),
            instruction, max_tokens, main_id, points (positions of the questions that the answer is
            judged by), layers (of nesting), and of a turn turn and follows (the sample it
            continues, or null).

    Raises:
        UserError: there is nothing to ask.
    """
    instances = list(read_jsonl(data))
    if not part.endswith(DECOMPOSED):
        write_jsonl(out, map(_prompt, instances))
        return
    composed = [i for i in instances if {"Chain", "Selection"} & set(i["composition_types"])]
    decomposed = [instance for instance in composed if instance["turns"]]
    if not decomposed:
        raise UserError(
            f"{data}: no instance has sub_instructions in this language; set "
            "complexbench.decomposition to false, or add them to instances of your own"
        )
    left_out = len(composed) - len(decomposed)
    print(
        f"{part}: {len(decomposed)} instances in turns; {left_out} with Chain or Selection have no "
        "sub_instructions and are left out"
    )
    write_jsonl(out, (prompt for instance in decomposed for prompt in _turns(instance)))


def _prompt(instance: Record) -> Record:
    return {
        "sample_id": str(instance["main_id"]),
        **_shared(instance),
        "instruction": instance["instruction"],
        "max_tokens": MAX_TOKENS,
        "main_id": instance["main_id"],
        "points": list(range(len(instance["scoring_questions"]))),
        "layers": layers(instance["category"]),
    }


def _turns(instance: Record) -> Iterator[Record]:
    before = None
    for number, turn in enumerate(instance["turns"]):
        sample_id = f"{instance['main_id']}/{number}"
        yield {
            "sample_id": sample_id,
            **_shared(instance),
            "instruction": turn["instruction"],
            "max_tokens": MAX_TOKENS,
            "main_id": instance["main_id"],
            "points": turn["points"],
            "layers": 1,  # a turn has no composition but And
            "turn": number,
            "follows": before,
        }
        before = sample_id


def _shared(instance: Record) -> Record:
    return {
        "task": instance["task_types"],
        "context_id": instance["group"] or f"instance-{instance['main_id']}",
    }


def layers(category: str) -> int:
    """The layers of nesting that a category's name says; And has one."""
    depth = category.rpartition("_")[2]
    return int(depth) if depth.isdecimal() else 1


def load_part(prompts: Path, data: Mapping[str, Path]) -> Iterator[tuple[Record, Record]]:
    """Each prompt with its instance, in the prompts' order.

    Args:
        prompts: the prompts of one part.
        data: the file of instances of the part's language, by language.

    Raises:
        UserError: a prompt is of an instance that the data does not have.
    """
    known = {
        instance["main_id"]: instance for path in data.values() for instance in read_jsonl(path)
    }
    for prompt in read_jsonl(prompts):
        if prompt["main_id"] not in known:
            raise UserError(
                f"{prompts}: instance {prompt['main_id']} of sample {prompt['sample_id']} is not "
                "in the data; write the prompts again"
            )
        yield prompt, known[prompt["main_id"]]
