"""Filler contexts: one neutral sentence repeated to any length.

Compared with a text of the same length they show the effect of length alone (Du et al. 2025,
"Context length alone hurts LLM performance despite perfect retrieval", arXiv 2510.05381).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.base.tokens import load_tokenizer

SENTENCE: str = facts("corpora/contexts.yaml")["filler"]


def contexts(
    corpora: Mapping[str, Path], length: str, budget: int, tokenizer: str
) -> Iterator[Record]:
    """Yields the filler of a length: the sentence as often as the token budget allows."""
    counter = load_tokenizer(tokenizer)
    # Each further sentence takes the same tokens, its blank included.
    first = counter.count(SENTENCE)
    further = counter.count(f"{SENTENCE} {SENTENCE}") - first
    text = " ".join([SENTENCE] * (1 + (budget - first) // further))
    yield {"context_id": f"filler-{length}", "text": text, "tokens": counter.count(text)}
