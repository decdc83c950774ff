"""The benchmark's released contexts as records of the shape that our own have."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_json
from steadfast.base.tokens import load_tokenizer
from steadfast.benchmarks.lifbench.released_files import UNIT
from steadfast.benchmarks.lifbench.released_variables import document_settings
from steadfast.corpora.contexts import filling, onedoc


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
            settings = document_settings(read_json(inputs["templates"]), file["inputs"])
            information["drawn"] = settings[entry["length"]]
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
    number = entry["label"]
    documents = []
    for document in info["doc_list"][:number]:
        # A field without a value is not shown, and so counts as missing; a title may be a number.
        documents.append({field: str(value) for field, value in document.items() if value})
    groups = []
    for duplicates in info["dupli_idxs"]:
        group = [index for index in duplicates if index < number]
        if len(group) > 1:
            groups.append(group)
    return {"documents": documents, "duplicate_groups": groups}


def _onedoc(info: list[Any], entry: Record) -> Record:
    key_sentences = []
    for name, sentences in entry["label"].items():
        for id, (text, _, index, genuine) in enumerate(sentences):
            sentence = {"type": name, "id": id, "index": index, "fake": not genuine, "text": text}
            key_sentences.append(sentence)
    absent = [name for name in filling.FACTS["onedoc"]["types"] if name not in entry["label"]]
    ordinary = _ordinary(entry["input_text"])
    absent_type = absent[0] if absent else None
    return {"key_sentences": key_sentences, "absent_type": absent_type, "ordinary": ordinary}


def _ordinary(text: str) -> list[str]:
    """Returns sentences without tags for questions, one from each equal part of the text."""
    rules = filling.FACTS["onedoc"]
    suitable = []
    for _, sentence in onedoc.segment(text):
        is_long = len(sentence.split()) >= rules["sentence_words"]
        if is_long and filling.is_plain(sentence, rules["unfit"]):
            suitable.append(sentence)
    limit = min(len(suitable), rules["ordinary"][1])
    sampled = []
    for number in range(limit):
        start = len(suitable) * number // limit
        end = len(suitable) * (number + 1) // limit
        for sentence in suitable[start:end]:
            if text.count(sentence) == 1:
                sampled.append(sentence)
                break
    return sampled


_INFORMATION: dict[str, Callable[[Any, Record], Record]] = {
    "list": _list,
    "multidoc": _multidoc,
    "onedoc": _onedoc,
}
