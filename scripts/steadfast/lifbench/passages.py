"""What of its context a prompt of LIFBench is about, for those who look at a sample."""

from steadfast.components import Sample
from steadfast.lifbench.gold import expected_element, fields
from steadfast.show.passages import Passages


def passages(sample: Sample) -> Passages:
    """The elements, sentences or documents that a prompt asks about or is answered by.

    Of a task that asks about all documents alike there are none.
    """
    prompt, context = sample.prompt, sample.source["context"]
    given = fields(prompt)
    wanted = [given[name] for name in ("element", "evidence") if name in given]
    wanted += given.get("elements", [])
    if "post_element" in given:
        wanted.append(expected_element(prompt))
    if "info_keys" in given:
        groups = context.get("duplicate_groups", [])
        wanted += [context["documents"][group[0]]["text"] for group in groups]
    if "key_sentences" in context and "evidence" not in given:
        wanted += [
            sentence["text"]
            for sentence in context["key_sentences"]
            if not sentence["fake"]
            and given.get("type", f"<{sentence['type']}>").strip("<>") == sentence["type"]
        ]
    return Passages(context["text"], [str(piece).strip() for piece in wanted])
