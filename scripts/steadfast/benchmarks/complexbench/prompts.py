"""Prompts: the instruction alone, as one turn, or turn by turn where it is decomposed.

A part is a language, such as ``zh``, or a language's decomposed instructions, ``zh-decomposed``.
The sample id of an instruction is its main_id, as in the benchmark's released generations; that of
a turn has the turn's number behind it, such as ``899/1``.
"""

from collections.abc import Iterator
from itertools import chain

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.benchmarks.complexbench.facts import WHOLE, language_and_split
from steadfast.contract.components import Data

MAX_TOKENS = 4096  # of an answer; the paper names no limit, and its longest have some 3,000


def prompts(part: str, data: Data) -> list[Record]:
    """Returns the prompts of a part, in the order of the data; turns follow those before."""
    language, split = language_and_split(part)
    instances = data["data"][language]
    if split == WHOLE:
        return [_prompt(instance) for instance in instances]
    composed = [i for i in instances if {"Chain", "Selection"} & set(i["composition_types"])]
    decomposed = [instance for instance in composed if instance["turns"]]
    if not decomposed:
        raise UserError(
            f"complexbench: no instance has sub_instructions in language {language!r}; set "
            "complexbench.decomposition to false, or add them to instances of your own"
        )
    left_out = len(composed) - len(decomposed)
    print(
        f"{part}: {len(decomposed)} instances in turns; {left_out} with Chain or Selection have no "
        "sub_instructions and are left out"
    )
    return list(chain.from_iterable(map(_turns, decomposed)))


def _prompt(instance: Record) -> Record:
    return {
        "sample_id": str(instance["main_id"]),
        "task": instance["task_types"],
        "context_id": instance["group"] or f"instance-{instance['main_id']}",
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
        # A turn has no composition but And, which has one layer.
        fields = {"sample_id": sample_id, **turn, "layers": 1, "turn": number, "follows": before}
        yield _prompt(instance) | fields
        before = sample_id


def layers(category: str) -> int:
    """Returns the layers of nesting that a category's name says; And has one.

    >>> layers("Selection_and_Chain_2"), layers("And")
    (2, 1)
    """
    depth = category.rpartition("_")[2]
    return int(depth) if depth.isdecimal() else 1
