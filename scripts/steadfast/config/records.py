"""Checks the records of a benchmark's data file; the first error is one sentence."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from steadfast.base.errors import UserError
from steadfast.config.complaint import complaint

Model = TypeVar("Model", bound=BaseModel)


def checked_records(
    schema: type[Model],
    raw: object,
    where: Path | str,
    page: str,
    key: Sequence[str],
    context: object = None,
) -> list[Model]:
    """Returns the records of a file.

    Args:
        schema: of a record.
        raw: the content of the file, which should be a list.
        where: the name of the file in errors.
        page: of the documentation, which describes the fields.
        key: fields whose values identify a record.
        context: for the schema's validators.

    Raises:
        UserError: there are no records, one does not follow the schema, or two have the same key.
    """
    if not isinstance(raw, list) or not raw:
        raise UserError(f"{where}: expected a list of records; see {page}")
    records: list[Model] = []
    numbers: dict[tuple[object, ...], int] = {}
    for number, value in enumerate(raw, start=1):
        fields = value if isinstance(value, dict) else {}
        key_text = ", ".join(f"{name} {fields[name]!r}" for name in key if name in fields)
        place = f"{where}: record {number}" + (f" ({key_text[:80]})" if key_text else "")
        try:
            record = schema.model_validate(value, context=context)
        except ValidationError as error:
            raise UserError(complaint(schema, error, place, page)) from None
        key_values = tuple(getattr(record, name) for name in key)
        first = numbers.setdefault(key_values, number)
        if first != number:
            raise UserError(
                f"{place}: record {first} has the same {' and '.join(key)}; remove one of the two, "
                "or give them different numbers"
            )
        records.append(record)
    return records
