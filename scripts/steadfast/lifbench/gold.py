"""What a prompt's right answer follows from, for those who answer and those who score."""

from typing import Any

TYPE_NAMES = ("#Topic#", "@argument@", "!Transition!", "|Summary|", "*Evidence*", "-Concession-")


def fields(prompt: dict) -> dict[str, Any]:
    """The instruction's variables and the gold information of a prompt in one mapping."""
    return {**prompt["variables"], **prompt["gold"]}


def expected_element(prompt: dict) -> str:
    """The one right element of an LSI, LOI or LOE prompt."""
    given = fields(prompt)
    if prompt["task"] == "LSI":
        return given["element"]
    return given["post_element" if given["bias"] > 0 else "pre_element"]


def expected_labels(documents: list[dict], rule_key: str, candidates: list[str]) -> list[str]:
    """MB's label of each document: which of title and source it lacks decides."""
    ordered = sorted(candidates, key=lambda label: rule_key.find(label[:1]))
    return [ordered[2 * ("title" not in d) + ("source" not in d)] for d in documents]


def duplicate_documents(
    documents: list[dict], groups: list[list[int]], keys: list[str]
) -> list[list[dict[str, Any]]]:
    """MF's asked fields of each group's documents, in order; a missing field is None."""
    return [[{key: documents[index].get(key) for key in keys} for index in g] for g in groups]
