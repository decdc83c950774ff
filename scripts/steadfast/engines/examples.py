"""Examples that stand before each prompt of a base model: a file of the user's, and as text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from steadfast.engines.openai_body import as_text
from steadfast.engines.request import Item
from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl

FIELDS = ("instruction", "output")


def read_examples(path: str) -> list[list[str]]:
    """The examples of a file: pairs of instruction and output.

    Args:
        path: JSON lines with the texts ``instruction`` and ``output``, and nothing else.

    Raises:
        UserError: the file is missing or empty, or a line is no example; the sentence names both.
    """
    found = [
        _example(record, f"{path}: record {n}") for n, record in enumerate(read_jsonl(path), 1)
    ]
    if not found:
        raise UserError(f"{path}: it holds no example; add a line with instruction and output")
    return found


def _example(record: Record, where: str) -> list[str]:
    for name in FIELDS:
        text = record.get(name)
        if not isinstance(text, str) or not text.strip():
            raise UserError(f"{where}: the field {name!r} must be a text; add or mend it")
    if further := sorted(record.keys() - set(FIELDS)):
        raise UserError(
            f"{where}: the field {further[0]!r} is not used; put what it says into "
            "instruction, or leave it out"
        )
    return [record[name] for name in FIELDS]


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
