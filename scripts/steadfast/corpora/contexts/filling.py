"""Builds contexts of any scenario: one for each seed, filled to an exact token budget."""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_jsonl_with_positions
from steadfast.base.resources import facts
from steadfast.base.tokens import fingerprint, load_tokenizer

FACTS: Mapping[str, Settings] = facts("corpora/contexts.yaml")
Unit = TypeVar("Unit")
OFFSET_BITS = 48  # of a byte offset in a file
SLACK = 100  # tokens; see ``units_over_budget``
# Builds one context from: its random generators (``RandomStreams``), the token budget, the path of
# each corpus by name, the tokenizer, and the scenario's settings. Returns the text, its tokens, and
# the scenario's fields.
Build = Callable[..., Record]


def is_plain(text: str, unfit: Iterable[str]) -> bool:
    """Whether a text is one printable line that no escaping changes (BMP)."""
    return (
        text != ""
        and text == text.strip()
        and text.isprintable()
        and max(text) <= "\uffff"
        and not any(part in text for part in unfit)
    )


class RandomStreams(NamedTuple):
    """The random generators of a context.

    Attributes:
        content: of elements, documents or essays, in their order. It is the same for all lengths
            of nested contexts, so that a shorter one is the beginning of a longer one.
        placing: of positions, which differ between lengths.
    """

    content: Random
    placing: Random


class Filled(NamedTuple):
    """How many units a context holds, and the exact tokens of its text."""

    units: int
    tokens: int


def fill(
    estimates: list[int], budget: int, count: Callable[[int], int], start: int = 0
) -> Filled | None:
    """The largest number of units that fits into a token budget; None where all units fit.

    Estimates guide the search, exact counts decide. ``start`` units are known to fit.
    """
    # Bisection between numbers of units that fit (low) and that do not (high). The sum of estimates
    # is a little more or less than a text's tokens: corrected by the last difference (drift), most
    # guesses are right, so that a long text is counted a few times only.
    totals = [0, *accumulate(estimates)]
    low = start
    high = len(totals)
    tokens = count(low)
    drift = tokens - totals[low]
    while high - low > 1:
        guess = bisect_right(totals, budget - drift) - 1
        guess = min(max(guess, low + 1), high - 1)
        guess_tokens = count(guess)
        if guess_tokens <= budget:
            low = guess
            tokens = guess_tokens
        else:
            high = guess
        drift = guess_tokens - totals[guess]
    return None if high == len(totals) else Filled(low, tokens)


def units_over_budget(
    units: Iterable[Unit], size: Callable[[Unit], int], budget: int
) -> tuple[list[Unit], list[int]]:
    """Units that together exceed a budget, and the size of each in tokens.

    By 1 % and ``SLACK``, since the sizes of parts need not add up to that of the whole.
    """
    chosen: list[Unit] = []
    sizes: list[int] = []
    remaining = budget * 1.01 + SLACK
    for unit in units:
        chosen.append(unit)
        sizes.append(size(unit))
        remaining -= sizes[-1]
        if remaining < 0:
            break
    return chosen, sizes


def shuffled(path: Path, key: str) -> Iterator[Record]:
    """Yields a corpus's records in an order that depends only on the key and their ids."""
    # One number each, fingerprint before offset: pairs would take three times the memory.
    order: list[int] = []
    for _, start, record in read_jsonl_with_positions(path):
        order.append(int(fingerprint(f"{key}/{record['id']}"), 16) << OFFSET_BITS | start)
    order.sort()
    with open(path, "rb") as lines:
        for number in order:
            lines.seek(number & ((1 << OFFSET_BITS) - 1))
            yield json.loads(lines.readline())


def too_small(corpora: str, offers: str, scenario: str, budget: int) -> UserError:
    """The error for a corpus that is too small to fill a context."""
    return UserError(
        f"corpora/{corpora}: {offers} are too few for a {scenario} context of {budget:,} tokens; "
        "set a shorter length, or another source"
    )


def seeded_contexts(
    scenario: str,
    build: Build,
    corpora: Mapping[str, Path],
    length: str,
    budget: int,
    seeds: Sequence[int],
    tokenizer: str,
    domain: str | None = None,
    nested: bool = False,
    **settings: Any,
) -> Iterator[Record]:
    """Yields one context for each seed, in the seeds' order.

    A context depends only on its seed, scenario, length and budget, on the corpora, the tokenizer,
    its domain and settings. Its text has at most ``budget`` tokens in every requested format, and
    one element, document or sentence more would exceed that in one of them.

    ``nested`` contexts of a seed are a ``family``: the elements, documents or essays of a shorter
    one are the first of a longer one, as in the released data ("the number of elements in the list
    or the number of documents", section 3.2). Each can be built without the others.
    """
    counter = load_tokenizer(tokenizer)
    # The first domain has no name here, so that adding others does not change its contexts.
    ending = f"-{domain}" if domain else ""
    kind = f"{scenario}-{length}{ending}"
    family_kind = f"{scenario}{ending}"
    named = {"domain": domain} if domain else {}
    for seed in seeds:
        family = "/".join((str(seed), scenario, *named.values()))
        single = "/".join((str(seed), scenario, length, *named.values()))
        streams = RandomStreams(Random(family if nested else single), Random(f"{single}/placing"))
        try:
            context = build(streams, budget, corpora, counter, **settings)
        except UserError as error:
            raise UserError(f"{kind}: {error}") from None
        if not context["text"]:
            raise UserError(f"{kind}: no unit fits into {budget} tokens; raise the budget")
        yield {
            "context_id": f"{kind}-s{seed}",
            **({"family": f"{family_kind}-s{seed}"} if nested else {}),
            "scenario": scenario,
            **named,
            "length": length,
            "seed": seed,
            "budget": budget,
            **context,
        }
