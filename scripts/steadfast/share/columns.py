"""Rows as columns of plain types, the same in every split of a table and in every format."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, canonical_json

# Of a column, by the types of its values; one of any others is JSON text.
TYPES: Mapping[frozenset[type], str] = {
    frozenset(): "string",
    frozenset({str}): "string",
    frozenset({bool}): "bool",
    frozenset({int}): "int64",
    frozenset({float}): "double",
    frozenset({int, float}): "double",
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

    def path(self, split: str) -> str:
        """The file of a split, below the folder of the data set."""
        return f"{self.name}/{split}.parquet"


def table(name: str, splits: Mapping[str, Iterable[Record]]) -> ExportTable:
    """A table whose columns have one plain type each; a column of anything else is JSON text."""
    split_rows = {split: list(rows) for split, rows in splits.items()}
    # By all splits together: data sets are read with one schema, also where a split lacks a column.
    value_types: dict[str, set[type]] = {}
    for row in chain.from_iterable(split_rows.values()):
        for column, value in row.items():
            column_types = value_types.setdefault(column, set())
            if value is not None:
                column_types.add(type(value))
    types = {column: TYPES.get(frozenset(kinds), JSON) for column, kinds in value_types.items()}
    plain = {}
    for split, rows in split_rows.items():
        plain[split] = [_plain(row, types) for row in rows]
    return ExportTable(name, types, plain)


def _plain(row: Record, types: Mapping[str, str]) -> Record:
    """A row with a value, or None, in every column."""
    values = {column: row.get(column) for column in types}
    for column, kind in types.items():
        if kind == JSON and values[column] is not None:
            values[column] = canonical_json(values[column])
    return values


def arrow(table: ExportTable, split: str) -> Any:
    """The rows of a split as a ``pyarrow.Table``; a ``UserError`` names a row that fits none."""
    import pyarrow

    fields = []
    for column, kind in table.types.items():
        alias = "string" if kind == JSON else kind
        fields.append((column, pyarrow.type_for_alias(alias)))
    schema = pyarrow.schema(fields)
    rows = table.splits[split]
    try:
        return pyarrow.Table.from_pylist(list(rows), schema=schema)
    except (UnicodeEncodeError, OverflowError, pyarrow.ArrowInvalid) as error:
        raise UserError(
            f"export: table {table.name}, split {split}: a value cannot be written to Parquet "
            f"({error}); correct it in the data"
        ) from None
