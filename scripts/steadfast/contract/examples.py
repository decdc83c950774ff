"""Few-shot examples for base models, from a file of the user's."""

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl

FIELDS = ("instruction", "output")


def read_examples(path: str) -> list[list[str]]:
    """Pairs of instruction and output from a file of JSON lines with these two fields.

    Raises:
        UserError: a field is missing, unknown or no text, or there are no lines.
    """
    records = enumerate(read_jsonl(path), start=1)
    examples = [_example(record, f"{path}: record {number}") for number, record in records]
    if not examples:
        raise UserError(f"{path}: no examples; add a line with instruction and output")
    return examples


def _example(record: Record, where: str) -> list[str]:
    for name in FIELDS:
        text = record.get(name)
        if not isinstance(text, str) or not text.strip():
            raise UserError(f"{where}: the field {name!r} must be a string; add or correct it")
    if further := sorted(record.keys() - set(FIELDS)):
        raise UserError(
            f"{where}: unknown field {further[0]!r}; move its content to instruction, or remove it"
        )
    return [record[name] for name in FIELDS]
