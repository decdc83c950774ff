"""The benchmark's released contexts as records of the shape that our own have."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_json
from steadfast.base.tokens import load_tokenizer
from steadfast.benchmarks.lifbench.released_drawing import document_settings
from steadfast.benchmarks.lifbench.released_files import UNIT
from steadfast.corpora.contexts.filling import FACTS, is_plain
from steadfast.corpora.contexts.onedoc import segment


def contexts(
    inputs: Mapping[str, Path], scenario: str, length: str, budget: int, tokenizer: str
) -> Iterator[Record]:
    """Yields the one released context of a scenario and length, with its reference answer."""
    path = inputs["contexts"]
    file = read_json(path)
    try:
        by_length = {entry["length"] * UNIT: entry for entry in file["inputs"]}
        if budget not in by_length:
            lengths = ", ".join(f"{length:,}" for length in sorted(by_length))
            raise UserError(
                f"lifbench.lengths: no released {scenario} context has the {budget:,} tokens of "
                f"{length}; {path} has contexts of {lengths}"
            )
        entry = by_length[budget]
        text = entry["input_text"]
        information = _INFORMATION[scenario](file["info"], entry)
        if "templates" in inputs and scenario == "onedoc":
            drawn = document_settings(read_json(inputs["templates"]), file["inputs"])
            information["drawn"] = drawn[entry["length"]]
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise UserError(
            f"{path}: not LIFBench's released {scenario} contexts ({error!r}); fetch the file again"
        ) from None
    yield {
        "context_id": f"{scenario}-{length}",
        "scenario": scenario,
        "length": length,
        "seed": None,
        "budget": budget,
        "tokens": load_tokenizer(tokenizer).count(text),
        "text": text,
        **information,
    }


def _list(info: list[str], entry: Record) -> Record:
    elements = info[: entry["label"]]
    lines = (f"{number}. {element}\n" for number, element in enumerate(elements, start=1))
    if "".join(lines) != entry["input_text"]:
        raise ValueError("a text that is not its numbered elements")
    return {"elements": elements}


def _multidoc(info: Record, entry: Record) -> Record:
    # A field without a value is not shown, and so counts as missing; a title may be a number.
    number = entry["label"]
    documents = [
        {field: str(value) for field, value in document.items() if value}
        for document in info["doc_list"][:number]
    ]
    groups = ([place for place in group if place < number] for group in info["dupli_idxs"])
    return {
        "documents": documents,
        "duplicate_groups": [group for group in groups if len(group) > 1],
    }


def _onedoc(info: list[Any], entry: Record) -> Record:
    key_sentences = [
        {"type": name, "id": id, "index": index, "fake": not genuine, "text": text}
        for name, sentences in entry["label"].items()
        for id, (text, _, index, genuine) in enumerate(sentences)
    ]
    absent = [name for name in FACTS["onedoc"]["types"] if name not in entry["label"]]
    return {
        "key_sentences": key_sentences,
        "absent_type": absent[0] if absent else None,
        "ordinary": _ordinary(entry["input_text"]),
    }


def _ordinary(text: str) -> list[str]:
    """Returns sentences without tags to ask about, one from each equal part of the text."""
    rules = FACTS["onedoc"]
    fit = [
        sentence
        for _, sentence in segment(text)
        if is_plain(sentence, rules["unfit"]) and len(sentence.split()) >= rules["sentence_words"]
    ]
    limit = min(len(fit), rules["ordinary"][1])
    parts = (fit[len(fit) * n // limit : len(fit) * (n + 1) // limit] for n in range(limit))
    once = (next((s for s in part if text.count(s) == 1), None) for part in parts)
    return [sentence for sentence in once if sentence is not None]


_INFORMATION: dict[str, Callable[[Any, Record], Record]] = {
    "list": _list,
    "multidoc": _multidoc,
    "onedoc": _onedoc,
}
