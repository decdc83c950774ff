"""The passages of its context that a prompt is about, to be highlighted in a sample."""

from steadfast.benchmarks.lifbench import expected, records
from steadfast.contract.components import Sample
from steadfast.show.passages import Passages

# The entries around the one that is named, and the direction in which each is requested.
NEIGHBOURS = {"post_element": 1, "pre_element": -1}


def passages(sample: Sample[records.Prompt]) -> Passages:
    """Returns the elements, sentences or documents that a prompt is about or is answered by."""
    prompt = sample.prompt
    context = sample.source["context"]
    variables = expected.fields(prompt)
    names = ["element", "evidence", "elements"]
    names += [name for name, way in NEIGHBOURS.items() if variables.get("bias", way) == way]
    quotes: list[str] = []
    for name in names:
        value = variables.get(name)
        texts = value if isinstance(value, list) else [value]
        quotes += [text for text in texts if isinstance(text, str)]
    if "info_keys" in variables:
        for group in context.get("duplicate_groups", []):
            quotes.append(context["documents"][group[0]]["text"])
    if "evidence" not in variables:
        for sentence in context.get("key_sentences", []):
            wanted = str(variables.get("type", sentence["type"])).strip("<>")
            if not sentence["fake"] and sentence["type"] == wanted:
                quotes.append(sentence["text"])
    return Passages(context["text"], list(map(str.strip, quotes)))
