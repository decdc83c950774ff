"""What of its context a prompt of LIFBench is about, for those who look at a sample."""

from steadfast.benchmarks.lifbench.expected import fields
from steadfast.benchmarks.lifbench.records import Prompt
from steadfast.contract.components import Sample
from steadfast.show.passages import Passages

NEIGHBOURS = {"post_element": 1, "pre_element": -1}
"""The entries around the one that is named, and the direction in which each is asked for."""


def passages(sample: Sample[Prompt]) -> Passages:
    """Returns the elements, sentences or documents that a prompt asks about or is answered by."""
    prompt = sample.prompt
    context = sample.source["context"]
    variables = fields(prompt)
    names = ["element", "evidence", "elements"]
    names += [name for name, way in NEIGHBOURS.items() if variables.get("bias", way) == way]
    quotes = [text for name in names for text in _texts(variables.get(name))]
    if "info_keys" in variables:
        groups = context.get("duplicate_groups", [])
        quotes += [context["documents"][group[0]]["text"] for group in groups]
    if "key_sentences" in context and "evidence" not in variables:
        quotes += [
            sentence["text"]
            for sentence in context["key_sentences"]
            if not sentence["fake"]
            and str(variables.get("type", sentence["type"])).strip("<>") == sentence["type"]
        ]
    return Passages(context["text"], [piece.strip() for piece in quotes])


def _texts(value: object) -> list[str]:
    pieces = value if isinstance(value, list) else [value]
    return [piece for piece in pieces if isinstance(piece, str)]
