"""Floor answers: those of a reader who looks nothing up, as good as such a reader's can be.

The reader does what the instruction says of the answer's form, and copies parts of the context by
their place alone: elements, documents' fields, sentences with their head tags. It knows how many
parts there are. It never finds the part that an instruction names by number, text or type, never
looks whether a field or an evidence is there, and compares no two parts, be they texts of documents
or the tags around a sentence. docs/floor.md has the reasons.
"""

import json
from itertools import pairwise
from math import log2

from steadfast.files import Record

ONE_IN = 3  # of the tagged sentences, for OE: more would find more, and claim more
MOST_DOCUMENTS = 80  # of an answer, so that the output limit does not cut it


def floor_answer(prompt: Record, context: Record) -> str:
    """The answer to a prompt without looking anything up; it does not see the gold information.

    >>> floor_answer({"task": "LSI", "variables": {"id": 1}}, {"elements": ["a", "b", "c"]})
    'b'

    Args:
        prompt: the prompt record; its task and variables are used.
        context: the context record that the prompt refers to.
    """
    given = prompt["variables"]
    match prompt["task"]:
        case "LSI" | "LOI" | "LOE":
            return _middle(context["elements"], 1)[0]
        case "LBI" | "LBE":
            # What comes last is after any element, wherever that stands.
            return context["elements"][-1 if given["bias"] > 0 else 0]
        case "LMI":
            return _json(_middle(context["elements"], len(given["id_arr"])))
        case "MB":
            label = min(given["candidates"], key=lambda name: given["rule_key"].find(name[:1]))
            return _json(
                {f"doc{number}": label for number, _ in enumerate(context["documents"], start=1)}
            )
        case "MF":
            return _groups(context["documents"], given["info_keys"].split())
        case "OR":
            return "\n".join(
                sentence["text"].replace("\n", " ") + f" {given['sep']} {sentence['type']}"
                for sentence in _tagged(context)[: given["num"]]
            )
        case "OQ":
            return given["options"][0]
        case _:
            sentences = _tagged(context)
            return _json([s["text"] for s in sentences[: max(1, round(len(sentences) / ONE_IN))]])


def _middle(elements: list[str], number: int) -> list[str]:
    start = (len(elements) - number + 1) // 2
    return elements[start : start + number]


def _groups(documents: list[Record], keys: list[str]) -> str:
    """The asked fields of all documents, or the first, in groups of neighbours: a guess of how many
    there may be, one more whenever the documents double."""
    rows = [[document.get(key) for key in keys] for document in documents[:MOST_DOCUMENTS]]
    number = max(1, round(log2(len(documents))) - 2)
    ends = [len(rows) * place // number for place in range(number + 1)]
    groups = (rows[start:end] for start, end in pairwise(ends))
    return "\n".join(_json(group) for group in groups if group)


def _tagged(context: Record) -> list[Record]:
    """The sentences that have a head tag, in the order of the document."""
    return sorted(context["key_sentences"], key=lambda sentence: sentence["index"])


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
