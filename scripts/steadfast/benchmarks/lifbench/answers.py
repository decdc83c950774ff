"""Reference answers: the reference answer of every prompt, written so that LIFEval gives it 1.

The corrected rubric gives 1 to every reference answer, in whatever letters, as long as no text is
blank, key sentences are distinct, a list task has an element to name, and there are the duplicates
and the key sentences that are requested. Released rubric: JSON is written in ASCII escapes with
``null`` for a missing field, and prompts and contexts must keep these rules besides (with the quirk
that needs each):

- all: no text is empty, has white space at its ends, a line break (but in a document's text) or a
  character outside the basic multilingual plane (JSON escapes those in halves, Q1).
- List: elements are distinct and none is a part of another (Q2), though LBI and LBE need no more
  than one such element on the requested side; an element follows or precedes the one that is named.
- MultiDoc: at least one duplicate group. Values of fields other than text are printable ASCII
  without a backslash, ``]]`` or ``null``, and do not end with a comma once quotation marks are
  left out (Q1, Q9, Q10). Where a requested field may be missing, the instruction says ``None``,
  which has to be found in the prompt. Labels are distinct and hold no comma, ``]``, quotation mark
  or backslash (Q6).
- OneDoc: key sentences, fakes included, are distinct, none is a part of another, and none holds a
  separator of OR. OR requests no more than the true ones. OE requests a type without true
  sentences only if that is |Summary|. Neither option of OQ is a part of the other, and a separator
  is no part of what stands around it (``#`` would be of ``#Topic#``).
"""

import json
import random
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench import expected, records


def reference_answer(prompt: records.Prompt, context: Record) -> str:
    """Returns the reference answer to a prompt."""
    variables = expected.fields(prompt)
    match prompt["task"]:
        case "LSI" | "LOI" | "LOE":
            return expected.expected_element(prompt)
        case "LBI" | "LBE":
            return _any_element(prompt, context)
        case "LMI":
            return json.dumps(variables["elements"])
        case "MB":
            labels = expected.expected_labels(prompt, context["documents"])
            # Labels are looked for as they are, so they are not escaped.
            return unescaped_json(by_document(labels))
        case "MF":
            lines = []
            for group in context["duplicate_groups"]:
                documents = expected.requested_fields(prompt, context, group)
                lines.append(json.dumps([list(document.values()) for document in documents]))
            return "\n".join(lines)
        case "OR":
            return labelled_rows(requested_sentences(prompt, context), variables["sep"])
        case "OQ":
            is_true = is_key_sentence(variables["evidence"], context)
            return str(variables["options"][0 if is_true else 1])
        case _:
            return json.dumps(
                [sentence["text"] for sentence in requested_sentences(prompt, context)]
            )


def by_document(labels: Sequence[str]) -> dict[str, str]:
    """Returns MB's labels by the names of the documents: doc1, doc2 …"""
    return {f"doc{number}": label for number, label in enumerate(labels, start=1)}


def unescaped_json(value: object) -> str:
    """Returns JSON with all letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def labelled_rows(sentences: list[Record], separator: str) -> str:
    """Returns OR's rows: a sentence in one line, even if it takes more in the document."""
    rows = []
    for sentence in sentences:
        text = sentence["text"].replace("\n", " ")
        rows.append(f"{text} {separator} {sentence['type']}")
    return "\n".join(rows)


def _any_element(prompt: records.Prompt, context: Record) -> str:
    """Returns a right element of LBI or LBE that holds no other element, where there is one."""
    elements = context["elements"]
    right = blur_indices(prompt, context)
    first = random.Random(f"reference/{prompt['sample_id']}").choice(right)
    for index in chain([first], right):
        text = elements[index]
        parts = [element for element in elements if element in text]
        if text == text.strip() and len(parts) == 1:
            return str(text)
    return str(elements[first])


def blur_indices(prompt: records.Prompt, context: Record) -> range:
    """Returns the 0-based indices that are right in LBI and LBE: all after or before one."""
    variables = expected.fields(prompt)
    if variables["bias"] > 0:
        return range(variables["id"], len(context["elements"]))
    return range(variables["id"] - 1)


def requested_sentences(prompt: records.Prompt, context: Record) -> list[Record]:
    """Returns the right key sentences in the order to give them (OR: spread over the document)."""
    variables = expected.fields(prompt)
    sentences = [sentence for sentence in context["key_sentences"] if not sentence["fake"]]
    if prompt["task"] == "OE":
        of_type = [s for s in sentences if f"<{s['type']}>" == variables["type"]]
        return sorted(of_type, key=itemgetter("id"))
    sentences.sort(key=itemgetter("index"))
    n = min(variables["num"], len(sentences))
    # The sentence in the middle of each of n equal parts.
    return [sentences[(2 * i + 1) * len(sentences) // (2 * n)] for i in range(n)]


def is_key_sentence(evidence: str, context: Record) -> bool:
    """Returns whether OQ's evidence is a true key sentence of the context."""
    genuine = [sentence for sentence in context["key_sentences"] if not sentence["fake"]]
    return evidence.strip() in [sentence["text"].strip() for sentence in genuine]
