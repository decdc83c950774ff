"""What a prompt's right answer follows from, for simulated models and for scorers."""

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.records import Prompt

TYPE_NAMES = ("#Topic#", "@argument@", "!Transition!", "|Summary|", "*Evidence*", "-Concession-")


def fields(prompt: Prompt) -> Record:
    """Returns the instruction's variables and the reference answer of a prompt in one mapping."""
    return {**prompt["variables"], **prompt["reference_answer"]}


def expected_element(prompt: Prompt) -> str:
    """Returns the one right element of an LSI, LOI or LOE prompt."""
    variables = fields(prompt)
    if prompt["task"] == "LSI":
        return str(variables["element"])
    return str(variables["post_element" if variables["bias"] > 0 else "pre_element"])


def expected_labels(prompt: Prompt, documents: list[Record]) -> list[str]:
    """Returns MB's label of each document: which of title and source it lacks decides."""
    variables = fields(prompt)
    rules = variables["rule_key"]
    ordered = sorted(variables["candidates"], key=lambda label: rules.find(label[:1]))
    return [ordered[2 * ("title" not in d) + ("source" not in d)] for d in documents]


def requested_fields(prompt: Prompt, context: Record, indices: list[int]) -> list[Record]:
    """Returns the fields that MF requests of some documents, in order; a missing one is None."""
    keys = fields(prompt)["info_keys"].split()
    rows = []
    for index in indices:
        document = context["documents"][index]
        rows.append({key: document.get(key) for key in keys})
    return rows


def target_depth(prompt: Prompt, context: Record, sampling: str) -> float | None:
    """Returns the target's position in its context, from 0 (start) to 1 (end)."""
    variables = fields(prompt)
    if sampling == "positions":
        return float(variables["id"] - 1) / (len(context["elements"]) - 1)
    if sampling != "evidence":
        return None
    start = context["text"].find(variables["evidence"].strip())
    return start / len(context["text"]) if start >= 0 else None
