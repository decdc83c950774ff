"""Reading the rows of a data file, whatever its format, and mapping them to corpus records."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from steadfast.errors import UserError
from steadfast.files import Record, read_json

Row = tuple[str, Record]  # where it stands, for a message, and its fields
LONGEST_CELL = 2**30  # characters; csv's own limit of 131,072 is shorter than a long essay


def read_files(corpus: str, paths: Iterable[Path], fields: Mapping[str, str]) -> Iterator[Record]:
    """The corpus records of data files, in the order of the files and of their rows.

    Args:
        corpus: its name begins the id of a record whose ``fields`` name no id.
        paths: ``.jsonl``, ``.json`` (a list of objects), ``.csv`` or ``.parquet`` files.
        fields: for each of text, id, title and date the source's field; only text is required.

    Raises:
        UserError: a file cannot be read, or a row lacks a field or has no string as text; the
            sentence names file and line.
    """
    if "text" not in fields:
        raise UserError(
            f"corpus {corpus}: the field map has no entry for text; add text: <name of the field>"
        )
    rows = chain.from_iterable(_rows(path) for path in paths)
    for number, (where, row) in enumerate(rows):
        yield _record(row, where, fields, f"{corpus}-{number:06d}")


def _record(row: Record, where: str, fields: Mapping[str, str], name: str) -> Record:
    for field in fields.values():
        if field not in row:
            raise UserError(
                f"{where}: no field {field!r}; the fields there are {', '.join(map(str, row))}; "
                "correct the corpus's field map in the config"
            )
    values = {key: row[field] for key, field in fields.items()}
    text = "" if values["text"] is None else values["text"]
    if not isinstance(text, str):
        raise UserError(
            f"{where}: field {fields['text']!r} holds {type(text).__name__}, not a string; name "
            "the field that holds the text, or mend the record"
        )
    return {
        "id": _string(values.get("id")) or name,
        "title": _string(values.get("title")),
        "date": _string(values.get("date")),
        "text": text,
    }


def _string(value: object) -> str | None:
    return None if value is None or value == "" else str(value)


def _rows(path: Path) -> Iterator[Row]:
    readers = {".jsonl": _jsonl, ".json": _json, ".csv": _csv, ".parquet": _parquet}
    reader = readers.get(path.suffix)
    if reader is None:
        raise UserError(f"{path}: not a data file; name files that end in {', '.join(readers)}")
    try:
        for where, row in reader(path):
            if not isinstance(row, dict):
                raise UserError(
                    f"{where}: a JSON object was expected, not {type(row).__name__}; mend or "
                    "remove it"
                )
            yield where, row
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}); check the path and its permissions"
        ) from None


def _jsonl(path: Path) -> Iterator[Row]:
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UserError(
                    f"{path}:{number}: corrupt JSON line ({error}); mend or remove that line"
                ) from None
            yield f"{path}:{number}", row


def _json(path: Path) -> Iterator[Row]:
    rows = read_json(path)
    if not isinstance(rows, list):
        raise UserError(f"{path}: a list of records was expected, not {type(rows).__name__}")
    for number, row in enumerate(rows, start=1):
        yield f"{path}: record {number}", row


def _csv(path: Path) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_CELL)
    with open(path, encoding="utf-8-sig", newline="") as lines:
        rows = csv.DictReader(lines, strict=True)
        try:
            for row in rows:
                yield f"{path}:{rows.line_num}", row
        except csv.Error as error:
            raise UserError(
                f"{path}:{rows.line_num}: corrupt CSV ({error}); mend or fetch the file again"
            ) from None


def _parquet(path: Path) -> Iterator[Row]:
    import pandas

    try:
        table = pandas.read_parquet(path, engine="pyarrow")
    except ImportError:
        raise UserError(
            f"{path}: reading Parquet needs pyarrow; pip install pyarrow, or name .jsonl, .json or "
            ".csv files instead"
        ) from None
    except (ValueError, OSError) as error:
        raise UserError(f"{path}: not a Parquet file ({error}); fetch it again") from None
    table = table.astype(object).where(table.notna(), None)
    for number, row in enumerate(table.to_dict("records"), start=1):
        yield f"{path}: record {number}", row
