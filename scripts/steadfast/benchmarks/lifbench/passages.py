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
    given = fields(prompt)
    names = ["element", "evidence", "elements"]
    names += [name for name, way in NEIGHBOURS.items() if given.get("bias", way) == way]
    wanted = [text for name in names for text in _texts(given.get(name))]
    if "info_keys" in given:
        groups = context.get("duplicate_groups", [])
        wanted += [context["documents"][group[0]]["text"] for group in groups]
    if "key_sentences" in context and "evidence" not in given:
        wanted += [
            sentence["text"]
            for sentence in context["key_sentences"]
            if not sentence["fake"]
            and str(given.get("type", sentence["type"])).strip("<>") == sentence["type"]
        ]
    return Passages(context["text"], [piece.strip() for piece in wanted])


def _texts(value: object) -> list[str]:
    pieces = value if isinstance(value, list) else [value]
    return [piece for piece in pieces if isinstance(piece, str)]
