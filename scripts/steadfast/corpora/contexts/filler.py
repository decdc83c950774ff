"""A neutral filler: one sentence over and over, a context of any length that says nothing.

Beside a text of the same length it tells what length alone costs (Du et al. 2025, "Context length
alone hurts LLM performance despite perfect retrieval", arXiv 2510.05381).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.base.tokens import load_tokenizer

SENTENCE: str = facts("corpora/contexts.yaml")["filler"]


def contexts(
    corpora: Mapping[str, Path], length: str, budget: int, tokenizer: str
) -> Iterator[Record]:
    """Yields the one filler of a length: as often the sentence as its tokens fit into the budget.

    Raises:
        UserError: the sentence itself does not fit.
    """
    counter = load_tokenizer(tokenizer)
    # Each further sentence takes the same tokens, its blank included.
    first = counter.count(SENTENCE)
    further = counter.count(f"{SENTENCE} {SENTENCE}") - first
    if first > budget:
        raise UserError(f"filler-{length}: {budget} tokens hold no sentence; raise the budget")
    text = " ".join([SENTENCE] * (1 + (budget - first) // further))
    yield {"context_id": f"filler-{length}", "text": text, "tokens": counter.count(text)}
