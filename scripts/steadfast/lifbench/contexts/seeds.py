"""One context for each seed, whatever the scenario."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from steadfast.errors import UserError
from steadfast.files import Record
from steadfast.tokens import Tokenizer, load_tokenizer

Build = Callable[[Random, int, Mapping[str, Path], Tokenizer], Record]
"""Makes one context of: its own random generator, the budget in tokens, the path of each corpus by
name, and what counts tokens. Gives the text, its tokens, and what is known of it."""


def seeded_contexts(
    scenario: str,
    build: Build,
    corpora: Mapping[str, Path],
    length: str,
    budget: int,
    seeds: Sequence[int],
    tokenizer: str,
) -> Iterator[Record]:
    """One context for each seed, in the seeds' order.

    A context depends on its seed, scenario, length and budget, on the corpora and the tokenizer,
    and on nothing else. Its text has at most ``budget`` tokens, and one element, document or
    sentence more would exceed that.

    Args:
        scenario: ``list``, ``multidoc`` or ``onedoc``.
        build: makes a context of that scenario.
        corpora: the path of each corpus of the scenario, by name.
        length: the length's name, such as ``4k``.
        budget: in tokens.
        seeds: one context each.
        tokenizer: the name of the encoding that counts.

    Raises:
        UserError: a corpus is missing or too small, or the budget holds too little.
    """
    counter = load_tokenizer(tokenizer)
    for seed in seeds:
        context = build(Random(f"{seed}/{scenario}/{length}"), budget, corpora, counter)
        if not context["text"]:
            raise UserError(
                f"{scenario} {length}: not one unit fits into {budget} tokens; raise the budget"
            )
        yield {
            "context_id": f"{scenario}-{length}-s{seed}",
            "scenario": scenario,
            "length": length,
            "seed": seed,
            "budget": budget,
            **context,
        }
