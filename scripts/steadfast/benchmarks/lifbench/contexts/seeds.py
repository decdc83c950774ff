"""One context for each seed, whatever the scenario."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.tokens import load_tokenizer

Build = Callable[..., Record]
"""Makes one context of: its own random generator, the budget in tokens, the path of each corpus by
name, what counts tokens, and the settings of its scenario. Gives the text, its tokens, and what is
known of it."""


def seeded_contexts(
    scenario: str,
    build: Build,
    corpora: Mapping[str, Path],
    length: str,
    budget: int,
    seeds: Sequence[int],
    tokenizer: str,
    domain: str | None = None,
    **settings: Any,
) -> Iterator[Record]:
    """Yields one context for each seed, in the seeds' order.

    A context depends on its seed, scenario, length and budget, on the corpora, the tokenizer, its
    domain and settings, and on nothing else. Its text has at most ``budget`` tokens in every format
    that is asked for, and one element, document or sentence more would exceed that in one of them.
    """
    counter = load_tokenizer(tokenizer)
    # The first domain goes without a name, so that naming others leaves its contexts as they are.
    kind = f"{scenario}-{length}" + (f"-{domain}" if domain else "")
    named = {"domain": domain} if domain else {}
    for seed in seeds:
        rng = Random("/".join((str(seed), scenario, length, *named.values())))
        try:
            context = build(rng, budget, corpora, counter, **settings)
        except UserError as error:
            raise UserError(f"{kind}: {error}") from None
        if not context["text"]:
            raise UserError(f"{kind}: not one unit fits into {budget} tokens; raise the budget")
        yield {
            "context_id": f"{kind}-s{seed}",
            "scenario": scenario,
            **named,
            "length": length,
            "seed": seed,
            "budget": budget,
            **context,
        }
