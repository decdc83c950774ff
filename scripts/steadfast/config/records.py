"""Records of a benchmark's data file, checked by a schema: the first fault is one sentence."""

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
        raw: what the file holds, which should be a list.
        where: what the file is called in errors.
        page: of the documentation, that has the fields.
        key: the fields by which no two records may be alike.
        context: for the schema's validators.

    Raises:
        UserError: there are none, one is not of the shape, or two have one key.
    """
    if not isinstance(raw, list) or not raw:
        raise UserError(f"{where}: a list of records was expected; see {page}")
    records: list[Model] = []
    numbers: dict[tuple[object, ...], int] = {}
    for number, value in enumerate(raw, start=1):
        given = value if isinstance(value, dict) else {}
        named = ", ".join(f"{name} {given[name]!r}" for name in key if name in given)
        place = f"{where}: record {number}" + (f" ({named[:80]})" if named else "")
        try:
            record = schema.model_validate(value, context=context)
        except ValidationError as error:
            raise UserError(complaint(schema, error, place, page)) from None
        own = tuple(getattr(record, name) for name in key)
        first = numbers.setdefault(own, number)
        if first != number:
            raise UserError(
                f"{place}: record {first} has the same {' and '.join(key)}; leave one of them out, "
                "or number them as they stand"
            )
        records.append(record)
    return records
