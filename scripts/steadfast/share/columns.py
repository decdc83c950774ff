"""Rows as columns of plain types, the same in every split of a table and in every format."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, canonical_json

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "bool": bool,
    "int64": int,
    "double": (int, float),
}
JSON = "json"


@dataclass(frozen=True)
class ExportTable:
    """A table of an exported data set: each column's type, and the rows of each split.

    Types are ``string``, ``bool``, ``int64``, ``double`` or ``json`` (JSON text).
    """

    name: str
    types: Mapping[str, str]
    splits: Mapping[str, Sequence[Record]]


def table(name: str, splits: Mapping[str, Iterable[Record]]) -> ExportTable:
    """A table whose columns have one plain type each; a column of anything else is JSON text."""
    held = {split: list(rows) for split, rows in splits.items()}
    every = [row for rows in held.values() for row in rows]
    names = dict.fromkeys(column for row in every for column in row)
    types = {column: _type([row.get(column) for row in every]) for column in names}
    plain = {
        split: [{c: _plain(row.get(c), types[c]) for c in names} for row in rows]
        for split, rows in held.items()
    }
    return ExportTable(name, types, plain)


def _type(values: Iterable[object]) -> str:
    given = [value for value in values if value is not None]
    for name, kind in TYPES.items():
        if all(isinstance(value, kind) for value in given):
            mixed = name in ("int64", "double") and any(isinstance(v, bool) for v in given)
            return JSON if mixed else name
    return JSON


def _plain(value: object, kind: str) -> object:
    return canonical_json(value) if kind == JSON and value is not None else value


def arrow(table: ExportTable, split: str) -> Any:
    """The rows of a split as a ``pyarrow.Table``; a ``UserError`` names a row that fits none."""
    import pyarrow

    fields = [(c, "string" if kind == JSON else kind) for c, kind in table.types.items()]
    schema = pyarrow.schema([(column, pyarrow.type_for_alias(kind)) for column, kind in fields])
    rows = table.splits[split]
    try:
        return pyarrow.Table.from_pylist(list(rows), schema=schema)
    except (UnicodeEncodeError, OverflowError, pyarrow.ArrowInvalid) as error:
        raise UserError(
            f"export: table {table.name}, split {split}: a value cannot be written to Parquet "
            f"({error}); mend the text that it came from"
        ) from None
