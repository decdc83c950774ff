"""Examples that stand before each prompt of a base model, as text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from steadfast.contract.request import Item
from steadfast.engines.openai.body import as_text


def with_examples(
    items: Iterable[Item], examples: Sequence[Sequence[str]] | None
) -> Iterator[Item]:
    """Items with the examples before all that is asked, once a conversation.

    They stand in the head, so that they are counted against the window, never cut, part of the
    request's hash, and a prefix that all requests share.

    Args:
        items: as benchmarks hand them over.
        examples: pairs of instruction and output; None where there are none.
    """
    if not examples:
        yield from items
        return
    text = as_text((instruction, output) for instruction, output in examples)
    heads: dict[str, str] = {}
    for item in items:
        # What goes on with a conversation has them in its first turn.
        head = item.head if item.follows else heads.setdefault(item.head, text + item.head)
        yield replace(item, head=head)
