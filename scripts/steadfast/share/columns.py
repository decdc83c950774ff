"""Rows as columns of plain types, the same in every split of a table and in every format."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, canonical_json

TYPES: Mapping[frozenset[type], str] = {
    frozenset(): "string",
    frozenset({str}): "string",
    frozenset({bool}): "bool",
    frozenset({int}): "int64",
    frozenset({float}): "double",
    frozenset({int, float}): "double",
}
"""Of a column, by the types of its values; one of any others is JSON text."""
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
    rows_of = {split: list(rows) for split, rows in splits.items()}
    found: dict[str, set[type]] = {}
    for row in chain.from_iterable(rows_of.values()):
        for column, value in row.items():
            found.setdefault(column, set()).update(() if value is None else {type(value)})
    types = {column: TYPES.get(frozenset(kinds), JSON) for column, kinds in found.items()}
    plain = {
        split: [{c: _plain(row.get(c), kind) for c, kind in types.items()} for row in rows]
        for split, rows in rows_of.items()
    }
    return ExportTable(name, types, plain)


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
            f"({error}); correct it in the data"
        ) from None
